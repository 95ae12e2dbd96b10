// Runs a block test on each mutant of its netlist. scripts/mutants builds first and has the help.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {parseArgs} from 'node:util';
import {programOf} from '../regression/blocks.mjs';
import {runAll, runProgram} from '../regression/jobs.mjs';
import {refuse, root, runMain, wholeNumber} from '../regression/options.mjs';

// A mutant may make a testbench wait for ever: that is caught, too.
const kTimesHealthy = 5;

function readCommandLine() {
  const text = {type: 'string'};
  try {
    const {values, positionals} = parseArgs({allowPositionals: true, options: {
      build: {...text, default: path.join(root, 'build/release')}, jobs: {...text, default: String(os.cpus().length)}, out: text, count: text, 'at-least': {...text, default: '0'}}});
    for (const name of ['jobs', 'count', 'at-least']) if (values[name] !== undefined) values[name] = wholeNumber(name, values[name]);
    return {...values, block: positionals[0]};
  } catch (error) {
    refuse(error.message);
  }
}

/// What each mutant is, in words, from the commands that made them.
function readMutants(folder) {
  const file = fs.readdirSync(folder, {recursive: true}).find((name) => name.endsWith('_mutants.txt'));
  return fs.readFileSync(path.join(folder, file), 'utf8').trim().split('\n').map((line) => {
    const of = (option) => new RegExp(`-${option} (\\S+)`).exec(line)?.[1];
    const wire = of('wire') ? ` (${of('wire')}[${of('wirebit')}]${of('src') ? `, ${of('src')}` : ''})` : '';
    return {number: Number(/-ctrl mutant_i 16 (\d+)/.exec(line)[1]), what: `${of('mode')} at ${of('port')} of ${of('cell')}${wire}`};
  });
}

async function main() {
  const options = readCommandLine();
  const test = `mutants_${options.block}_test`;
  const program = programOf(options.build, test);
  const mutants = readMutants(path.join(path.dirname(program), `${test}.netlist`)).slice(0, options.count);
  const run = (number, timeoutMs) => runProgram(program, ['--gtest_fail_fast', '--gtest_brief=1'], {cwd: root, env: {FIRSTLIGHT_MUTANT: String(number)}, timeoutMs});
  const healthy = await run(0, 1_800_000);
  if (healthy.status !== 0) throw new Error(`${test} fails without a mutant:\n${healthy.stdout.slice(-2000)}`);
  console.log(`without a mutant it passes, ${healthy.seconds.toFixed(0)} s`);
  const results = await runAll(mutants, {
    jobs: options.jobs,
    name: ({number, what}) => `mutant ${number}: ${what}`,
    work: async ({number}) => {
      const {status, timedOut, seconds, stdout} = await run(number, healthy.seconds * kTimesHealthy * 1000);
      const by = /^\[  FAILED  \] (\S+?)[, (]/m.exec(stdout)?.[1] ?? (timedOut ? 'never ended' : `status ${status}`);
      return {ok: true, caught: status !== 0, text: status !== 0 ? `caught by ${by}, ${seconds.toFixed(1)} s` : `NOT CAUGHT, ${seconds.toFixed(1)} s`};
    },
  });
  const caught = results.filter((result) => result.caught).length;
  console.log(`${caught} of ${results.length} mutants are caught`);
  if (options.out) {
    fs.mkdirSync(options.out, {recursive: true});
    fs.writeFileSync(path.join(options.out, 'mutants.json'), JSON.stringify(mutants.map((mutant, i) => ({...mutant, caught: results[i].caught, text: results[i].text})), null, 1) + '\n');
  }
  if (caught * 100 >= options['at-least'] * results.length) return 0;
  console.log(`BAD  ${caught} of ${results.length} caught, fewer than ${options['at-least']} %`);
  return 1;
}

runMain(main);
