// The nightly regression: everything that is too long for each change. What runs is in nightly.yaml and blocks.yaml.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {parse} from 'yaml';
import {programOf, readBlocks} from './blocks.mjs';
import {freshFolder, runAll, runProgram} from './jobs.mjs';
import {indexPage} from './nightly_page.mjs';
import {readOptions, root, runMain, stamp} from './options.mjs';

const kHelp = `
Runs what nightly.yaml lists; scripts/nightly builds first.

  node tests/regression/nightly.mjs [options]
    --only REGEX         parts whose name matches
    --quick              a little of each part, to try the regression itself
    --seed N             first seed of everything (default: a new one each day)
    --build DIR          build folder of the block testbenches (default: build/release)
    --jobs N, --firstlight PATH, --out DIR    (default of --out: results/nightly-<date>-<time>)
Exit status: 0 all passed, 1 something failed.`;

const kDay = 86_400_000;
const kSeedsADay = 1000;
const today = String(Math.floor(Date.now() / kDay) * kSeedsADay);
const options = readOptions({only: {type: 'string', default: ''}, quick: {type: 'boolean', default: false}, seed: {type: 'string', default: today}, build: {type: 'string', default: path.join(root, 'build/release')}}, kHelp);

async function runBlock({test, seed, cases}, logs) {
  const program = programOf(options.build, test);
  const env = {FIRSTLIGHT_SEED: String(seed), ...(cases && !options.quick ? {FIRSTLIGHT_CASES: String(cases)} : {})};
  const again = `${Object.entries(env).map(([name, value]) => `${name}=${value}`).join(' ')} ${path.relative(root, program)}`;
  const go = (args) => runProgram(program, args, {cwd: root, env, timeoutMs: 1_800_000});
  const run = await go(['--gtest_brief=1']);
  if (run.status === 0) return {ok: true, text: `${run.seconds.toFixed(1)} s`, seconds: run.seconds};
  fs.writeFileSync(path.join(logs, `${test}-${seed}.log`), run.stdout + run.stderr);
  const failed = [...new Set([...run.stdout.matchAll(/^\[  FAILED  \] (\S+?)[, ]/gm)].map((match) => match[1]))];
  const filter = failed.length > 0 ? [`--gtest_filter=${failed.join(':')}`] : [];
  const second = await go([...filter, '--gtest_brief=1']);
  const repeats = second.status === 0 ? 'does NOT fail again with the same seed alone' : 'fails again with the same seed';
  return {ok: false, seconds: run.seconds, text: `${failed.join(' ') || `status ${run.status ?? run.signal}`}; ${repeats}\n      again: ${again} ${filter.join(' ')}`};
}

async function runBlocks(part, out) {
  const logs = freshFolder(path.join(out, part.name));
  const runs = readBlocks(path.join(root, part.list)).flatMap(({test, seeds, cases}) => Array.from({length: options.quick ? 1 : seeds}, (_, i) => ({test, seed: options.seed + i, cases})));
  const results = await runAll(runs, {jobs: options.jobs, name: ({test, seed}) => `${test} seed ${seed}`, work: (run) => runBlock(run, logs)});
  const failures = runs.flatMap(({test, seed}, i) => (results[i].ok ? [] : [`${test} seed ${seed}: ${results[i].text}`]));
  return {ok: failures.length === 0, what: `${runs.length - failures.length} of ${runs.length} runs passed`, failures};
}

/// Runs a program of ours with its output both here and in a log. The lines that begin with BAD are its failures.
function runLogged(command, args, log) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {cwd: root, stdio: ['ignore', 'pipe', 'pipe']});
    const file = fs.createWriteStream(log);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (data) => {
        text += data;
        file.write(data);
        process.stdout.write(data);
      });
    }
    child.on('error', reject);
    child.on('close', (status) => file.end(() => resolve({status, text})));
  });
}

/// What begins with BAD, with the indented lines that follow it.
function failuresIn(lines) {
  const failures = [];
  let inside = false;
  for (const line of lines) {
    const begins = /^(?:\[\d+\/\d+ [^\]]*\] )?BAD +(.*)/.exec(line);
    if (begins) failures.push(begins[1].trim());
    else if (inside && line.startsWith('      ')) failures.push(`${failures.pop()}\n${line}`);
    inside = begins !== null || (inside && line.startsWith('      '));
  }
  return failures;
}

async function runPart(part, out) {
  if (part.list) return runBlocks(part, out);
  const folder = path.join(out, part.name);
  const log = path.join(out, `${part.name}.log`);
  const args = part.script ? [...(part.arguments ?? []), '--out', folder] : [path.join(root, part.program), ...((options.quick && part.quick) || part.arguments), '--firstlight', options.firstlight, '--seed', String(options.seed), '--jobs', String(options.jobs), '--out', folder];
  const {status, text} = await runLogged(part.script ? path.join(root, part.script) : process.execPath, args, log);
  const lines = text.split('\n');
  const failures = failuresIn(lines);
  const said = lines.filter((line) => / of \d+ |the same \d+ lines|all that is written by hand/.test(line)).pop() ?? '';
  return {ok: status === 0, what: said.trim() || `status ${status}`, failures: status === 0 || failures.length > 0 ? failures : [`status ${status}: see ${path.basename(log)}`]};
}

async function main() {
  const {parts} = parse(fs.readFileSync(path.join(root, 'tests/regression/nightly.yaml'), 'utf8'));
  const wanted = parts.filter((part) => new RegExp(options.only).test(part.name) && !(options.quick && part.skip_when_quick));
  if (wanted.length === 0) throw new Error(`no part matches ${options.only}; there are ${parts.map((part) => part.name).join(', ')}`);
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `nightly-${stamp()}`)));
  const commit = (await runProgram('git', ['rev-parse', '--short', 'HEAD'], {cwd: root})).stdout.trim();
  const changed = (await runProgram('git', ['status', '--porcelain', '--untracked-files=no'], {cwd: root})).stdout !== '';
  const summary = {made: null, started: new Date().toISOString(), commit, changed, seed: options.seed, quick: options.quick, ok: false, parts: []};
  const write = () => {
    summary.made = new Date().toISOString();
    fs.writeFileSync(path.join(out, 'summary.json'), JSON.stringify(summary, null, 1) + '\n');
    fs.writeFileSync(path.join(out, 'index.html'), indexPage(summary, wanted));
  };
  for (const part of wanted) {
    console.log(`\n== ${part.title} (seed ${options.seed})`);
    const start = Date.now();
    let result;
    try {
      result = await runPart(part, out);
    } catch (error) {
      result = {ok: false, what: error.message, failures: [error.message]};
    }
    summary.parts.push({name: part.name, title: part.title, ...result, wall_time_s: (Date.now() - start) / 1000});
    write();
  }
  summary.ok = summary.parts.every((part) => part.ok);
  write();
  console.log('');
  for (const part of summary.parts) console.log(`${part.ok ? 'ok  ' : 'BAD '} ${part.name.padEnd(12)} ${part.wall_time_s.toFixed(0).padStart(6)} s  ${part.what}`);
  console.log(`${summary.ok ? 'all passed' : 'SOMETHING FAILED'}; ${path.join(out, 'index.html')}`);
  return summary.ok ? 0 : 1;
}

runMain(main);
