// What the regression programs have in common on their command lines.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const kSequence = 'lab/sequences/bringup.yaml';
export const kBench = 'lab/benches/model.yaml';

/// Date and time as part of a folder's name.
export function stamp(date = new Date()) {
  const two = (n) => String(n).padStart(2, '0');
  return `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}

const common = {
  firstlight: {type: 'string', default: path.join(root, 'build/release/bin/firstlight')},
  jobs: {type: 'string', default: String(os.cpus().length)},
  out: {type: 'string'},
  seed: {type: 'string', default: '1'},
  help: {type: 'boolean', short: 'h', default: false},
};

/// The options of a program; ends it with its help, or with what is wrong and status 2.
export function readOptions(more, help) {
  let values;
  try {
    ({values} = parseArgs({options: {...common, ...more}, allowPositionals: false}));
  } catch (error) {
    refuse(error.message);
  }
  if (values.help) {
    console.log(help.trim());
    process.exit(0);
  }
  for (const name of ['jobs', 'seed']) values[name] = wholeNumber(name, values[name]);
  if (values.jobs < 1) refuse('--jobs takes at least 1');
  values.firstlight = path.resolve(values.firstlight);
  if (!fs.existsSync(values.firstlight)) refuse(`${values.firstlight} is not there: build it (cmake --preset release && cmake --build --preset release), or give --firstlight PATH`);
  return values;
}

export function wholeNumber(name, text) {
  if (!/^\d+$/.test(text)) refuse(`--${name} takes a whole number, not "${text}"`);
  return Number(text);
}

export function refuse(message) {
  console.error(`${path.basename(process.argv[1])}: ${message}`);
  process.exit(2);
}

/// Runs a program's main to its exit status. An error that we throw on purpose is one line; a mistake of the program shows its stack.
export function runMain(main) {
  main().then(
    (status) => (process.exitCode = status),
    (error) => refuse(error.constructor === Error ? error.message : error.stack),
  );
}
