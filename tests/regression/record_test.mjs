// The judges must be able to say no: a good record passes, and each kind of bad one is told.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import {expand, addRun, linesOf} from './coverage_data.mjs';
import {firstDifference, readLines, safetyProblems} from './record.mjs';
import {judge} from '../fault/judge.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'firstlight-record-test-'));
after(() => fs.rmSync(folder, {recursive: true}));

const extension = (step, name, content) => ({testStepArtifact: {testStepId: step, extension: {name: `firstlight.${name}`, content}}});
const ledger = (step, event, entry, key) => extension(step, 'ledger', {event, entry, key});
const verified = (rail, voltage = 0.001) => ({rail, voltage, residual: 0.1, independent: true, safe: true});

function goodRecord() {
  const first = {id: 'on', class: 'dut', symptom: 'low', message: 'it is low', part: 'the part', likely_cause: 'a bad cause'};
  return [
    {schemaVersion: {}},
    ledger('p/a', 'energise', 1, 'supply psu'), ledger('p/b', 'energise', 2, 'rail a'), ledger('p/c', 'energise', 3, 'rail b'), ledger('p/d', 'energise', 4, 'rail a'),
    ledger('@safe_state', 'undo', 3, 'rail b'), ledger('@safe_state', 'undone', 3, 'rail b'),
    ledger('@safe_state', 'undo', 4, 'rail a'), ledger('@safe_state', 'undone', 4, 'rail a'),
    ledger('@safe_state', 'undo', 1, 'supply psu'), ledger('@safe_state', 'undone', 1, 'supply psu'),
    extension('@safe_state', 'safe_state', {reason: 'first failure', failed: [], verified: [verified('a'), verified('b')], safe: true}),
    extension('@bench', 'run_end', {first_failure: first}),
    {testRunArtifact: {testRunEnd: {}}},
  ];
}
const kRow = {fault: 'f', status: 1, step: 'on', class: 'dut', symptom: 'low', part: 'the part', says: ['is low', 'bad cause']};

function write(lines, {summary = {}, ledgerEnd = '{"event":"safe","safe":true}\n', tail = ''} = {}) {
  fs.writeFileSync(path.join(folder, 'events.jsonl'), lines.map((line) => JSON.stringify(line) + '\n').join('') + tail);
  fs.writeFileSync(path.join(folder, 'ledger.jsonl'), ledgerEnd);
  const first = lines.find((line) => line.testStepArtifact?.extension.name === 'firstlight.run_end')?.testStepArtifact.extension.content.first_failure;
  fs.writeFileSync(path.join(folder, 'summary.json'), JSON.stringify({verdict: 'fail', exit_status: 1, complete: true, safe: true, first_failure: first, ...summary}));
}
const problemsOf = (row = kRow, status = 1) => judge(row, {status, timedOut: false, stderr: ''}, folder).problems;

test('a good record has no problem', () => {
  write(goodRecord());
  assert.deepEqual(problemsOf(), []);
});

test('what the table expects is checked', () => {
  write(goodRecord());
  for (const change of [{step: 'off'}, {class: 'bench'}, {symptom: 'high'}, {part: 'another'}, {says: ['is high']}, {says: ['is low', 'another cause']}])
    assert.equal(problemsOf({...kRow, ...change}).length, 1, JSON.stringify(change));
  assert.equal(problemsOf({...kRow, status: 3}).length, 1);
  assert.equal(problemsOf(kRow, 0).length, 2);
});

test('a pass is a fault that was not seen', () => {
  write(goodRecord(), {summary: {verdict: 'pass', first_failure: null}});
  assert.ok(problemsOf().some((problem) => problem.includes('not seen')));
});

test('an unsafe end is told', () => {
  const broken = (mend, options) => {
    const lines = goodRecord();
    mend(lines);
    write(lines, options);
    return safetyProblems(folder, readLines(path.join(folder, 'events.jsonl')).lines);
  };
  const safeState = (lines) => lines[11].testStepArtifact.extension.content;
  assert.deepEqual(broken(() => {}), []);
  assert.match(broken((lines) => [lines[5], lines[7]] = [lines[7], lines[5]]).join(), /in the order \[rail a, rail b/);
  assert.match(broken((lines) => lines.splice(7, 2)).join(), /in the order/);
  assert.match(broken((lines) => lines.splice(8, 1)).join(), /its undo did not end/);
  assert.match(broken((lines) => lines[8] = ledger('@safe_state', 'undo_failed', 4, 'rail a')).join(), /rail a: undo_failed/);
  assert.match(broken((lines) => safeState(lines).verified.pop()).join(), /b was energised and is not verified off/);
  assert.match(broken((lines) => safeState(lines).verified[1] = verified('b', 0.4)).join(), /b: 0.4 V measured/);
  assert.match(broken((lines) => delete safeState(lines).verified[1].voltage).join(), /undefined V measured/);
  assert.match(broken((lines) => safeState(lines).verified[1].on = true).join(), /b is not off/);
  assert.match(broken((lines) => safeState(lines).verified[1].independent = false).join(), /its own regulator only/);
  assert.match(broken((lines) => safeState(lines).safe = false).join(), /not safe/);
  assert.match(broken((lines) => safeState(lines).failed.push({key: 'rail a'})).join(), /could not undo rail a/);
  assert.match(broken((lines) => lines.splice(11, 1)).join(), /no safe state/);
  assert.match(broken(() => {}, {ledgerEnd: '{"event":"undone"}\n'}).join(), /ledger.jsonl does not end/);
});

test('what was released before is not undone again, and stays verified', () => {
  const lines = goodRecord();
  lines.splice(5, 2, ledger('p/e', 'released', 3, 'rail b'));
  write(lines);
  assert.deepEqual(safetyProblems(folder, lines), []);
});

test('only the last line may be cut', () => {
  write(goodRecord(), {tail: '{"half'});
  const cut = readLines(path.join(folder, 'events.jsonl'));
  assert.equal(cut.cut, true);
  assert.equal(cut.lines.length, 14);
  assert.deepEqual(cut.problems, []);
  fs.writeFileSync(path.join(folder, 'events.jsonl'), '{"a":1}\n{"half\n{"b":2}\n');
  assert.match(readLines(path.join(folder, 'events.jsonl')).problems.join(), /events.jsonl:2 is no JSON/);
});

test('two records differ in anything but the wall clock', () => {
  const a = [{t: 1, timestamp: 'x', inner: {wall_time: 1, v: [1, {wall_x: 2}]}}];
  const b = [{t: 1, timestamp: 'y', inner: {wall_time: 2, v: [1, {wall_x: 3}]}}];
  assert.equal(firstDifference(a, b), null);
  assert.match(firstDifference(a, [{...a[0], t: 2}]), /line 1 differs/);
  assert.match(firstDifference(a, [...a, ...a]), /line 2 differs/);
  assert.match(firstDifference([{x: {wall: 1}}], [{x: {wall: 2}}]), /line 1 differs/);
});

test('coverage: a line needs all of its blocks, a bit two changes in one run', () => {
  assert.deepEqual(expand('3-5,9'), [3, 4, 5, 9]);
  const files = new Map();
  const point = (kind, line, name, lines, count) => ({file: 'f', line, column: '1', kind, name, lines, count});
  addRun(files, [point('line', 1, 'if', '1-2', 1), point('line', 2, 'else', '2', 0), point('toggle', 5, 'a[0]', '5', 1), point('toggle', 5, 'b', '5', 2)], () => 'f');
  addRun(files, [point('line', 1, 'if', '1-2', 0), point('toggle', 5, 'a[0]', '5', 1), point('toggle', 5, 'b', '5', 0)], () => 'f');
  assert.deepEqual([...linesOf(files.get('f'))], [[1, true], [2, false]]);
  assert.deepEqual([...files.get('f').bits], [['5:a[0]', false], ['5:b', true]]);
});
