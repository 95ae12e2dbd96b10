// kill -9 at random moments of bring-up: whatever is on the disk then is a record that can be read and reported.
import fs from 'node:fs';
import path from 'node:path';
import {checkInputs, freshFolder, runAll, runProgram} from '../regression/jobs.mjs';
import {kBench, kSequence, readOptions, refuse, root, runMain, stamp, wholeNumber} from '../regression/options.mjs';
import {extensions, hasEnd, readLines} from '../regression/record.mjs';

const kHelp = `
Runs bring-up and kills it (SIGKILL) at random moments that are spread over the run.

  node tests/sequence/kill_test.mjs [options]
    --kills N            how many (default: 8)
    --seed N             of the moments, and the first run's (default: 1)
    --only N             only kill number N, to run one again
    --jobs N, --firstlight PATH, --out DIR    (default of --out: results/kills-<date>-<time>)
Exit status: 0 all as expected, 1 something is not, 2 bad input.`;

const options = readOptions({kills: {type: 'string', default: '8'}, only: {type: 'string'}}, kHelp);
options.kills = wholeNumber('kills', options.kills);
if (options.kills < 1) refuse('--kills takes at least 1');

/// Evenly spread in [0, 1), from a seed: the mixing function of SplitMix32.
function random(seed) {
  let z = (seed + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
}

const runArguments = (seed, results, name) => ['run', kSequence, '--bench', kBench, '--seed', String(seed), '--results', results, '--name', name, '--quiet'];

/// How many bytes a whole record has. Moments are told by the record's growth, so that they do not depend on how busy the machine is.
async function wholeRecord(results) {
  const run = await runProgram(options.firstlight, runArguments(options.seed, results, 'whole'), {cwd: root});
  if (run.status !== 0) throw new Error(`the healthy run ended with ${run.status ?? run.signal}; see ${results}/whole`);
  const end = fs.statSync(path.join(results, 'whole/events.jsonl')).size;
  console.log(`a whole run: ${end} bytes of record in ${run.seconds.toFixed(1)} s`);
  return end;
}

/// Kills the child once its record has `bytes`. Gives the timer's end.
function killAt(child, events, bytes) {
  const timer = setInterval(() => {
    if (fs.existsSync(events) && fs.statSync(events).size >= bytes) {
      clearInterval(timer);
      child.kill('SIGKILL');
    }
  }, 1);
  child.on('close', () => clearInterval(timer));
}

function recordProblems(folder, {lines, cut, problems}) {
  const found = [...problems];
  if (hasEnd(lines)) found.push('the record has an end, so this was no kill');
  if (!lines[0]?.schemaVersion) found.push('the record does not begin with the schema version');
  lines.forEach((line, i) => {
    if (line.sequenceNumber !== i + (lines[0].sequenceNumber ?? 0)) found.push(`line ${i + 1} has sequence number ${line.sequenceNumber}`);
  });
  const ledger = readLines(path.join(folder, 'ledger.jsonl'));
  found.push(...ledger.problems);
  const written = new Set(ledger.lines.filter((line) => line.event === 'energise').map((line) => line.entry));
  for (const {content} of extensions(lines, 'ledger'))
    if (content.event === 'energise' && !written.has(content.entry)) found.push(`${content.key} was energised before ledger.jsonl said how to undo it`);
  if (ledger.lines.some((line) => line.event === 'safe')) found.push('ledger.jsonl says that the bench is safe');
  return {found: found.slice(0, 10), cut};
}

async function reportProblems(folder) {
  const report = await runProgram(options.firstlight, ['report', folder], {cwd: root, timeoutMs: 60_000});
  if (report.status !== 0) return [`firstlight report ended with ${report.status ?? report.signal}: ${report.stderr.trim()}`];
  const problems = ['report.html', 'junit.xml', 'summary.json'].filter((file) => !fs.existsSync(path.join(folder, file))).map((file) => `the report made no ${file}`);
  if (problems.length > 0) return problems;
  const summary = JSON.parse(fs.readFileSync(path.join(folder, 'summary.json'), 'utf8'));
  const wanted = {verdict: 'error', complete: false, safe: false, exit_status: 3};
  for (const [key, value] of Object.entries(wanted)) if (summary[key] !== value) problems.push(`summary: ${key} is ${summary[key]}, expected ${value}`);
  if (summary.first_failure?.symptom !== 'run_incomplete') problems.push(`summary: symptom ${summary.first_failure?.symptom}, expected run_incomplete`);
  if (summary.first_failure?.class !== 'infrastructure') problems.push(`summary: class ${summary.first_failure?.class}, expected infrastructure`);
  return problems;
}

async function killOne({index, share, bytes}, results) {
  const name = `kill-${index}`;
  const folder = path.join(results, name);
  const events = path.join(folder, 'events.jsonl');
  const run = await runProgram(options.firstlight, runArguments(options.seed + index, results, name), {cwd: root, onStart: (child) => killAt(child, events, bytes)});
  const record = readLines(events);
  const {found, cut} = recordProblems(folder, record);
  if (run.signal !== 'SIGKILL') found.push(`the run ended by itself with ${run.status}`);
  found.push(...(await reportProblems(folder)));
  const again = `again: node tests/sequence/kill_test.mjs --kills ${options.kills} --seed ${options.seed} --only ${index}`;
  const where = `at ${(100 * share).toFixed(0)} %, ${record.lines.length} lines${cut ? ' and a cut one' : ''}`;
  return {ok: found.length === 0, problems: found, lines: record.lines.length, cut, text: found.length === 0 ? where : `${where}\n      ${[...found, again].join('\n      ')}`};
}

async function main() {
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `kills-${stamp()}`)));
  const results = path.join(out, 'runs');
  console.log(`${options.kills} kills, seed ${options.seed}, ${options.jobs} at once; records in ${out}`);
  await checkInputs(options.firstlight, root, kSequence, kBench);
  const bytes = await wholeRecord(results);
  // One in each slice of the run. The very end is left out, since a run that is shorter by a line would end before it is killed.
  const kills = Array.from({length: options.kills}, (_, index) => {
    const share = (0.98 * (index + random(options.seed * 65537 + index))) / options.kills;
    return {index, share, bytes: Math.max(1, Math.floor(share * bytes))};
  }).filter(({index}) => options.only === undefined || index === wholeNumber('only', options.only));
  const outcome = await runAll(kills, {jobs: options.jobs, name: ({index}) => `kill ${index}`, work: (kill) => killOne(kill, results)});
  const report = kills.map((kill, i) => ({...kill, ok: outcome[i].ok, problems: outcome[i].problems, lines: outcome[i].lines, cut: outcome[i].cut}));
  fs.writeFileSync(path.join(out, 'kills.json'), JSON.stringify({seed: options.seed, kills: report}, null, 1) + '\n');
  const bad = outcome.filter((one) => !one.ok).length;
  console.log(`${kills.length - bad} of ${kills.length} killed runs left a readable record`);
  return bad === 0 ? 0 : 1;
}

runMain(main);
