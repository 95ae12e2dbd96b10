// Runs that are stopped, or whose output goes away: whatever happens, the bench ends safe and the record says what happened.
import fs from 'node:fs';
import path from 'node:path';
import {checkInputs, freshFolder, runAll, runProgram} from '../regression/jobs.mjs';
import {kBench, readOptions, root, runMain, stamp} from '../regression/options.mjs';
import {extensions, hasEnd, only, readLines, safetyProblems} from '../regression/record.mjs';

const kSequence = 'tests/sequence/interrupted.yaml';
const kHelp = `
Ctrl-C once and twice, SIGTERM, both through a terminal too, and standard output that is closed.

  node tests/sequence/interrupt_test.mjs [options]
    --only REGEX         cases whose name matches
    --seed N, --jobs N, --firstlight PATH, --out DIR    (default of --out: results/interrupts-<date>-<time>)
Exit status: 0 all as expected, 1 something is not, 2 bad input.`;

const options = readOptions({only: {type: 'string', default: ''}}, kHelp);

const kStarted = (step) => `"testStepId":"${step}","testStepStart"`;

/// Calls `then` once the record tells that the step has started.
function whenStarted(child, events, step, then) {
  const timer = setInterval(() => {
    if (!fs.existsSync(events) || !fs.readFileSync(events, 'utf8').includes(kStarted(step))) return;
    clearInterval(timer);
    then();
  }, 5);
  child.on('close', () => clearInterval(timer));
}

const runWords = (results, name, set) => ['run', kSequence, '--bench', kBench, '--seed', String(options.seed), '--results', results, '--name', name, ...Object.entries(set).flatMap(([key, value]) => ['--set', `${key}=${value}`])];

const shellWord = (word) => `'${word.replaceAll("'", "'\\''")}'`;
const shellLine = (words) => words.map(shellWord).join(' ');

/// In a terminal of its own; `typed` goes to its keyboard once `step` has started.
function inTerminal(words, events, step, typed) {
  return runProgram('script', ['-qefc', shellLine([options.firstlight, ...words]), '/dev/null'], {
    cwd: root, env: {TERM: 'xterm-256color'}, timeoutMs: 120_000, stdio: ['pipe', 'pipe', 'pipe'],
    onStart: (child) => (step ? whenStarted(child, events, step, () => child.stdin.write(typed)) : undefined),
  });
}

const signalled = (words, events, signals) => runProgram(options.firstlight, words, {
  cwd: root, timeoutMs: 120_000,
  onStart: (child) => signals.forEach(([step, signal]) => whenStarted(child, events, step, () => child.kill(signal))),
});

const kTeardownRan = {'held/hold': 'aborted', 'held/linger': 'pass', 'held/last_look': 'pass'};
const kTeardownCut = {'held/hold': 'aborted', 'held/linger': 'aborted', 'held/last_look': 'skip'};
const stopped = (reason, steps) => ({status: 130, verdict: 'aborted', reason, steps, errorClass: 'operator'});
const kPasses = {status: 0, verdict: 'pass', reason: 'end of run', steps: {'held/hold': 'pass', 'held/linger': 'pass', 'held/last_look': 'pass'}};

/// name, what is set, how it is run, what is expected.
const kCases = [
  {name: 'ctrl-c once', set: {}, go: (words, events) => signalled(words, events, [['held/hold', 'SIGINT']]), want: stopped('operator', kTeardownRan)},
  {name: 'ctrl-c twice', set: {linger: '1 h'}, go: (words, events) => signalled(words, events, [['held/hold', 'SIGINT'], ['held/linger', 'SIGINT']]), want: stopped('operator, twice', kTeardownCut)},
  {name: 'sigterm', set: {}, go: (words, events) => signalled(words, events, [['held/hold', 'SIGTERM']]), want: stopped('SIGTERM', kTeardownRan)},
  {name: 'ctrl-c during setup', set: {}, go: (words, events) => signalled(words, events, [['held/supply_on', 'SIGINT']]), want: stopped('operator', {})},
  {name: 'terminal, live view', set: {hold: '200 ms'}, go: (words, events) => inTerminal(words, events), want: {...kPasses, live: true}},
  {name: 'terminal, ctrl-c', set: {}, go: (words, events) => inTerminal(words, events, 'held/hold', '\x03'), want: {...stopped('operator', kTeardownRan), live: true}},
  {name: 'output to head -1', set: {hold: '200 ms'}, want: kPasses,
    go: (words) => runProgram('bash', ['-c', `${shellLine([options.firstlight, ...words])} | head -1; exit "\${PIPESTATUS[0]}"`], {cwd: root, timeoutMs: 120_000})},
  {name: 'output closed, ctrl-c', set: {}, want: stopped('operator', kTeardownRan),
    go: (words, events) => runProgram(options.firstlight, words, {cwd: root, timeoutMs: 120_000, onStart: (child) => {
      child.stdout.destroy();
      whenStarted(child, events, 'held/hold', () => child.kill('SIGINT'));
    }})},
];

function stepProblems(lines, steps) {
  return Object.entries(steps).flatMap(([step, wanted]) => {
    const found = extensions(lines, 'step_end').filter((one) => one.step === step).map(({content}) => content.verdict);
    return found.length === 1 && found[0] === wanted ? [] : [`${step} ended ${found.join(', ') || 'not at all'}, expected ${wanted}`];
  });
}

function outcomeProblems(want, run, folder, lines) {
  const problems = [];
  if (run.status !== want.status) problems.push(`exit status ${run.status ?? run.signal}, expected ${want.status}: ${run.stderr.trim().slice(-300)}`);
  const summary = fs.existsSync(path.join(folder, 'summary.json')) ? JSON.parse(fs.readFileSync(path.join(folder, 'summary.json'), 'utf8')) : null;
  if (!summary) problems.push('no summary.json');
  else if (summary.verdict !== want.verdict || !summary.complete || !summary.safe || summary.exit_status !== want.status)
    problems.push(`summary: verdict ${summary.verdict}, complete ${summary.complete}, safe ${summary.safe}, exit status ${summary.exit_status}`);
  if ((summary?.first_failure?.class ?? undefined) !== want.errorClass) problems.push(`class ${summary?.first_failure?.class}, expected ${want.errorClass}`);
  const reason = only(lines, 'safe_state')?.reason;
  if (reason !== want.reason) problems.push(`made safe for "${reason}", expected "${want.reason}"`);
  return problems;
}

async function runCase(one, results) {
  const name = one.name.replaceAll(/[^a-z0-9]+/g, '-');
  const folder = path.join(results, name);
  const events = path.join(folder, 'events.jsonl');
  const run = await one.go(runWords(results, name, one.set), events);
  if (run.timedOut) return {ok: false, text: 'did not end within 120 s and was killed'};
  if (!fs.existsSync(events)) return {ok: false, text: `left no record: status ${run.status ?? run.signal}: ${run.stderr}${run.stdout}`};
  const {lines, cut, problems} = readLines(events);
  if (cut || !hasEnd(lines)) problems.push('the record has no end');
  problems.push(...outcomeProblems(one.want, run, folder, lines), ...stepProblems(lines, one.want.steps), ...safetyProblems(folder, lines));
  if (one.want.live && !/\x1b\[\d*[ABGHJKF]/.test(run.stdout)) problems.push('the terminal saw no live view');
  if (one.want.live && !run.stdout.includes('report.html')) problems.push('the terminal was not told where the report is');
  return {ok: problems.length === 0, text: problems.length === 0 ? `exit ${run.status}, ${run.seconds.toFixed(1)} s` : `\n      ${problems.join('\n      ')}`};
}

async function main() {
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `interrupts-${stamp()}`)));
  const results = path.join(out, 'runs');
  await checkInputs(options.firstlight, root, kSequence, kBench);
  const cases = kCases.filter(({name}) => new RegExp(options.only).test(name));
  console.log(`${cases.length} cases, seed ${options.seed}; records in ${out}`);
  const outcome = await runAll(cases, {jobs: options.jobs, name: ({name}) => name, work: (one) => runCase(one, results)});
  const bad = outcome.filter((one) => !one.ok).length;
  console.log(`${cases.length - bad} of ${cases.length} as expected`);
  return bad === 0 && cases.length > 0 ? 0 : 1;
}

runMain(main);
