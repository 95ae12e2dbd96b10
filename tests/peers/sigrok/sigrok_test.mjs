// sigrok-cli drives the virtual supply: its driver scpi-pps knows the model that the supply answers as.
import {runProgram} from '../../regression/jobs.mjs';
import {readOptions, runMain} from '../../regression/options.mjs';
import {startModel} from '../../desk/model.mjs';

const options = readOptions({}, `
  node tests/peers/sigrok/sigrok_test.mjs [--firstlight PATH] [--seed N]
Exit status: 0 all as expected, 1 something is not, 2 bad input.`);

const kOutput = ['--channel-group', '1'];
const kIdentity = 'HEWLETT-PACKARD,66332A,0,A.02.05';

async function main() {
  const model = await startModel(options.firstlight, {seed: options.seed, variables: {psu0_identity: kIdentity}});
  const problems = [];
  const sigrok = async (...words) => {
    const run = await runProgram('sigrok-cli', ['--driver', `scpi-pps:conn=tcp-raw/127.0.0.1/${model.port('psu0')}`, ...words], {timeoutMs: 20_000});
    if (run.status !== 0) throw new Error(`sigrok-cli ${words.join(' ')} ended with ${run.status ?? run.signal}: ${run.stdout}${run.stderr}`);
    return run.stdout;
  };
  const expect = (what, found, right) => {
    console.log(`${right(found) ? 'ok  ' : 'BAD '} ${what}: ${found.trim().replaceAll('\n', ' | ')}`);
    if (!right(found)) problems.push(what);
  };
  const near = (volts) => (text) => Math.abs(Number(text.match(/([\d.]+)/)?.[1]) - volts) < 0.05;

  expect('it finds the supply', await sigrok('--scan'), (text) => text.includes('66332A'));
  expect('the output is off at first', await sigrok(...kOutput, '--get', 'enabled'), (text) => text.trim() === 'false');
  await sigrok(...kOutput, '--config', 'voltage_target=11.5:current_limit=4', '--set');
  expect('the set point reads back', await sigrok(...kOutput, '--get', 'voltage_target'), near(11.5));
  expect('setting a voltage turns nothing on', String((await model.witness()).input.max_volts), (text) => Number(text) < 0.01);
  await sigrok(...kOutput, '--config', 'enabled=yes', '--set');
  expect('the output is on', await sigrok(...kOutput, '--get', 'enabled'), (text) => text.trim() === 'true');
  await model.witnessUntil((seen) => near(11.5)(String(seen.input.volts)));
  expect('it measures what is there', await sigrok('--samples', '1', '--channels', 'V1'), (text) => near(11.5)(text.replace(/^.*V1:/s, '')));
  expect('the witness sees it', String((await model.witness()).input.volts), near(11.5));
  await sigrok(...kOutput, '--config', 'enabled=no', '--set');
  expect('the output is off again', String((await model.witnessUntil((seen) => !seen.input.driven)).input.driven), (text) => text === 'false');
  await model.stop();
  return problems.length === 0 ? 0 : 1;
}

runMain(main);
