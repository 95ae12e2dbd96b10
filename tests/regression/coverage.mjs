// Runs the block testbenches of a coverage build, merges what they reached, and reports it by block and by file.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {parse} from 'yaml';
import {parseArgs} from 'node:util';
import {programOf, readBlocks} from './blocks.mjs';
import {addRun, datFiles, linesOf, readPoints} from './coverage_data.mjs';
import {freshFolder, runAll, runProgram} from './jobs.mjs';
import {refuse, root, runMain, stamp, wholeNumber} from './options.mjs';
import {fileText, summaryText} from './coverage_text.mjs';

const {values: options} = parseArgs({options: {
  build: {type: 'string', default: path.join(root, 'build/coverage')}, out: {type: 'string'}, only: {type: 'string', default: ''},
  jobs: {type: 'string', default: String(os.cpus().length)}}});

/// The file as the report names it; null for what is no design: testbench tops.
function nameOf(file) {
  const generated = path.join(options.build, 'generated/');
  if (file.startsWith(generated)) return `generated/${file.slice(generated.length)}`;
  const name = path.relative(root, file);
  return name.startsWith('rtl/') ? name : null;
}

/// Generated code is apart; the rest goes by its folder, rtl/link -> link; rtl/tern.sv -> top.
function blockOf(file) {
  const parts = file.split('/');
  if (parts[0] === 'generated') return 'generated';
  return parts.length > 2 ? parts[1] : 'top';
}

function readExclusions() {
  const {exclude} = parse(fs.readFileSync(path.join(root, 'tests/regression/coverage_exclusions.yaml'), 'utf8'));
  for (const entry of exclude) {
    if (!entry.file || !entry.reason || (!entry.signal && !entry.text)) refuse(`coverage_exclusions.yaml: ${JSON.stringify(entry)} needs file, reason, and signal or text`);
    entry.used = 0;
  }
  return exclude;
}

const sourceOf = (file) => fs.readFileSync(file.startsWith('generated/') ? path.join(options.build, file) : path.join(root, file), 'utf8').split('\n');

/// Lines and bits of a file, split into covered, missed and excluded.
function judge(name, file, exclusions) {
  const source = sourceOf(name);
  const mine = exclusions.filter((entry) => new RegExp(entry.file).test(name));
  const excludedBy = (key, text) => mine.find((entry) => entry[key] && new RegExp(entry[key]).test(text));
  const count = (entries, key, textOf) => {
    const out = {covered: 0, total: 0, excluded: 0, missed: []};
    for (const [id, hit] of entries) {
      const excluded = hit ? undefined : excludedBy(key, textOf(id));
      if (excluded) {
        ++excluded.used;
        ++out.excluded;
        continue;
      }
      ++out.total;
      if (hit) ++out.covered;
      else out.missed.push(id);
    }
    return out;
  };
  const line = count(linesOf(file), 'text', (number) => source[number - 1] ?? '');
  line.missed = line.missed.sort((a, b) => a - b).map((number) => ({line: number, text: (source[number - 1] ?? '').trim()}));
  return {name, block: blockOf(name), line, toggle: count(file.bits, 'signal', (key) => key.slice(key.indexOf(':') + 1))};
}

/// One program and seed; its points go to a folder of its own.
async function runOne({test, seed, cases}, data) {
  const folder = path.join(data, `${test}-${seed}`);
  fs.mkdirSync(folder, {recursive: true});
  const env = {FIRSTLIGHT_SEED: String(seed), FIRSTLIGHT_COVERAGE_DIR: folder, ...(cases ? {FIRSTLIGHT_CASES: String(cases)} : {})};
  const run = await runProgram(programOf(options.build, test), ['--gtest_brief=1'], {cwd: root, env, timeoutMs: 1_800_000});
  const wrote = datFiles(folder).length;
  const ok = run.status === 0 && wrote > 0;
  return {ok, text: ok ? `${run.seconds.toFixed(0)} s` : `status ${run.status ?? run.signal}, ${wrote} coverage files\n${run.stdout.split('\n').slice(-15).join('\n')}${run.stderr}`};
}

async function mergeWithVerilator(out, files) {
  for (const args of [['--write', path.join(out, 'merged.dat')], ['--write-info', path.join(out, 'coverage.info')]]) {
    const run = await runProgram('verilator_coverage', [...args, ...files], {cwd: root});
    if (run.status !== 0) throw new Error(`verilator_coverage ended with ${run.status}: ${run.stderr}`);
  }
}

function sum(name, files) {
  const of = (kind) => files.reduce((all, file) => ({covered: all.covered + file[kind].covered, total: all.total + file[kind].total, excluded: all.excluded + file[kind].excluded}), {covered: 0, total: 0, excluded: 0});
  return {name, line: of('line'), toggle: of('toggle')};
}

async function main() {
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `coverage-${stamp()}`)));
  const data = path.join(out, 'data');
  const runs = readBlocks().filter(({test}) => new RegExp(options.only).test(test))
    .flatMap(({test, coverage_seeds, coverage_cases}) => Array.from({length: coverage_seeds}, (_, i) => ({test, seed: i + 1, cases: coverage_cases})));
  const outcome = await runAll(runs, {jobs: wholeNumber('jobs', options.jobs), name: ({test, seed}) => `${test} seed ${seed}`, work: (run) => runOne(run, data)});
  const dats = datFiles(data);
  if (dats.length === 0) throw new Error('no test wrote coverage: was it built with the preset coverage?');
  await mergeWithVerilator(out, dats);
  const files = new Map();
  for (const dat of dats) addRun(files, readPoints(dat), nameOf);
  const exclusions = readExclusions();
  const judged = [...files].map(([name, file]) => judge(name, file, exclusions)).sort((a, b) => a.name.localeCompare(b.name));
  const blocks = [...new Set(judged.map((file) => file.block))].sort().map((block) => sum(block, judged.filter((file) => file.block === block)));
  const total = sum('all that is written by hand', judged.filter((file) => file.block !== 'generated'));
  const unused = options.only ? [] : exclusions.filter((entry) => entry.used === 0);
  const report = {made: new Date().toISOString(), runs, blocks, total, exclusions: exclusions.map(({used, ...entry}) => ({...entry, points: used})), files: judged};
  fs.writeFileSync(path.join(out, 'coverage.json'), JSON.stringify(report, null, 1) + '\n');
  fs.writeFileSync(path.join(out, 'coverage.txt'), summaryText(report) + fileText(report));
  console.log(`\n${summaryText(report)}\nreport: ${path.join(out, 'coverage.txt')} (and coverage.json; coverage.info for genhtml; merged.dat)`);
  unused.forEach((entry) => console.error(`coverage_exclusions.yaml: ${JSON.stringify(entry)} matches nothing that was missed: remove it`));
  return outcome.every((one) => one.ok) && unused.length === 0 ? 0 : 1;
}

runMain(main);
