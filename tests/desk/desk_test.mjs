// A sequence on the model behind sockets, serial lines and an agent, against the same sequence on the model in process.
import path from 'node:path';
import {checkInputs, freshFolder, runProgram} from '../regression/jobs.mjs';
import {kBench, readOptions, root, runMain, stamp} from '../regression/options.mjs';
import {extensions, hasEnd, readLines, safetyProblems} from '../regression/record.mjs';
import {kDesk, startModel, witnessProblems} from './model.mjs';

const kHelp = `
Runs a sequence on lab/benches/desk.yaml, with a listening model behind it, and on lab/benches/model.yaml: every step must have the same
verdict. Looks at what the model's witness saw at the pins, and at what the model costs while its chip is off.

  node tests/desk/desk_test.mjs [options]
    --sequence FILE      (default: lab/sequences/power.yaml)
    --fault F            both sides have it
    --expect VERDICT     of the run (default: pass)
    --time-scale N       of the chip's clocks (default: 5000)
    --seed N, --firstlight PATH, --out DIR    (default of --out: results/desk-<date>-<time>)
Exit status: 0 all as expected, 1 something is not, 2 bad input.`;

const options = readOptions({sequence: {type: 'string', default: 'lab/sequences/power.yaml'}, fault: {type: 'string'}, expect: {type: 'string', default: 'pass'}, 'time-scale': {type: 'string', default: '5000'}}, kHelp);

const kIdleShare = 0.1;  // of a core
const kIdleSeconds = 2;

async function idleProblems(model) {
  const before = model.cpuSeconds();
  await new Promise((resolve) => setTimeout(resolve, kIdleSeconds * 1000));
  const share = (model.cpuSeconds() - before) / kIdleSeconds;
  console.log(`the model takes ${(share * 100).toFixed(1)} % of a core while its chip is off`);
  return share < kIdleShare ? [] : [`the model takes ${(share * 100).toFixed(0)} % of a core while its chip is off`];
}

async function runOn(bench, results, name) {
  const words = ['run', options.sequence, ...bench, '--seed', String(options.seed), '--results', results, '--name', name, '--quiet'];
  const run = await runProgram(options.firstlight, words, {cwd: root, timeoutMs: 300_000});
  if (run.timedOut) throw new Error(`the run on ${name} did not end\n${run.stdout}${run.stderr}`);
  const {lines, problems} = readLines(path.join(results, name, 'events.jsonl'));
  if (!hasEnd(lines)) problems.push('the record has no end');
  const end = extensions(lines, 'run_end')[0]?.content;
  console.log(`${name}: ${end?.verdict} in ${run.seconds.toFixed(1)} s${end?.first_failure ? `: ${end.first_failure.id}: ${end.first_failure.message}` : ''}`);
  if (end?.verdict !== options.expect) problems.push(`verdict ${end?.verdict}, expected ${options.expect}`);
  problems.push(...safetyProblems(path.join(results, name), lines));
  return {verdicts: new Map(extensions(lines, 'step_end').map(({step, content}) => [step, content.verdict])), problems: problems.map((text) => `${name}: ${text}`)};
}

function differences(model, desk) {
  const steps = new Set([...model.keys(), ...desk.keys()]);
  return [...steps].filter((step) => model.get(step) !== desk.get(step)).map((step) => `${step}: ${model.get(step) ?? 'not run'} on the model, ${desk.get(step) ?? 'not run'} on the desk`);
}

async function main() {
  const results = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `desk-${stamp()}`)));
  await checkInputs(options.firstlight, root, options.sequence, kDesk);
  const faults = options.fault ? [options.fault] : [];
  const scale = ['--bench-var', `time_scale=${options['time-scale']}`];
  const model = await startModel(options.firstlight, {seed: options.seed, faults, variables: {time_scale: options['time-scale']}});
  const problems = await idleProblems(model);
  const desk = await runOn(model.benchWords, results, 'desk');
  const seen = await model.stop();
  console.log(`${seen.slipped.toFixed(2)} s of ${(seen.bench_time + seen.slipped).toFixed(1)} s slipped`);
  problems.push(...desk.problems, ...witnessProblems(seen));
  const inProcess = await runOn(['--bench', kBench, ...scale, ...faults.flatMap((fault) => ['--fault', fault])], results, 'model');
  problems.push(...inProcess.problems, ...differences(inProcess.verdicts, desk.verdicts));
  problems.forEach((problem) => console.log(`BAD  ${problem}`));
  if (problems.length === 0) console.log(`ok   ${desk.verdicts.size} steps, the same verdicts on both`);
  return problems.length === 0 ? 0 : 1;
}

runMain(main);
