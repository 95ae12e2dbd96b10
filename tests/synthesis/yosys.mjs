// Yosys with the slang front end, which npm brings along as WebAssembly.
import fs from 'node:fs';
import path from 'node:path';
import {runYosys} from './yowasp.mjs';

/// The content of the files by their names: Yosys sees one flat virtual folder, so two files of one name would hide each other.
export function virtualFolder(files) {
  const folder = {};
  for (const file of files) {
    const name = path.basename(file);
    if (name in folder) throw new Error(`two files are called ${name}`);
    folder[name] = fs.readFileSync(file, 'utf8');
  }
  return folder;
}

/// Reads a design. `parameters` ("NAME=VALUE") are those of the top; of the modules in `closed` only the ports are read.
export function readSlang(top, folder, parameters = [], closed = []) {
  const options = [...parameters.map((parameter) => `-G ${parameter}`), ...closed.map((module) => `--blackboxed-module ${module}`)];
  return ['read_slang --threads 1 --top', top, ...options, ...Object.keys(folder)].join(' ');
}

/// What a failed run said that matters: its errors, and of slang also the lines of source below them.
function complaints(log) {
  const lines = log.split('\n').filter((line) => !/^ABC:/.test(line));
  const picked = lines.filter((line, i) => /error|warning: /i.test(line) || (i > 0 && /: error:/.test(lines[i - 1])));
  return (picked.length > 0 ? picked : lines.slice(-20)).join('\n');
}

/// Where a run was that ended as none should: its last pass and its last lines.
function lastWords(log) {
  const lines = log.split('\n').filter((line) => line.trim() !== '').map((line) => line.slice(0, 160));
  const pass = lines.findLast((line) => /^[\d.]+\. Executing /.test(line));
  return [pass === undefined ? 'before its first pass' : `in or after the pass "${pass}"`, ...lines.slice(-10)].join('\n  ');
}

/// Runs commands on a virtual folder. Gives the log and the files that the commands wrote. Throws what Yosys complained of. `run` is for tests.
export async function yosys(commands, folder, {run = runYosys} = {}) {
  const decoder = new TextDecoder();
  let log = '';
  const say = (bytes) => {
    if (bytes !== null) log += decoder.decode(bytes, {stream: true});
  };
  const plain = () => log.replace(/\x1b\[[0-9;]*m/g, '');
  let files;
  try {
    files = (await run(['-p', commands.join('; ')], folder, {stdout: say, stderr: say, fetchProgress: () => {}})) ?? {};
  } catch (error) {
    if (error.code === undefined) throw new Error(`Yosys died (${error.message}) ${lastWords(plain())}`);
    throw new Error(complaints(plain()).trim());
  }
  if (!/^End of script\./m.test(plain())) throw new Error(`Yosys ended without a word, ${lastWords(plain())}`);
  return {log: plain(), files};
}
