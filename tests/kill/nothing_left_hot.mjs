// Runs on the desk bench, each ended at a random moment: whatever ends them, every rail is off soon after, in order.
import {spawn, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {freshFolder, runAll, runProgram} from '../regression/jobs.mjs';
import {readOptions, refuse, root, runMain, stamp, wholeNumber} from '../regression/options.mjs';
import {extensions, hasEnd, readLines} from '../regression/record.mjs';
import {Desk, Wires, benchLike} from './desk.mjs';
import {endsItself, kEndings} from './endings.mjs';

const kSequence = 'tests/kill/kill.yaml';
const kHelp = `
Runs that energise every rail of the desk bench and are ended at random moments, in every way there is.

  node tests/kill/nothing_left_hot.mjs [options]
    --runs N             how many (default: 12, one of each kind)
    --seed N             of the moments (default: 1)
    --only REGEX         ways to end a run whose name matches
    --number N           only run number N, to run one again
    --within MS          how soon every rail must be off (default: 2000)
    --heartbeat TIME     how long a run may be silent; more on a machine that does much else (default: 500 ms)
    --jobs N             models at once
    --firstlight PATH    the program; firstlight_kill, which has verbs that end runs badly, is beside it
    --out DIR            (default: results/hot-<date>-<time>)
Exit status: 0 nothing was left hot, 1 something was, 2 bad input.`;

const options = readOptions({runs: {type: 'string', default: String(kEndings.length)}, only: {type: 'string', default: ''}, number: {type: 'string'}, within: {type: 'string', default: '2000'}, heartbeat: {type: 'string', default: '500 ms'}}, kHelp);
options.runs = wholeNumber('runs', options.runs);
options.within = wholeNumber('within', options.within);
if (options.runs < 1) refuse('--runs takes at least 1');
options.firstlight = path.join(path.dirname(options.firstlight), 'firstlight_kill');
if (!fs.existsSync(options.firstlight)) refuse(`${options.firstlight} is not there: build it (cmake --build --preset release --target firstlight_kill)`);

/// The order in which the rails of the desk must go off: the reverse of `after`.
const kOffOrder = ['vdd_serdes', 'vdd_hbm', 'vdd_sram', 'vdd_core', 'vdd_aon'];
/// What an interlock that is put there watches, and where it trips: while the rail rises.
const kTrips = [['vdd_aon.sense', '1.2 V'], ['vdd_core.sense', '0.4 V'], ['vdd_sram.sense', '0.5 V'], ['vdd_hbm.sense', '0.7 V'], ['vdd_serdes.sense', '0.6 V']];
const kLongest = 60_000;

/// Evenly spread in [0, 1), from a seed: the mixing function of SplitMix32.
function random(seed) {
  let z = (seed + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/// Which rails are on at the moment, for people.
const hotRails = (seen) => seen.rails.filter((rail) => rail.off_for === null).map((rail) => rail.rail);

class Run {
  constructor(number, ending, desk, out) {
    Object.assign(this, {number, ending, desk});
    this.name = `run-${number}`;
    this.results = path.join(out, 'runs');
    this.folder = path.join(this.results, this.name);
    this.locks = path.join(out, `locks-${desk.name}`);
    this.share = random(options.seed * 65537 + number);
    this.bench = path.join(out, `bench-${number}.yaml`);
    benchLike(this.bench, {heartbeat: options.heartbeat, interlocks: ending.trips ? [kTrips[Math.floor(this.share * kTrips.length)]] : []});
  }

  words(variables) {
    // From connecting to well after the last rail; most while rails are being turned on.
    this.after = Math.round(150 + 2500 * this.share ** 2);
    const sets = endsItself(this.ending) ? ['--set', `how=${this.ending.set}`, '--set', `after=${Math.round(this.after / 2)} ms`] : [];
    return ['run', kSequence, '--bench', this.bench, ...Object.entries(variables).flatMap(([key, value]) => ['--bench-var', `${key}=${value}`]),
      '--results', this.results, '--name', this.name, '--seed', String(options.seed + this.number), '--quiet', ...sets];
  }

  async go() {
    await this.desk.witness('forget');
    this.wires = this.ending.proxied ? new Wires() : null;
    const variables = this.wires ? await this.wires.through(this.desk.variables) : this.desk.variables;
    const child = spawn(options.firstlight, this.words(variables), {cwd: root, env: {...process.env, FIRSTLIGHT_LOCKS: this.locks}, stdio: ['ignore', 'pipe', 'pipe']});
    this.output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (this.output += text));
    const exited = new Promise((resolve) => child.on('exit', (status, signal) => resolve(signal ?? status)));
    // The guardian holds the outputs too: they close when both are gone.
    const closed = new Promise((resolve) => child.on('close', resolve));
    const tooLong = setTimeout(() => child.kill('SIGKILL'), kLongest);
    if (this.ending.act) await this.act(child);
    this.status = await exited;
    await closed;
    clearTimeout(tooLong);
    this.wires?.close();
    this.seen = await this.desk.witness();
  }

  async act(child) {
    await sleep(this.after);
    this.before = await this.desk.witness();
    this.at = Date.now();
    await this.ending.act(child, this.wires);
  }

  /// The moment, by the wall clock, at which what ended the run happened.
  moment(lines) {
    if (this.at) return this.at;
    if (this.ending.trips) {
      const line = lines.find((one) => one.testStepArtifact?.extension?.name === 'firstlight.interlock' && one.testStepArtifact.extension.content.event === 'tripped');
      return line ? Date.parse(line.timestamp) : null;
    }
    const start = lines.find((one) => one.testStepArtifact?.testStepId === 'hot/end' && one.testStepArtifact.testStepStart);
    return start ? Date.parse(start.timestamp) + Math.round(this.after / 2) : null;
  }
}

/// By the witness alone: when the last rail went off, and in which order they did.
function pinProblems(run, lines) {
  const problems = [];
  if (!run.seen.all_off) return [`STILL HOT: ${hotRails(run.seen).join(', ')}`];
  if (run.seen.input.driven) problems.push('the supply is still on');
  const moment = run.moment(lines);
  if (moment === null) return [...problems, 'the run did not get to its end'];
  run.took = run.seen.at - 1000 * run.seen.all_off_for - moment;
  if (run.took > options.within) problems.push(`the last rail was off ${run.took.toFixed(0)} ms after the end, ${options.within} ms allowed`);
  const offs = kOffOrder.map((name) => run.seen.rails.find((rail) => rail.rail === name)).filter((rail) => rail.max_volts > 0.2);
  run.hot = offs.length;
  for (let i = 1; i < offs.length; ++i)
    if (offs[i].off_since < offs[i - 1].off_since) problems.push(`${offs[i].rail} went off before ${offs[i - 1].rail}, which depends on it`);
  for (const rail of run.seen.rails) if (rail.exceeded) problems.push(`${rail.rail} was at ${rail.max_volts} V, ${rail.envelope_max} V allowed`);
  return problems;
}

function ledgerProblems(run) {
  const file = path.join(run.folder, 'ledger.jsonl');
  if (!fs.existsSync(file)) return ['there is no ledger'];
  const {lines, cut, problems} = readLines(file);
  const last = lines[lines.length - 1];
  if (!run.ending.full && (cut || last?.event !== 'safe' || last.safe !== true)) problems.push('ledger.jsonl does not end by saying that the bench is safe');
  return problems;
}

function recordProblems(run, {lines, cut, problems}) {
  const found = [...problems];
  lines.forEach((line, i) => {
    if (line.sequenceNumber !== i) found.push(`line ${i + 1} has the number ${line.sequenceNumber}`);
  });
  const started = new Map();
  for (const line of lines) {
    const step = line.testStepArtifact;
    if (step?.testStepStart) started.set(step.testStepId, (started.get(step.testStepId) ?? 0) + 1);
    if (step?.testStepEnd) started.set(step.testStepId, started.get(step.testStepId) - 1);
  }
  if (run.ending.full) return found.slice(0, 5);
  if (cut || !hasEnd(lines)) found.push('the record has no end');
  for (const [step, open] of started) if (open !== 0) found.push(`step ${step} has no end, or more than one`);
  const states = extensions(lines, 'safe_state');
  if (run.hot > 0 && !states.some(({content}) => content.safe)) found.push('the record does not say how the bench was made safe');
  return found.slice(0, 5);
}

async function reportProblems(run) {
  const file = path.join(run.folder, 'summary.json');
  if (run.ending.full) {
    const report = await runProgram(options.firstlight, ['report', run.folder], {cwd: root, timeoutMs: 60_000});
    if (report.status !== 0) return [`firstlight report ended with ${report.status}: ${report.stderr.trim()}`];
  }
  if (!fs.existsSync(file) || !fs.existsSync(path.join(run.folder, 'report.html'))) return ['there is no report'];
  const summary = JSON.parse(fs.readFileSync(file, 'utf8'));
  const problems = [];
  const by = summary.made_safe_by ?? 'run';
  if (by !== run.ending.by) problems.push(`the bench was made safe by the ${by}, expected: the ${run.ending.by}`);
  if (!run.ending.full && (!summary.safe || !summary.complete)) problems.push(`summary: safe ${summary.safe}, complete ${summary.complete}`);
  const symptom = summary.first_failure?.symptom;
  // A rail may have looked bad before.
  const early = ['rail.on', 'supply.on'].includes(summary.first_failure?.verb);
  if (!early && !run.ending.symptoms.includes(symptom)) problems.push(`the first failure is ${symptom} (${summary.first_failure?.message}), expected ${run.ending.symptoms.join(' or ')}`);
  if (!run.ending.status.includes(run.status)) problems.push(`the run ended with ${run.status}, expected ${run.ending.status.join(' or ')}`);
  return problems;
}

function lockProblems(run) {
  const locks = fs.existsSync(run.locks) ? fs.readdirSync(run.locks).filter((name) => name.endsWith('.lock')) : [];
  if (locks.length === 0) return ['the run took no lock'];
  return locks.filter((name) => spawnSync('flock', ['--nonblock', path.join(run.locks, name), 'true']).status !== 0).map((name) => `${name} is still held`);
}

async function judge(run) {
  const events = path.join(run.folder, 'events.jsonl');
  if (!fs.existsSync(events)) {
    // Ended before it began; but whoever comes next must be let in.
    const refused = /^firstlight: \w+: .*/m.exec(run.output);
    return [...(refused ? [`the run was refused: ${refused[0]}`] : []), ...pinProblems(run, []).filter((problem) => problem.startsWith('STILL'))];
  }
  const record = readLines(events);
  // Ended before the run began, or after its end: nothing to tell but that nothing is hot.
  const begun = record.lines.length > 0;
  return [...pinProblems(run, record.lines), ...lockProblems(run), ...(begun ? [...recordProblems(run, record), ...ledgerProblems(run), ...(await reportProblems(run))] : [])];
}

async function one({number, ending}, desk, out) {
  const run = new Run(number, ending, desk, out);
  await run.go();
  const problems = await judge(run);
  const what = `${run.hot ?? 0} rails were on, off after ${run.took === undefined ? '?' : Math.max(0, run.took).toFixed(0)} ms`;
  const again = `again: node tests/kill/nothing_left_hot.mjs --runs ${options.runs} --seed ${options.seed} --number ${number}`;
  const ok = problems.length === 0;
  return {ok, problems, took: run.took, hot: run.hot ?? 0, text: ok ? what : `${what}\n      ${[...problems, run.output.trim().slice(-1500), again].join('\n      ')}`};
}

async function main() {
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `hot-${stamp()}`)));
  const endings = kEndings.filter(({name}) => new RegExp(options.only).test(name));
  if (endings.length === 0) refuse(`no way to end a run matches ${options.only}`);
  let runs = Array.from({length: options.runs}, (_, number) => ({number, ending: endings[number % endings.length]}));
  if (options.number !== undefined) runs = runs.filter(({number}) => number === wholeNumber('number', options.number));
  const jobs = Math.min(options.jobs, runs.length);
  console.log(`${runs.length} runs, seed ${options.seed}, ${jobs} models; records in ${out}`);
  const desks = await Promise.all(Array.from({length: jobs}, async (_, i) => {
    const desk = await Desk.start(options.firstlight, path.join(out, `desk-${i}`), options.seed + i);
    desk.name = String(i);
    return desk;
  }));
  const free = [...desks];
  let outcome;
  try {
    outcome = await runAll(runs, {jobs, name: ({number, ending}) => `${number} ${ending.name}`, work: async (run) => {
      const desk = free.pop();
      try {
        return await one(run, desk, out);
      } finally {
        free.push(desk);
      }
    }});
  } finally {
    await Promise.all(desks.map((desk) => desk.stop()));
  }
  const bad = outcome.filter((result) => !result.ok).length;
  const worst = Math.max(0, ...outcome.map((result) => result.took ?? 0));
  fs.writeFileSync(path.join(out, 'hot.json'), JSON.stringify({seed: options.seed, runs: runs.map((run, i) => ({number: run.number, ending: run.ending.name, ...outcome[i], text: undefined}))}, null, 1) + '\n');
  const hot = outcome.filter((result) => result.hot > 0).length;
  console.log(`${runs.length - bad} of ${runs.length} runs left nothing hot; ${hot} had rails on when they ended; the slowest had its last rail off after ${worst.toFixed(0)} ms`);
  // Runs that never energised anything show nothing.
  if (hot < runs.length / 2) console.log(`BAD  only ${hot} of ${runs.length} runs had a rail on`);
  return bad === 0 && hot >= runs.length / 2 ? 0 : 1;
}

runMain(main);
