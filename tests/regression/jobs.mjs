// Runs programs, several at once, and tells how far it is.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/// Runs a program to its end. `onStart(child)` may signal it. Beyond `timeoutMs` it is killed, and `timedOut` says so.
export function runProgram(command, args, {cwd, env, timeoutMs = 600_000, onStart, stdio = ['ignore', 'pipe', 'pipe']} = {}) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn(command, args, {cwd, env: {...process.env, ...env}, stdio});
    let stdout = '';
    let stderr = '';
    let timedOut = false;
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text));
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(new Error(`cannot run ${command}: ${error.message}`));
    });
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      resolve({status, signal, timedOut, stdout, stderr, seconds: Number(process.hrtime.bigint() - start) / 1e9});
    });
    onStart?.(child);
  });
}

/// Runs `work(item)` for each item, at most `jobs` at once, and prints one line for each as it ends. `work` gives {ok, text}; what it
/// throws counts as not ok. The results are in the order of the items.
export async function runAll(items, {jobs, name, work}) {
  const results = new Array(items.length);
  const start = Date.now();
  let next = 0;
  let done = 0;
  let bad = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      let result;
      try {
        result = await work(items[index], index);
      } catch (error) {
        result = {ok: false, text: error.message, error};
      }
      results[index] = result;
      ++done;
      if (!result.ok) ++bad;
      const elapsed = ((Date.now() - start) / 1000).toFixed(0);
      console.log(`[${done}/${items.length} ${elapsed} s${bad ? `, ${bad} bad` : ''}] ${result.ok ? 'ok  ' : 'BAD '} ${name(items[index])}  ${result.text}`);
    }
  };
  await Promise.all(Array.from({length: Math.max(1, Math.min(jobs, items.length))}, worker));
  return results;
}

/// Throws when sequence and bench do not go together: nothing that runs them would say anything about the chip then.
export async function checkInputs(firstlight, cwd, sequence, bench) {
  const run = await runProgram(firstlight, ['check', sequence, bench], {cwd, timeoutMs: 60_000});
  if (run.status !== 0) throw new Error(`nothing was run: firstlight check ${sequence} ${bench} ended with ${run.status}\n${run.stderr}${run.stdout}`);
}

const kMarker = '.regression-output';

/// An empty folder. One that is there already is emptied only when an earlier call made it.
export function freshFolder(folder) {
  if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0) {
    if (!fs.existsSync(path.join(folder, kMarker))) throw new Error(`${folder} is not empty, and nothing of this program: give another --out`);
    fs.rmSync(folder, {recursive: true});
  }
  fs.mkdirSync(folder, {recursive: true});
  fs.writeFileSync(path.join(folder, kMarker), '');
  return folder;
}
