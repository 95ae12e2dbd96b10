// Runs every command that the guides show: `firstlight` commands for real, scripts by their --help, which must know each option shown.
// A block whose fence names a file (```yaml first.yaml) is that file for the commands of its guide; a command with "# exit status N"
// beside it must end so; a model that listens stays there until the guide is over.
//
//   node tests/docs/commands_test.mjs --firstlight build/release/bin/firstlight
import {spawn, spawnSync} from 'node:child_process';
import {accessSync, chmodSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const firstlight = process.argv[process.argv.indexOf('--firstlight') + 1];
const results = mkdtempSync(join(tmpdir(), 'firstlight-docs-'));
const guides = ['README.md', ...readdirSync('docs').filter((f) => f.endsWith('.md')).map((f) => `docs/${f}`)];

/** Words in capitals stand for something; this is what. */
const placeholders = {RUN: join(results, 'a-run'), SEQUENCE: 'lab/sequences/power.yaml', BENCH: 'lab/benches/model.yaml', FILE: 'lab/benches/model.yaml', VERB: 'rail.on', NAME: 'lane_dead', N: '7', DIR: results, WHAT: 'steps'};

/** Commands in code blocks and in code spans, with where they stand. */
function commandsOf(file) {
  const found = [];
  let fenced = false;
  readFileSync(file, 'utf8').split('\n').forEach((line, index) => {
    const where = `${file}:${index + 1}`;
    if (line.startsWith('```')) { fenced = !fenced; return; }
    const spans = fenced || /^ {4}\S/.test(line) ? [line.trim()] : [...line.matchAll(/`([^`]+)`/g)].map((m) => m[1]);
    for (const span of spans) {
      const text = span.replace(/^\$ /, '').replace(/^(\.\/)?build\/release\/bin\//, '');
      if (/^(firstlight|scripts\/\w+)( |$)/.test(text)) found.push({where, text});
    }
  });
  return found;
}

/** Writes the files that a guide shows; their paths by name. */
function filesOf(guide) {
  const folder = join(results, guide.replaceAll('/', '_'));
  const files = {};
  for (const [, name, text] of readFileSync(guide, 'utf8').matchAll(/^```\w+ (\S+)\n(.*?)^```/gms)) {
    mkdirSync(folder, {recursive: true});
    files[name] = join(folder, name);
    writeFileSync(files[name], text);
    if (text.startsWith('#!')) chmodSync(files[name], 0o755);
  }
  return files;
}

/** Starts a model that listens, and waits until it does. */
function startModel(args) {
  const folder = args[args.indexOf('--listen') + 1];
  rmSync(folder, {recursive: true, force: true});
  const child = spawn(firstlight, args, {stdio: 'ignore'});
  for (let i = 0; i < 300 && !existsSync(join(folder, 'endpoints.json')); ++i) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  const ok = existsSync(join(folder, 'endpoints.json'));
  if (ok) listening.push(child);
  return {ok, told: `nothing listens at ${folder} after 30 s`};
}

/** Their ports are free when they are gone; node learns of that only later. */
function stopModels() {
  for (const child of listening.splice(0)) {
    child.kill('SIGTERM');
    spawnSync('sh', ['-c', `while [ -d /proc/${child.pid} ] && ! grep -q "^State:.Z" /proc/${child.pid}/status; do sleep 0.05; done`], {timeout: 20000});
  }
}

function words(text) {
  // What follows two spaces is a comment beside the command.
  return [...text.split(/ {2,}|\s#/)[0].matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3]);
}

function runFirstlight(args, status) {
  if (args.includes('RUN') && !['parity', 'replay', 'report'].includes(args[0])) return {skip: 'needs a run; the sequence tests cover it'};
  // A bare command name is spoken of, not shown with what it takes.
  const filled = args.length === 1 && !args[0].startsWith('-') ? [args[0], '--help'] : args.map((a) => placeholders[a] ?? a);
  if (filled.some((a) => /^[A-Z]{2,}$|\.\.\.|\[|\|/.test(a))) return {skip: 'is a pattern, not a command'};
  if (['run', 'parity'].includes(filled[0]) && !filled.includes('--results')) filled.push('--results', results);
  if (filled[0] === 'model' && filled.includes('--listen')) return startModel(filled);
  const done = spawnSync(firstlight, filled, {encoding: 'utf8', timeout: 120000});
  // A command that puts a fault in is meant to fail, and must not fail for another reason.
  const expected = status !== undefined ? [status] : filled.includes('--fault') || filled.includes('-f') ? [1, 3, 4] : [0];
  return {ok: expected.includes(done.status), told: `exit status ${done.status}, expected ${expected.join(' or ')}\n${(done.stdout + done.stderr).slice(-1500)}`};
}

function checkScript(script, args) {
  try { accessSync(script, constants.X_OK); } catch { return {ok: false, told: 'no such script, or not executable'}; }
  const help = spawnSync(script, ['--help'], {encoding: 'utf8', timeout: 60000});
  if (help.status !== 0 || !help.stdout.trim()) return {ok: false, told: `--help ends with ${help.status}: ${help.stdout}${help.stderr}`};
  // Options of `firstlight run` go through scripts/bringup.
  const known = script === 'scripts/bringup' ? help.stdout + spawnSync(firstlight, ['run', '--help'], {encoding: 'utf8'}).stdout : help.stdout;
  const missing = args.filter((a) => a.startsWith('--') && !known.includes(a.split('=')[0]));
  return {ok: missing.length === 0, told: `--help does not know ${missing.join(', ')}`};
}

const aRun = spawnSync(firstlight, ['run', placeholders.SEQUENCE, '--bench', placeholders.BENCH, '--results', results, '--name', 'a-run', '--quiet'], {encoding: 'utf8', timeout: 120000});
if (aRun.status !== 0) {
  console.error(`the run that stands for RUN ended with ${aRun.status}: ${aRun.stdout}${aRun.stderr}`);
  process.exit(1);
}

let passed = 0;
let failed = 0;
let skipped = 0;
const listening = [];
const seen = new Map();
for (const guide of guides) {
  const files = filesOf(guide);
  for (const {where, text} of commandsOf(guide)) {
    const [program, ...args] = words(text).map((word) => files[word] ?? word);
    const key = [program, ...args].join(' ');
    const status = text.match(/# exit status (\d+)/)?.[1];
    if (!seen.has(key) || args.includes('--listen')) seen.set(key, args.length === 0 && program === 'firstlight' ? {skip: 'only names it'} : program === 'firstlight' ? runFirstlight(args, status && Number(status)) : checkScript(program, args));
    const outcome = seen.get(key);
    if (outcome.skip) { skipped += 1; continue; }
    if (outcome.ok) { passed += 1; continue; }
    failed += 1;
    console.error(`${where}: ${key}\n  ${outcome.told}`);
  }
  stopModels();
}
rmSync(results, {recursive: true, force: true});
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
