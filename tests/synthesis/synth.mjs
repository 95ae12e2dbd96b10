// Synthesises the blocks of Tern: table, JSON, the table in docs/synthesis.md, netlists. scripts/synth builds first and has the help.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {parseArgs} from 'node:util';
import {Worker} from 'node:worker_threads';
import {runAll} from '../regression/jobs.mjs';
import {refuse, root, runMain, wholeNumber} from '../regression/options.mjs';
import {writeNetlist} from './mutants.mjs';
import {textTable, updatePage, wrongRows} from './table.mjs';

const kPage = path.join(root, 'docs/synthesis.md');

// Compositions: what they consist of is in the table.
const kWholeChips = ['tern', 'tern_peer'];
// What is too large as it stands in the chip: the size that is synthesised, and of what equal parts it consists.
const kLarge = {tensor: {parameters: ['ROWS=4', 'COLS=4'], parts: ['fp_fma']}};

function readCommandLine() {
  const text = {type: 'string'};
  const flag = {type: 'boolean', default: false};
  try {
    const {values, positionals} = parseArgs({allowPositionals: true, options: {
      build: {...text, default: path.join(root, 'build/release')}, jobs: {...text, default: String(os.cpus().length)}, out: text,
      check: flag, write: flag, netlist: flag, mutants: {...text, default: '0'}, seed: {...text, default: '1'}, parameter: {...text, multiple: true, short: 'G', default: []}}});
    for (const name of ['jobs', 'mutants', 'seed']) values[name] = wholeNumber(name, values[name]);
    return {...values, wanted: positionals};
  } catch (error) {
    refuse(error.message);
  }
}

/// The blocks and their files: every top that is linted (rtl/CMakeLists.txt) is synthesised.
function readBlocks(build) {
  const folder = path.join(build, 'generated/lint');
  if (!fs.existsSync(folder)) refuse(`${folder} is not there: configure the build first`);
  const lists = fs.readdirSync(folder).filter((file) => file.endsWith('.f')).sort();
  return new Map(lists.map((file) => [path.basename(file, '.f'), fs.readFileSync(path.join(folder, file), 'utf8').split('\n').filter((line) => line !== '')]));
}

/// Synthesises in a thread.
function inThread(work) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('synthesis_worker.mjs', import.meta.url), {workerData: work});
    worker.on('message', resolve);
    worker.on('error', reject);
    worker.on('exit', (status) => reject(new Error(`the thread ended with status ${status}`)));
  });
}

async function synthesizeAll(names, blocks, options) {
  const {netlist, parameter: parameters} = options;
  const mutants = options.mutants > 0 ? {count: options.mutants, seed: options.seed} : undefined;
  const work = async (block) => {
    const large = kLarge[block];
    const result = await inThread({block, files: blocks.get(block), parameters: parameters.length > 0 ? parameters : large?.parameters, parts: large?.parts, netlist, mutants});
    if (netlist) writeNetlist(options.out, block, result);
    const {gates, flip_flops: flipFlops, memory_bits: bits, depth, seconds} = result.facts;
    return {ok: true, facts: result.facts, text: `${gates} gates, ${flipFlops} flip-flops, ${bits} memory bits, depth ${depth}, ${seconds.toFixed(0)} s`};
  };
  return runAll(names, {jobs: options.jobs, name: (block) => block, work});
}

/// Compares or rewrites the page. A row of the table for each block; those that were not asked for stay as they are.
function judgePage(facts, {check, write, wanted}) {
  const all = wanted.length === 0;
  const page = fs.readFileSync(kPage, 'utf8');
  if (write) {
    fs.writeFileSync(kPage, updatePage(page, facts, {all}));
    console.log(`wrote ${path.relative(root, kPage)}`);
    return true;
  }
  const wrong = check ? wrongRows(page, facts, {all}) : [];
  for (const line of wrong) console.log(`BAD  ${path.relative(root, kPage)}: ${line}`);
  if (wrong.length > 0) console.log(`run scripts/synth --write${all ? '' : ` ${wanted.join(' ')}`} and look at what changed`);
  else if (check) console.log(`${path.relative(root, kPage)}: ${facts.length} of ${facts.length} rows are what synthesis gives`);
  return wrong.length === 0;
}

async function main() {
  const options = readCommandLine();
  const blocks = readBlocks(options.build);
  const names = options.wanted.length > 0 ? options.wanted : [...blocks.keys()].filter((name) => !kWholeChips.includes(name));
  for (const name of names)
    if (!blocks.has(name)) refuse(`there is no block "${name}"; there are ${[...blocks.keys()].join(', ')}`);
  if (options.netlist && options.wanted.length === 0) refuse('--netlist needs the name of a block');
  if (options.mutants > 0 && !options.netlist) refuse('--mutants goes with --netlist');
  options.out = path.resolve(options.out ?? path.join(options.build, 'synthesis'));
  fs.mkdirSync(options.out, {recursive: true});

  const results = await synthesizeAll(names, blocks, options);
  const facts = results.filter((result) => result.ok).map((result) => result.facts);
  const complete = facts.length === names.length;
  if (facts.length > 0) console.log(`\n${textTable(facts)}`);
  if (!options.netlist) fs.writeFileSync(path.join(options.out, 'synthesis.json'), JSON.stringify({blocks: facts}, null, 1) + '\n');
  return complete && judgePage(facts, options) ? 0 : 1;
}

runMain(main);
