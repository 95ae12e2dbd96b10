// A model behind sockets, its witness, and wires to it that can be cut.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import {root} from '../regression/options.mjs';

const kPorts = ['psu0_port', 'dmm0_port', 'agent_port'];

/// One model that serves run after run.
export class Desk {
  static async start(firstlight, folder, seed) {
    const desk = new Desk();
    const ports = kPorts.flatMap((name) => ['--bench-var', `${name}=0`]);
    desk.process = spawn(firstlight, ['model', '--listen', folder, '--json', '--seed', String(seed), ...ports], {cwd: root, stdio: ['ignore', 'pipe', 'pipe']});
    desk.over = new Promise((resolve) => desk.process.on('close', resolve));
    const told = await new Promise((resolve, reject) => {
      let out = '';
      let errors = '';
      desk.process.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
      desk.process.stdout.setEncoding('utf8').on('data', (text) => {
        out += text;
        if (out.includes('\n')) resolve(out.slice(0, out.indexOf('\n')));
      });
      desk.process.on('close', (status) => reject(new Error(`the model ended with ${status}: ${errors}`)));
    });
    const all = JSON.parse(told);
    desk.variables = all.variables;
    desk.witnessPath = all.witness;
    return desk;
  }

  /// What is at the pins of the rails now. "forget" begins to look for the highest voltages anew.
  witness(words = 'report') {
    return new Promise((resolve, reject) => {
      const socket = net.connect(this.witnessPath, () => socket.write(`${words}\n`));
      let text = '';
      socket.setEncoding('utf8').on('data', (more) => {
        text += more;
        if (!text.includes('\n')) return;
        socket.destroy();
        resolve({...JSON.parse(text), at: Date.now()});
      });
      socket.on('error', reject);
      socket.setTimeout(10_000, () => {
        socket.destroy();
        reject(new Error('the witness does not answer'));
      });
    });
  }

  async stop() {
    this.process.kill('SIGTERM');
    await this.over;
  }
}

/// Relays between a run and the model, which lose every connection at once when told to.
export class Wires {
  constructor() {
    this.sockets = new Set();
    this.servers = [];
  }

  /// @return the variables of a bench that is reached through here
  async through(variables) {
    const relayed = {...variables};
    for (const name of kPorts) relayed[name] = String(await this.relay(Number(variables[name])));
    return relayed;
  }

  relay(port) {
    const server = net.createServer((near) => {
      const far = net.connect(port, '127.0.0.1');
      for (const [one, other] of [[near, far], [far, near]]) {
        this.sockets.add(one);
        one.setNoDelay(true);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
      }
    });
    this.servers.push(server);
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
  }

  drop() {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  close() {
    this.drop();
    for (const server of this.servers) server.close();
  }
}

/// lab/benches/desk.yaml with interlocks of our own instead of its: theirs are for a board that is cooled.
export function benchLike(file, {heartbeat, interlocks}) {
  const desk = fs.readFileSync(path.join(root, 'lab/benches/desk.yaml'), 'utf8');
  // One that never acts, so that something is written all the time.
  const pulse = '  - {name: pulse, watch: psu.current, above: 15 A, for: 2 s, period: 100 ms, action: warn}\n';
  const mine = interlocks.map(([watch, above]) => `  - {name: put_there, watch: ${watch}, above: ${above}, for: 0 s, period: 20 ms, action: trip}\n`).join('');
  const without = desk.replace(/^interlocks:\n(?:  - .*\n)+/m, '');
  if (without === desk) throw new Error('lab/benches/desk.yaml has no interlocks');
  fs.writeFileSync(file, `${without}\nguardian: {heartbeat: ${heartbeat}}\ninterlocks:\n${pulse}${mine}`);
}
