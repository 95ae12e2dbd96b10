// The ways in which a run is ended, and what each leaves behind when all is well.
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';

/// Processes that `pid` has started.
export function childrenOf(pid) {
  const children = [];
  for (const name of fs.readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid) children.push(Number(name));
    } catch {
      // It is gone by now.
    }
  }
  return children;
}

const commandOf = (pid) => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
};

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/// As soon as there is one.
async function killGuardian(run) {
  while (run.exitCode === null) {
    const guardian = childrenOf(run.pid).find((pid) => commandOf(pid)[1] === 'guardian');
    if (guardian) return kill(guardian, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/// No file of the run's process may grow any more.
function fillDisk(run) {
  const limit = spawnSync('prlimit', ['--pid', String(run.pid), '--fsize=1'], {encoding: 'utf8'});
  if (limit.error) throw new Error(`prlimit cannot be run: ${limit.error.message}`);
}

const kInside = ['fail', 'throw', 'spin'];

/// name; `set`: how the run ends itself; `act(run)`: what is done to it from outside; `by`: who made the bench safe; `symptoms` of the
/// first failure; `status` of the run's process, or the signal that ended it.
export const kEndings = [
  {name: 'step failure', set: 'fail', by: 'run', symptoms: ['told_to_fail'], status: [1]},
  {name: 'exception', set: 'throw', by: 'run', symptoms: ['unexpected_exception'], status: [3]},
  {name: 'endless loop', set: 'spin', by: 'guardian', symptoms: ['runner_hung'], status: ['SIGKILL']},
  {name: 'ctrl-c', act: (run) => kill(run.pid, 'SIGINT'), by: 'run', symptoms: ['operator_abort'], status: [130]},
  {name: 'ctrl-c twice', act: (run) => {
    kill(run.pid, 'SIGINT');
    setTimeout(() => kill(run.pid, 'SIGINT'), 30);
  }, by: 'run', symptoms: ['operator_abort'], status: [130]},
  {name: 'sigterm', act: (run) => kill(run.pid, 'SIGTERM'), by: 'run', symptoms: ['operator_abort'], status: [130]},
  {name: 'sigkill', act: (run) => kill(run.pid, 'SIGKILL'), by: 'guardian', symptoms: ['runner_died'], status: ['SIGKILL']},
  {name: 'sigstop', act: (run) => kill(run.pid, 'SIGSTOP'), by: 'guardian', symptoms: ['runner_hung'], status: ['SIGKILL']},
  {name: 'sigkill and connections lost', proxied: true, act: (run, wires) => {
    kill(run.pid, 'SIGKILL');
    wires.drop();
  }, by: 'guardian', symptoms: ['runner_died'], status: ['SIGKILL']},
  {name: 'interlock', trips: true, by: 'run', symptoms: ['interlock_tripped'], status: [4]},
  {name: 'full disk', act: fillDisk, by: 'run', full: true, symptoms: ['run_incomplete'], status: [3]},
  {name: 'guardian killed', act: killGuardian, by: 'run', symptoms: ['guardian_lost'], status: [3]},
];

export const endsItself = (ending) => kInside.includes(ending.set);
