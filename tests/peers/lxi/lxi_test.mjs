// lxi-tools drive the virtual supply and the meter, while another program is connected to the same supply.
import net from 'node:net';
import {runProgram} from '../../regression/jobs.mjs';
import {readOptions, runMain} from '../../regression/options.mjs';
import {startModel} from '../../desk/model.mjs';

const options = readOptions({}, `
  node tests/peers/lxi/lxi_test.mjs [--firstlight PATH] [--seed N]
Exit status: 0 all as expected, 1 something is not, 2 bad input.`);

/// Asks again and again on one connection, and checks that every answer is the one to its question.
function bystander(port) {
  const socket = net.connect(port, '127.0.0.1');
  const seen = {answers: 0, wrong: []};
  let text = '';
  socket.setEncoding('utf8').on('connect', () => socket.write('VOLT:PROT?\n'));
  socket.on('error', (error) => seen.wrong.push(error.message));
  socket.on('data', (more) => {
    text += more;
    while (text.includes('\n')) {
      const line = text.slice(0, text.indexOf('\n'));
      text = text.slice(line.length + 1);
      if (Number(line) !== 16.5) seen.wrong.push(line);
      ++seen.answers;
      socket.write('VOLT:PROT?\n');
    }
  });
  return {seen, end: () => socket.destroy()};
}

async function main() {
  const model = await startModel(options.firstlight, {seed: options.seed});
  const other = bystander(model.port('psu0'));
  const problems = [];
  const ask = async (resource, message) => {
    const run = await runProgram('lxi', ['scpi', '--raw', '-a', '127.0.0.1', '-p', String(model.port(resource)), '-t', '5', message], {timeoutMs: 20_000});
    if (run.status !== 0) throw new Error(`lxi scpi "${message}" ended with ${run.status ?? run.signal}: ${run.stdout}${run.stderr}`);
    return run.stdout.trim();
  };
  const expect = (what, found, right) => {
    console.log(`${right(found) ? 'ok  ' : 'BAD '} ${what}: ${found}`);
    if (!right(found)) problems.push(what);
  };
  const near = (volts) => (text) => Math.abs(Number(text) - volts) < 0.05;

  expect('supply', await ask('psu0', '*IDN?'), (text) => text === 'Firstlight,FL-PS1230,SN0001,1.0');
  expect('meter', await ask('dmm0', '*IDN?'), (text) => text.startsWith('Firstlight,FL-DM61'));
  await ask('psu0', 'VOLT 12');
  await ask('psu0', 'CURR 5');
  expect('set point', await ask('psu0', 'VOLT?'), near(12));
  expect('off at first', await ask('psu0', 'OUTP?'), (text) => text === '0');
  await ask('psu0', 'OUTP ON');
  expect('on', await ask('psu0', '*OPC?'), (text) => text === '1');
  expect('supply measures', await ask('psu0', 'MEAS:VOLT?'), near(12));
  expect('meter measures the same', await ask('dmm0', 'MEAS:VOLT? (@6)'), near(12));
  await ask('psu0', 'OUTP OFF');
  expect('off again', await ask('psu0', 'OUTP?'), (text) => text === '0');
  expect('at the pin', String((await model.witnessUntil((seen) => !seen.input.driven)).input.driven), (text) => text === 'false');
  expect('no errors', await ask('psu0', 'SYST:ERR?'), (text) => text.startsWith('0'));
  other.end();
  expect('the other program got its own answers', `${other.seen.answers} answers, wrong: ${other.seen.wrong.join(' ') || 'none'}`, () => other.seen.answers > 50 && other.seen.wrong.length === 0);
  await model.stop();
  return problems.length === 0 ? 0 : 1;
}

runMain(main);
