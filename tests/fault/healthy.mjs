// Runs bring-up on the healthy model: no seed may raise a false alarm, and one seed leaves the same record twice.
import fs from 'node:fs';
import path from 'node:path';
import {checkInputs, freshFolder, runAll, runProgram} from '../regression/jobs.mjs';
import {kBench, kSequence, readOptions, refuse, root, runMain, stamp, wholeNumber} from '../regression/options.mjs';
import {extensions, firstDifference, hasEnd, only, readLines, safetyProblems} from '../regression/record.mjs';

const kHelp = `
Runs the healthy bring-up with several seeds (none may raise an alarm), then repeats the first seed, and a noisy fault: both records must be
the same but for timestamp and wall_*.

  node tests/fault/healthy.mjs [options]
    --seeds N            how many, from --seed on (default: 2)
    --seed N             the first (default: 1)
    --repeat-fault F     also repeated, as its noise must come from the seed too (default: ber=1e-6)
    --jobs N, --firstlight PATH, --out DIR    as fault_matrix.mjs (default of --out: results/healthy-<date>-<time>)
Exit status: 0 all as expected, 1 something is not, 2 bad input.`;

const options = readOptions({seeds: {type: 'string', default: '2'}, 'repeat-fault': {type: 'string', default: 'ber=1e-6'}}, kHelp);
options.seeds = wholeNumber('seeds', options.seeds);
if (options.seeds < 1) refuse('--seeds takes at least 1');

function healthProblems(run, folder) {
  if (run.timedOut) return ['ran too long and was killed'];
  if (!fs.existsSync(path.join(folder, 'events.jsonl'))) return [`no record; status ${run.status ?? run.signal}: ${run.stderr.trim().slice(0, 300)}`];
  const {lines, cut, problems} = readLines(path.join(folder, 'events.jsonl'));
  const end = only(lines, 'run_end');
  if (cut || !hasEnd(lines) || !end) return [...problems, 'the record has no end'];
  const first = end.first_failure;
  if (end.verdict !== 'pass' || run.status !== 0 || end.exit_status !== 0)
    problems.push(`verdict ${end.verdict}, exit status ${run.status}${first ? `: ${first.id}: ${first.message}` : ''}`);
  for (const {step, content} of extensions(lines, 'step_end'))
    if (!['pass', 'skip'].includes(content.verdict)) problems.push(`${step} is ${content.verdict}`);
  for (const {content} of extensions(lines, 'interlock'))
    // `unreadable` is no alarm: the trip test takes the sensors' rails away for a moment, which an interlock bridges.
    if (['warned', 'suspended', 'tripped'].includes(content.event)) problems.push(`interlock ${content.name} ${content.event}`);
  return [...problems, ...safetyProblems(folder, lines)];
}

/// One run each; `healthy` ones are judged, the others only recorded.
function plan() {
  const runs = [];
  for (let i = 0; i < options.seeds; ++i) runs.push({name: `seed-${options.seed + i}`, seed: options.seed + i, healthy: true});
  runs.push({name: `seed-${options.seed}-again`, seed: options.seed, healthy: true});
  const fault = options['repeat-fault'];
  if (fault) for (const name of ['fault', 'fault-again']) runs.push({name, seed: options.seed, fault});
  return runs;
}

async function runOne({name, seed, healthy, fault}, results) {
  const more = fault ? ['--fault', fault] : [];
  const run = await runProgram(options.firstlight, ['run', kSequence, '--bench', kBench, ...more, '--seed', String(seed), '--results', results, '--name', name, '--quiet'], {cwd: root, timeoutMs: 400_000});
  const problems = healthy ? healthProblems(run, path.join(results, name)) : run.status === 1 ? [] : [`exit status ${run.status}, expected 1: ${run.stderr}`];
  const again = `again: firstlight run ${kSequence} --bench ${kBench} ${more.join(' ')} --seed ${seed}`;
  return {ok: problems.length === 0, problems, seconds: run.seconds, text: problems.length === 0 ? `${run.seconds.toFixed(1)} s` : `\n      ${[...problems, again].join('\n      ')}`};
}

/// Compares two records; prints, and says whether they are the same.
function same(results, first, second) {
  const missing = [first, second].filter((name) => !fs.existsSync(path.join(results, name, 'events.jsonl')));
  if (missing.length > 0) {
    console.log(`BAD  ${missing.join(' and ')} left no record to compare`);
    return false;
  }
  const [a, b] = [first, second].map((name) => readLines(path.join(results, name, 'events.jsonl')).lines);
  const difference = firstDifference(a, b);
  console.log(difference ? `BAD  ${first} and ${second} have one seed and not one record: ${difference}` : `ok   ${first} and ${second}: the same ${a.length} lines`);
  return difference === null;
}

async function main() {
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `healthy-${stamp()}`)));
  const results = path.join(out, 'runs');
  const runs = plan();
  await checkInputs(options.firstlight, root, kSequence, kBench);
  console.log(`${options.seeds} seeds from ${options.seed}, ${options.jobs} at once; records in ${out}`);
  const outcome = await runAll(runs, {jobs: options.jobs, name: (run) => run.name, work: (run) => runOne(run, results)});
  const pairs = [[`seed-${options.seed}`, `seed-${options.seed}-again`], ...(options['repeat-fault'] ? [['fault', 'fault-again']] : [])];
  const repeats = pairs.map(([a, b]) => same(results, a, b));
  const report = {seeds: options.seeds, first_seed: options.seed, runs: runs.map((run, i) => ({...run, ok: outcome[i].ok, problems: outcome[i].problems, wall_time_s: outcome[i].seconds})),
    repeats: pairs.map((pair, i) => ({runs: pair, same: repeats[i]}))};
  fs.writeFileSync(path.join(out, 'healthy.json'), JSON.stringify(report, null, 1) + '\n');
  return outcome.every((one) => one.ok) && repeats.every((one) => one) ? 0 : 1;
}

runMain(main);
