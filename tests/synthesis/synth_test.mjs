// That synthesis refuses what it must, counts right, and that the table is compared row by row.  node --test tests/synthesis/synth_test.mjs
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import {synthesize} from './synthesize.mjs';
import {updatePage, wrongRows} from './table.mjs';
import {yosys} from './yosys.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'firstlight-synth-'));
after(() => fs.rmSync(folder, {recursive: true}));

function synthesizeText(block, text, options = {}) {
  const file = path.join(folder, `${block}.sv`);
  fs.writeFileSync(file, text);
  return synthesize({block, files: [file], netlist: true, ...options});
}

test('counts gates, flip-flops, memory bits and the depth', async () => {
  const {facts, netlist} = await synthesizeText('counted', `module counted (input logic clk_i, input logic rst_ni, input logic [3:0] at_i, input logic [6:0] d_i, output logic q_o);
  logic [6:0] mem_q[16];
  logic sum_q;
  always_ff @(posedge clk_i) mem_q[at_i] <= d_i;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) sum_q <= 1'b0; else sum_q <= ^mem_q[at_i][1:0];
  assign q_o = sum_q;
endmodule`);
  assert.deepEqual([facts.gates, facts.flip_flops, facts.memory_bits, facts.depth], [1, 1, 16 * 7, 4 + 1]);
  assert.deepEqual([facts.from, facts.to], ['at_i[0]', 'sum_q']);
  assert.match(netlist, /^module counted\(/m);
});

test('parts that are synthesised once make the same netlist', async () => {
  const text = `module part (input logic clk_i, input logic [7:0] d_i, output logic q_o);
  logic sum_q;
  always_ff @(posedge clk_i) sum_q <= ^d_i;
  assign q_o = sum_q;
endmodule
module whole (input logic clk_i, input logic [7:0] a_i, input logic [7:0] b_i, output logic q_o);
  logic a, b;
  part u_a (.clk_i, .d_i(a_i), .q_o(a));
  part u_b (.clk_i, .d_i(b_i), .q_o(b));
  assign q_o = a & b;
endmodule`;
  const {facts, netlist} = await synthesizeText('whole', text, {parts: ['part']});
  assert.deepEqual([facts.gates, facts.flip_flops, facts.depth], [7 + 7 + 1, 2, 3]);
  assert.deepEqual([...netlist.matchAll(/^module (\w+)/gm)].map(([, name]) => name), ['whole']);
  await assert.rejects(synthesizeText('whole', text, {parts: ['nowhere']}), /nowhere/);
});

test('a latch is an error', async () => {
  await assert.rejects(synthesizeText('held', 'module held (input logic en_i, input logic d_i, output logic q_o); always_latch if (en_i) q_o = d_i; endmodule'), /latch.*q_o/s);
});

test('a combinational loop is an error', async () => {
  await assert.rejects(synthesizeText('looping', 'module looping (input logic a_i, input logic b_i, output logic q_o); logic x; assign x = (x & a_i) ^ b_i; assign q_o = x; endmodule'), /loop/);
});

test('a run of Yosys that dies or ends early says so, and where', async () => {
  const log = '1.2. Executing ABC pass (technology mapping).\nABC: + dch\n';
  const prints = (text, result = {}) => async (args, files, {stdout}) => {
    stdout(Buffer.from(text));
    if (result instanceof Error) throw result;
    return result;
  };
  const complains = (run, words) => assert.rejects(yosys([], {}, {run}), words);
  await complains(prints(log, new Error('unreachable')), /died \(unreachable\).*pass "1\.2\. Executing ABC.*dch/s);
  await complains(prints(log), /without a word.*Executing ABC/s);
  await complains(prints('ERROR: no such command\n', Object.assign(new Error('exit'), {code: 1})), /no such command/);
});

test('files that Yosys writes in many pieces are whole', async () => {
  const {log, files} = await yosys(['tee -o long.txt help -all', 'tee -q -o twice.txt help -all', 'tee -q -o twice.txt log short'], {});
  assert.ok(files['long.txt'].length > 100_000);
  assert.ok(log.includes(files['long.txt']));
  assert.match(files['twice.txt'], /^short *\n$/);
});

test('the table is judged row by row', () => {
  const facts = [{block: 'b', gates: 2, flip_flops: 1, memory_bits: 0, depth: 3, from: 'x', to: 'y'}];
  const page = updatePage('head\n<!-- begin: scripts/synth --write -->\n| `a` | 1 |\n<!-- end -->\ntail\n', facts, {all: false});
  assert.match(page, /^head\n[^]*\| `a` \| 1 \|\n\| `b` \| 2 \| 1 \| 0 \| 3 \| `x` to `y` \|\n<!-- end -->\ntail\n$/);
  assert.deepEqual(wrongRows(page, facts, {all: false}), []);
  assert.match(wrongRows(page, facts, {all: true})[0], /^a has a row/);
  assert.match(wrongRows(page, [{...facts[0], gates: 5}], {all: false})[0], /^b\n/);
});
