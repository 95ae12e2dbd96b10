// Records runs and replays them: a healthy one must agree to its end, and one that had a fault must differ from a healthy model first where
// the fault is to be seen.
import fs from 'node:fs';
import path from 'node:path';
import {freshFolder, runAll, runProgram} from '../regression/jobs.mjs';
import {kBench, kSequence, readOptions, refuse, root, runMain, stamp, wholeNumber} from '../regression/options.mjs';
import {faultOption, readTable} from '../fault/table.mjs';
import {readSightings} from './sightings.mjs';

const kHelp = `
Records bring-up with each fault and replays it on a healthy model; records healthy ones and replays them with their seed and with another.

  node tests/replay/replay_test.mjs [options]
    --only REGEX         faults whose name matches; the healthy runs are called "healthy"
    --subset ci|all      ci: those that tests/replay/sightings.yaml marks (default: all)
    --healthy N          so many healthy seeds (default: 1)
    --seed N             seed of the runs (default: 1)
    --jobs N             at once (default: the processors)
    --firstlight PATH    the program (default: build/release/bin/firstlight)
    --out DIR            where records go (default: results/replay-<date>-<time>)
Exit status: 0 all as expected, 1 something is not, 2 bad input.`;

const options = readOptions({only: {type: 'string', default: ''}, subset: {type: 'string', default: 'all'}, healthy: {type: 'string', default: '1'}}, kHelp);
options.healthy = wholeNumber('healthy', options.healthy);
if (!['ci', 'all'].includes(options.subset)) refuse(`--subset takes ci or all, not "${options.subset}"`);

const run = (args) => runProgram(options.firstlight, args, {cwd: root, timeoutMs: 400_000});

async function record(runs, name, seed, fault) {
  const args = ['run', kSequence, '--bench', kBench, '--seed', String(seed), '--results', runs, '--name', name, '--quiet'];
  return run(fault ? [...args, '--fault', fault] : args);
}

async function replay(runs, name, more) {
  const done = await run(['replay', name, '--results', runs, '--bench', kBench, '--json', ...more]);
  let told = null;
  try {
    told = JSON.parse(done.stdout);
  } catch { /* the caller says what came instead */ }
  return {...done, told};
}

const say = (done) => `exit status ${done.status ?? done.signal}: ${(done.stderr.trim() || done.stdout.trim()).slice(0, 400)}`;

/** An FST that has something in it: its header, of 330 bytes, says when it begins and ends. */
function wavesProblems(file, told) {
  if (!file || !fs.existsSync(file)) return ['no waves'];
  const bytes = fs.readFileSync(file);
  const problems = [];
  if (bytes[0] !== 0 || bytes.length < 1000) problems.push(`${path.basename(file)} is no FST`);
  const begin = Number(bytes.readBigUInt64BE(9)) / 1e12;
  const end = Number(bytes.readBigUInt64BE(17)) / 1e12;
  if (!(begin < told.difference.began_t)) problems.push(`the waves begin at ${begin} s, and the difference is at ${told.difference.began_t} s`);
  if (!(end > told.difference.began_t)) problems.push(`the waves end at ${end} s, and the difference is at ${told.difference.began_t} s`);
  if (bytes.length > 20e6) problems.push(`${bytes.length} bytes of waves`);
  return problems;
}

/** Steps in the order in which they began. */
function stepsOf(folder) {
  return fs.readFileSync(path.join(folder, 'events.jsonl'), 'utf8').split('\n').filter((line) => line.includes('"firstlight.step"'))
    .map((line) => JSON.parse(line).testStepArtifact.testStepId);
}

/** The difference is one that the table names, and not seen later than bring-up itself saw the fault. */
function faultProblems(row, told, folder) {
  if (!told?.difference) return ['no difference: the fault was not seen'];
  const {resource, access, by, deviations} = told.difference;
  const problems = [];
  const seen = `${resource}: ${access}: ${deviations.map((one) => one.part).join(', ')}`;
  if (!new RegExp(row.sighting).test(seen)) problems.push(`first difference in "${seen}", expected /${row.sighting}/`);
  const steps = stepsOf(folder);
  const first = JSON.parse(fs.readFileSync(path.join(folder, 'summary.json'), 'utf8')).first_failure?.step;
  if (steps.includes(by) && steps.includes(first) && steps.indexOf(by) > steps.indexOf(first)) problems.push(`seen in ${by}, after ${first} failed`);
  return problems;
}

async function withFault(row, runs) {
  const recorded = await record(runs, row.fault, options.seed, faultOption(row));
  if (!fs.existsSync(path.join(runs, row.fault, 'bus.jsonl'))) return {ok: false, text: `no trace; ${say(recorded)}`};
  const done = await replay(runs, row.fault, row.waves ? ['--waves'] : []);
  if (done.status !== 1) return {ok: false, text: `replay: ${say(done)}`};
  const problems = faultProblems(row, done.told, path.join(runs, row.fault));
  if (row.waves) problems.push(...wavesProblems(done.told?.waves, done.told));
  const {by, access} = done.told?.difference ?? {};
  return {ok: problems.length === 0, text: problems.length === 0 ? `${by}: ${access}` : problems.join('; ')};
}

async function healthy(seed, runs) {
  const name = `healthy-${seed}`;
  const recorded = await record(runs, name, seed);
  if (recorded.status !== 0) return {ok: false, text: say(recorded)};
  const same = await replay(runs, name, []);
  if (same.status !== 0 || same.told.exact !== same.told.transactions) return {ok: false, text: `with its seed: ${say(same)}`};
  const other = await replay(runs, name, ['--seed', String(seed + 1000)]);
  if (other.status !== 0) return {ok: false, text: `with seed ${seed + 1000}: ${say(other)}`};
  return {ok: true, text: `${same.told.transactions} transactions, each exact; with another seed ${other.told.within_tolerance} within tolerance, ${other.told.polled} polled, ${other.told.ignored} ignored`};
}

async function main() {
  const sightings = readSightings();
  // Replays are of bring-up.
  const table = readTable().filter((row) => !row.sequence);
  const strange = [...sightings.keys()].filter((fault) => !table.some((row) => row.fault === fault));
  const unknown = table.filter((row) => !sightings.has(row.fault)).map((row) => row.fault);
  if (strange.length > 0 || unknown.length > 0) refuse(`tests/replay/sightings.yaml and tests/fault/matrix.yaml name other faults: ${[...strange, ...unknown].join(', ')}`);
  const wanted = new RegExp(options.only);
  const rows = table.map((row) => ({...row, ...sightings.get(row.fault)})).filter((row) => wanted.test(row.fault) && (options.subset === 'all' || row.replay_ci));
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `replay-${stamp()}`)));
  const jobs = rows.map((row) => ({name: faultOption(row), work: () => withFault(row, out)}));
  if (wanted.test('healthy')) for (let i = 0; i < options.healthy; ++i) jobs.push({name: `healthy, seed ${options.seed + i}`, work: () => healthy(options.seed + i, out)});
  if (jobs.length === 0) refuse(`nothing matches ${options.only}`);
  console.log(`${jobs.length} replays, seed ${options.seed}, ${options.jobs} at once; records in ${out}`);
  const results = await runAll(jobs, {jobs: options.jobs, name: (job) => job.name, work: (job) => job.work()});
  const good = results.filter((result) => result.ok).length;
  console.log(`${good} of ${jobs.length} as expected`);
  return good === jobs.length ? 0 : 1;
}

runMain(main);
