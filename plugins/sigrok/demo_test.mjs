// The plug-in with libsigrok's own demo device: hello, a reading of each analog channel, and refusals.
//
//   node plugins/sigrok/demo_test.mjs build/bin/firstlight-sigrok
import assert from 'node:assert';
import {spawnSync} from 'node:child_process';

function talk(driver, requests) {
  const input = requests.map((request, id) => JSON.stringify({id, ...request})).join('\n') + '\n';
  const done = spawnSync(process.argv[2], [driver], {input, encoding: 'utf8', timeout: 30000});
  assert.equal(done.status, 0, done.stderr);
  const answers = done.stdout.trim().split('\n').map((line) => JSON.parse(line));
  answers.forEach((answer, id) => assert.equal(answer.id, id, 'each answer carries its id'));
  return answers;
}

const [hello] = talk('demo', [{do: 'hello', version: 1}]);
assert.ok(hello.ok, hello.error);
assert.match(hello.name, /Demo device/);
const readings = Object.keys(hello.readings);
assert.ok(readings.length >= 4, `analog channels: ${readings}`);
assert.equal(hello.readings[readings[0]].unit, 'V');

const answers = talk('demo', [...readings.map((name) => ({do: 'read', name})), {do: 'read', name: 'nothing'}, {do: 'set', name: 'voltage_target', value: 1}, {do: 'dance'}]);
answers.slice(0, readings.length).forEach((answer, i) => {
  assert.ok(answer.ok, `${readings[i]}: ${answer.error}`);
  assert.ok(Number.isFinite(answer.value) && Math.abs(answer.value) <= 20, `${readings[i]} reads ${answer.value}`);
});
for (const refused of answers.slice(readings.length)) {
  assert.equal(refused.ok, false);
  assert.ok(refused.error.length > 10);
}
const [none] = talk('no-such-driver', [{do: 'hello'}]);
assert.equal(none.ok, false);
assert.match(none.error, /no-such-driver/);
console.log(`${hello.name}: ${readings.length} readings`);
