// A bench that run and guardian left energised, both killed: what others are told of it, and how it is made safe by hand.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {startModel} from '../desk/model.mjs';
import {freshFolder, runProgram} from '../regression/jobs.mjs';
import {readOptions, root, runMain, stamp} from '../regression/options.mjs';
import {extensions, readLines} from '../regression/record.mjs';
import {childrenOf} from './endings.mjs';

const options = readOptions({}, `
Kills a run and its guardian while rails are on, and goes on as people do: who, run, safe, recover, lock, unlock.

  node tests/kill/by_hand_test.mjs [options]
    --seed N, --firstlight PATH    (firstlight_kill)
    --out DIR                      (default: results/by-hand-<date>-<time>)
Exit status: 0 all as expected, 1 something is not, 2 bad input.`);

const kSequence = 'tests/kill/kill.yaml';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Table {
  constructor(model, out) {
    Object.assign(this, {model, out, problems: []});
    this.env = {FIRSTLIGHT_LOCKS: path.join(out, 'locks')};
    this.results = path.join(out, 'runs');
  }
  expect(what, found, right) {
    console.log(`${right ? 'ok  ' : 'BAD '} ${what}: ${String(found).trim().split('\n').slice(0, right ? 1 : 20).join('\n      ')}`);
    if (!right) this.problems.push(what);
  }
  firstlight(...words) {
    return runProgram(options.firstlight, words, {cwd: root, env: {...process.env, ...this.env}, timeoutMs: 60_000});
  }
  run(name, sequence, ...more) {
    return this.firstlight('run', sequence, ...this.model.benchWords, '--results', this.results, '--name', name, '--seed', String(options.seed), '--quiet', ...more);
  }
  hotRails(seen) {
    return seen.rails.filter((rail) => rail.off_since === null).map((rail) => rail.rail);
  }

  /// Leaves every rail on, with nobody who knows of it.
  async leaveHot(name) {
    const words = ['run', kSequence, ...this.model.benchWords, '--results', this.results, '--name', name, '--quiet', '--force'];
    const child = spawn(options.firstlight, words, {cwd: root, env: {...process.env, ...this.env}, stdio: 'ignore'});
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const seen = await this.model.witnessUntil((now) => this.hotRails(now).length === 5, 30_000);
    const guardians = childrenOf(child.pid);
    // The run is stopped first, so that it cannot act on the loss of its guardian.
    process.kill(child.pid, 'SIGSTOP');
    for (const pid of [...guardians, child.pid]) process.kill(pid, 'SIGKILL');
    await ended;
    await sleep(300);
    this.expect(`${name}: run and guardian are gone, rails are on`, `${this.hotRails(seen)} ${guardians.length} guardian`, guardians.length === 1 && this.hotRails(await this.model.witness()).length === 5);
  }
  async expectOff(what) {
    const seen = await this.model.witness();
    this.expect(what, this.hotRails(seen).join(' ') || 'all rails are off', seen.all_off && !seen.input.driven);
  }
}

async function safeByHand(table) {
  await table.leaveHot('hot-a');
  const who = await table.firstlight('who', ...table.model.benchWords);
  table.expect('who tells of it', who.stdout, /energised/.test(who.stdout));
  const refused = await table.run('refused', 'lab/sequences/power.yaml');
  table.expect('the next run is refused', `${refused.status}: ${refused.stderr}`, refused.status === 3 && /hot-a/.test(refused.stderr) && /recover|safe/.test(refused.stderr));
  table.expect('and leaves no record', '-', !fs.existsSync(path.join(table.results, 'refused', 'events.jsonl')));
  const safe = await table.firstlight('safe', ...table.model.benchWords);
  table.expect('safe', `${safe.status}: ${safe.stdout}${safe.stderr}`, safe.status === 0);
  await table.expectOff('safe turned everything off');
  const next = await table.run('after-safe', 'lab/sequences/power.yaml');
  table.expect('the next run is let in', `${next.status} ${next.stderr}`, next.status === 0);
}

async function recover(table) {
  await table.leaveHot('hot-b');
  const done = await table.firstlight('recover', 'hot-b', '--results', table.results);
  table.expect('recover', `${done.status}: ${done.stdout}${done.stderr}`, done.status === 0);
  await table.expectOff('recover turned everything off');
  const {lines} = readLines(path.join(table.results, 'hot-b', 'events.jsonl'));
  const end = extensions(lines, 'run_end')[0]?.content;
  table.expect('the record has its end', JSON.stringify(end), end !== undefined);
  const summary = JSON.parse(fs.readFileSync(path.join(table.results, 'hot-b', 'summary.json'), 'utf8'));
  table.expect('and says by whom', summary.made_safe_by, summary.made_safe_by === 'recover' && summary.safe === true);
  const again = await table.firstlight('recover', '--results', table.results);
  table.expect('nothing is left to recover but what `safe` did', `${again.status}: ${again.stdout}`, again.status === 0);
}

async function leases(table) {
  const lock = await table.firstlight('lock', ...table.model.benchWords, '--for', '5 min', '--reason', 'probing by hand');
  table.expect('lock', `${lock.status} ${lock.stdout}${lock.stderr}`, lock.status === 0);
  const who = await table.firstlight('who', ...table.model.benchWords);
  table.expect('who says why', who.stdout, who.stdout.includes('probing by hand'));
  const mine = await table.run('mine', 'lab/sequences/power.yaml');
  table.expect('whoever has it may run', `${mine.status} ${mine.stderr}`, mine.status === 0);
  // The lock of somebody else: the same file, under another name.
  const file = fs.readdirSync(table.env.FIRSTLIGHT_LOCKS).map((name) => path.join(table.env.FIRSTLIGHT_LOCKS, name)).find((name) => fs.readFileSync(name, 'utf8').includes('probing by hand'));
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/"who": "[^"]*"/, '"who": "somebody@elsewhere"'));
  const others = await table.run('others', 'lab/sequences/power.yaml');
  table.expect("others' runs are refused", `${others.status}: ${others.stderr}`, others.status === 3 && /somebody@elsewhere/.test(others.stderr) && /probing by hand/.test(others.stderr));
  const unlock = await table.firstlight('unlock', ...table.model.benchWords);
  table.expect('unlock is for the holder', `${unlock.status} ${unlock.stderr}`, unlock.status === 3 && /somebody@elsewhere/.test(unlock.stderr));
  const forced = await table.firstlight('unlock', ...table.model.benchWords, '--force');
  table.expect('or by force', `${forced.status} ${forced.stdout}`, forced.status === 0);
  const free = await table.run('free', 'lab/sequences/power.yaml');
  table.expect('then the bench is free', `${free.status} ${free.stderr}`, free.status === 0);
}

async function main() {
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `by-hand-${stamp()}`)));
  const model = await startModel(options.firstlight, {seed: options.seed});
  const table = new Table(model, out);
  try {
    await safeByHand(table);
    await recover(table);
    await leases(table);
  } finally {
    await model.stop();
  }
  return table.problems.length === 0 ? 0 : 1;
}

runMain(main);
