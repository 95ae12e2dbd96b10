// A model that listens (`firstlight model`), started by a test and gone with it.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {root} from '../regression/options.mjs';

export const kDesk = 'lab/benches/desk.yaml';
const kStartWithin = 60_000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/// Starts one on free ports, in a folder of its own. `variables` are those of its bench file. What it gives is started and answers.
export async function startModel(firstlight, {seed = 1, faults = [], variables = {}} = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'firstlight-desk-'));
  const all = {psu0_port: 0, dmm0_port: 0, agent_port: 0, ...variables};
  const words = ['model', '--listen', folder, '--seed', String(seed), ...faults.flatMap((fault) => ['--fault', fault]), ...Object.entries(all).flatMap(([name, value]) => ['--bench-var', `${name}=${value}`])];
  const child = spawn(firstlight, words, {cwd: root, stdio: ['ignore', 'pipe', 'pipe']});
  const model = new Model(child, folder);
  process.on('exit', () => child.kill('SIGKILL'));
  const end = Date.now() + kStartWithin;
  const endpoints = path.join(folder, 'endpoints.json');
  while (!fs.existsSync(endpoints)) {
    if (model.status !== null || Date.now() > end) throw new Error(`the model did not start: ${model.output}`);
    await sleep(10);
  }
  model.endpoints = JSON.parse(fs.readFileSync(endpoints, 'utf8'));
  return model;
}

class Model {
  constructor(child, folder) {
    this.child = child;
    this.folder = folder;
    this.output = '';
    this.status = null;
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (this.output += text));
    this.ended = new Promise((resolve) => child.on('close', (status, signal) => resolve((this.status = status ?? signal))));
  }

  get pid() {
    return this.child.pid;
  }
  /// Of a resource on TCP.
  port(resource) {
    return Number(this.endpoints.variables[`${resource}_port`]);
  }
  /// The arguments that have desk.yaml reach this model.
  get benchWords() {
    return ['--bench', kDesk, ...Object.entries(this.endpoints.variables).flatMap(([name, value]) => ['--bench-var', `${name}=${value}`])];
  }
  /// What the witness has seen so far; "forget" has it begin anew.
  witness(word = '') {
    return new Promise((resolve, reject) => {
      const socket = net.connect(this.endpoints.witness);
      let text = '';
      socket.setEncoding('utf8');
      socket.on('connect', () => socket.write(`${word}\n`));
      socket.on('error', reject);
      socket.on('data', (more) => {
        text += more;
        if (!text.includes('\n')) return;
        socket.destroy();
        resolve(JSON.parse(text));
      });
    });
  }
  /// Waits until the witness sees what is looked for, which takes a moment after a command that has no answer; gives what it saw last.
  async witnessUntil(right, withinMs = 10_000) {
    const end = Date.now() + withinMs;
    for (;;) {
      const seen = await this.witness();
      if (right(seen) || Date.now() > end) return seen;
      await sleep(20);
    }
  }
  /// Processor time that it has used, in seconds.
  cpuSeconds() {
    const fields = fs.readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }
  /// Ends it as a user does; gives what the witness wrote last.
  async stop(signal = 'SIGTERM') {
    this.child.kill(signal);
    const status = await this.ended;
    if (status !== 0) throw new Error(`the model ended with ${status}: ${this.output}`);
    const last = JSON.parse(fs.readFileSync(path.join(this.folder, 'witness.json'), 'utf8'));
    this.remove();
    return last;
  }
  remove() {
    if (this.status === null) this.child.kill('SIGKILL');
    fs.rmSync(this.folder, {recursive: true, force: true});
  }
}

/// What the witness saw that must not be, after a run that ended well; empty when nothing.
export function witnessProblems(seen) {
  const problems = seen.rails.filter((rail) => rail.exceeded).map((rail) => `${rail.rail} had ${rail.max_volts} V at its pin, ${rail.envelope_max} V allowed`);
  for (const rail of seen.rails) if (rail.off_since === null || rail.driven) problems.push(`${rail.rail} is at ${rail.volts} V after the run`);
  const off = seen.rails.map((rail) => rail.off_since);
  for (let i = 1; i < off.length; ++i)
    if (off[i] !== null && off[i - 1] !== null && off[i] > off[i - 1]) problems.push(`${seen.rails[i].rail} went off after ${seen.rails[i - 1].rail}`);
  return problems;
}
