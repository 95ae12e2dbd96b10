// Runs every command that the guides show: `firstlight` commands for real, scripts by their --help, which must know each option shown.
//
//   node tests/docs/commands_test.mjs --firstlight build/release/bin/firstlight
import {spawnSync} from 'node:child_process';
import {accessSync, constants, mkdtempSync, readFileSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const firstlight = process.argv[process.argv.indexOf('--firstlight') + 1];
const results = mkdtempSync(join(tmpdir(), 'firstlight-docs-'));
const guides = ['README.md', ...readdirSync('docs').filter((f) => f.endsWith('.md')).map((f) => `docs/${f}`)];

/** Words in capitals stand for something; this is what. */
const placeholders = {SEQUENCE: 'lab/sequences/power.yaml', BENCH: 'lab/benches/model.yaml', FILE: 'lab/benches/model.yaml', VERB: 'rail.on', NAME: 'lane_dead', N: '7', DIR: results, WHAT: 'steps'};

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

function words(text) {
  // What follows two spaces is a comment beside the command.
  return [...text.split(/ {2,}|\s#/)[0].matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3]);
}

function runFirstlight(args) {
  if (args.includes('RUN')) return {skip: 'needs a run; the sequence tests cover it'};
  // A bare command name is spoken of, not shown with what it takes.
  const filled = args.length === 1 && !args[0].startsWith('-') ? [args[0], '--help'] : args.map((a) => placeholders[a] ?? a);
  if (filled.some((a) => /^[A-Z]{2,}$|\.\.\.|\[|\|/.test(a))) return {skip: 'is a pattern, not a command'};
  if (filled[0] === 'run' && !filled.includes('--results')) filled.push('--results', results);
  const done = spawnSync(firstlight, filled, {encoding: 'utf8', timeout: 120000});
  // A command that puts a fault in is meant to fail, and must not fail for another reason.
  const expected = filled.includes('--fault') || filled.includes('-f') ? [1, 3, 4] : [0];
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

let passed = 0;
let failed = 0;
let skipped = 0;
const seen = new Map();
for (const guide of guides) {
  for (const {where, text} of commandsOf(guide)) {
    const [program, ...args] = words(text);
    const key = [program, ...args].join(' ');
    if (!seen.has(key)) seen.set(key, args.length === 0 && program === 'firstlight' ? {skip: 'only names it'} : program === 'firstlight' ? runFirstlight(args) : checkScript(program, args));
    const outcome = seen.get(key);
    if (outcome.skip) { skipped += 1; continue; }
    if (outcome.ok) { passed += 1; continue; }
    failed += 1;
    console.error(`${where}: ${key}\n  ${outcome.told}`);
  }
}
rmSync(results, {recursive: true, force: true});
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
