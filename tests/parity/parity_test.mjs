// Parity between two benches: equal when both are healthy, whatever their seeds; and the right difference when one has a fault.
import fs from 'node:fs';
import path from 'node:path';
import {freshFolder, runAll, runProgram} from '../regression/jobs.mjs';
import {kBench, kSequence, readOptions, refuse, root, runMain, stamp} from '../regression/options.mjs';
import {startModel} from '../desk/model.mjs';
import {faultOption, readTable} from '../fault/table.mjs';

const kHelp = `
Compares two runs of bring-up: both healthy, or one side with a fault. Side A is the model in process; side B is one too, or the model
behind sockets, serial lines and an agent.

  node tests/parity/parity_test.mjs [options]
    --desk               side B is lab/benches/desk.yaml, with a listening model behind it; each fault is then on side B and on side A
    --only REGEX         faults whose name matches; the comparison without one is called "healthy"
    --faults A,B,...     faults (default: all)
    --seed N             seed of side A; side B has the next one (default: 1)
    --jobs N             at once (default: the processors)
    --firstlight PATH    the program (default: build/release/bin/firstlight)
    --out DIR            where records go (default: results/parity-<date>-<time>)
Exit status: 0 all as expected, 1 something is not, 2 bad input.`;

const options = readOptions({desk: {type: 'boolean', default: false}, only: {type: 'string', default: ''}, faults: {type: 'string', default: ''}}, kHelp);
const run = (args) => runProgram(options.firstlight, args, {cwd: root, timeoutMs: 400_000});
const say = (done) => `exit status ${done.status ?? done.signal}: ${(done.stderr.trim() || done.stdout.trim()).slice(0, 400)}`;

/** Runs `work` with the words that name side B, which may be a model that is started for it. */
async function withSideB(faults, seed, work) {
  if (!options.desk) return work(['--bench', kBench], faults.map((fault) => ['--fault', `B:${fault}`]).flat());
  const model = await startModel(options.firstlight, {seed, faults});
  try {
    return await work(model.benchWords, []);
  } finally {
    await model.stop();
  }
}

async function record(out, name, seed, bench) {
  const done = await run(['run', kSequence, ...bench, '--seed', String(seed), '--results', out, '--name', name, '--quiet']);
  if (!fs.existsSync(path.join(out, name, 'events.jsonl'))) throw new Error(say(done));
}

async function healthy(out) {
  await record(out, 'healthy-a', options.seed, ['--bench', kBench]);
  await withSideB([], options.seed + 1, (bench) => record(out, 'healthy-b', options.seed + 1, bench));
  const done = await run(['parity', 'healthy-a', 'healthy-b', '--results', out, '--json']);
  if (done.status !== 0) return {ok: false, text: say(done)};
  const told = JSON.parse(done.stdout);
  const far = told.distances[0];
  const compared = told.steps > 50 && told.measurements > 50;
  return {ok: told.equal && compared, text: `${told.steps} steps, ${told.measurements} measurements, ${told.checks} checks; farthest apart ${far.step}: ${(100 * far.share).toFixed(1)} %`};
}

/** Both runs are made by `parity` itself; what differs first must be the step that the fault matrix names. */
async function withFault(row, side, out) {
  const onDesk = side === 'b' ? [faultOption(row)] : [];
  const inProcess = side === 'a' ? ['--fault', `A:${faultOption(row)}`] : [];
  const done = await withSideB(onDesk, options.seed, (bench, faults) =>
    run(['parity', kSequence, '--bench', kBench, ...bench.map((word) => word.replace(/^(?=\w+=)/, 'B:')), ...inProcess, ...faults, '--seed', String(options.seed), '--results', out, '--name', `${row.fault}-on-${side}`, '--json']));
  if (done.status !== 1) return {ok: false, text: say(done)};
  const told = JSON.parse(done.stdout);
  const problems = [];
  const first = told.differences.find((one) => one.kind === 'verdict');
  if (!first) problems.push('no step differs');
  else {
    if (first.step.split('/')[1] !== row.step) problems.push(`first differs ${first.step}, expected ${row.step}`);
    if (!first.note.includes(row.symptom)) problems.push(`says "${first.note}", expected ${row.symptom}`);
    if (!first.note.includes(row.part)) problems.push(`does not blame ${row.part}: "${first.note}"`);
    const healthySide = side === 'a' ? first.b : first.a;
    if (healthySide !== 'pass' && healthySide !== 'marginal') problems.push(`the healthy side is ${healthySide}`);
  }
  if (told.differences.length > 12) problems.push(`${told.differences.length} differences are no short table`);
  return {ok: problems.length === 0, text: problems.join('; ') || `${first.step}: ${first.note.slice(0, 80)}`};
}

/** A bench that lacks what the sequence needs: told by name, and nothing is run. */
async function lacking(out) {
  const text = fs.readFileSync(path.join(root, kBench), 'utf8').split('\n').filter((line) => !/^ {2}tern: |tern\./.test(line) && !/watch: die/.test(line)).join('\n');
  const bench = path.join(out, 'lacking.yaml');
  fs.writeFileSync(bench, text);
  const done = await run(['parity', kSequence, '--bench', kBench, '--bench', bench, '--results', out, '--name', 'lacking']);
  const told = done.stdout + done.stderr;
  const problems = [];
  if (done.status !== 1) problems.push(say(done));
  for (const capability of ['dma', 'thermal', 'links']) if (!told.includes(`does not offer \`${capability}\``)) problems.push(`${capability} is not named`);
  if (fs.existsSync(path.join(out, 'lacking-a'))) problems.push('side A was run all the same');
  return {ok: problems.length === 0, text: problems.join('; ') || 'the missing capabilities are named'};
}

async function main() {
  const listed = options.faults === '' ? null : options.faults.split(',');
  // Parity is of bring-up.
  const table = readTable().filter((row) => !row.sequence);
  const unknown = (listed ?? []).filter((name) => !table.some((row) => row.fault === name));
  if (unknown.length > 0) refuse(`no fault is named ${unknown.join(', ')}`);
  const wanted = new RegExp(options.only);
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `parity-${stamp()}`)));
  const jobs = table.filter((row) => wanted.test(row.fault) && (!listed || listed.includes(row.fault)))
    .flatMap((row) => (options.desk ? ['b', 'a'] : ['b']).map((side) => ({name: `${faultOption(row)} on side ${side.toUpperCase()}`, work: () => withFault(row, side, out)})));
  if (wanted.test('healthy')) jobs.push({name: 'healthy', work: () => healthy(out)});
  if (!options.desk && wanted.test('lacking')) jobs.push({name: 'lacking', work: () => lacking(out)});
  if (jobs.length === 0) refuse(`nothing matches ${options.only}`);
  console.log(`${jobs.length} comparisons, seed ${options.seed}, ${options.jobs} at once; records in ${out}`);
  const results = await runAll(jobs, {jobs: options.jobs, name: (job) => job.name, work: (job) => job.work()});
  const good = results.filter((result) => result.ok).length;
  console.log(`${good} of ${jobs.length} as expected`);
  return good === jobs.length ? 0 : 1;
}

runMain(main);
