// The list of block testbenches (blocks.yaml). As a program: prints the names of their targets for a build; with --coverage of those that coverage runs.
import fs from 'node:fs';
import path from 'node:path';
import {parse} from 'yaml';
import {root} from './options.mjs';

export function readBlocks(file = path.join(root, 'tests/regression/blocks.yaml')) {
  const {blocks} = parse(fs.readFileSync(file, 'utf8'));
  for (const block of blocks)
    for (const key of ['test', 'seeds', 'coverage_seeds'])
      if (block[key] === undefined) throw new Error(`${path.relative(root, file)}: ${JSON.stringify(block)} has no ${key}`);
  return blocks;
}

/// The program of a test in a build folder: of a block, or of a unit whose random part is worth a night.
export function programOf(build, test) {
  const folders = ['tb/blocks', 'tests/unit'].map((folder) => path.join(build, folder));
  for (const folder of folders) {
    for (const block of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
      const file = path.join(folder, block, test);
      if (fs.existsSync(file) && fs.statSync(file).isFile()) return file;
    }
  }
  throw new Error(`${test} is built in none of ${folders.join(', ')}`);
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(readBlocks().filter((block) => !process.argv.includes('--coverage') || block.coverage_seeds > 0).map((block) => block.test).join(' '));
