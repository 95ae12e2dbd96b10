// A memory with bad cells is repaired by its spare rows when the sequence says so, and fails when it does not.
import fs from 'node:fs';
import path from 'node:path';
import {freshFolder, runProgram} from '../regression/jobs.mjs';
import {kBench, readOptions, root, runMain, stamp} from '../regression/options.mjs';
import {extensions, readLines} from '../regression/record.mjs';

const options = readOptions({}, `
  node tests/sequence/repair_test.mjs [--firstlight PATH] [--seed N] [--out DIR]
Exit status: 0 all as expected, 1 something is not, 2 bad input.`);

const kCases = [
  {name: 'stuck-repaired', fault: 'sram_bit_stuck=0x1234:5', repair: true, status: 0, rows: 1},
  {name: 'double-repaired', fault: 'sram_double_error=0x800', repair: true, status: 0, rows: 1},
  {name: 'healthy', repair: true, status: 0, rows: 0, hbmRows: 0},
  {name: 'hbm-stuck-repaired', fault: 'hbm_bit_stuck=0x234:5', repair: true, status: 0, rows: 0, hbmRows: 1},
  {name: 'scratchpad-repaired', fault: 'spad_bit_stuck=3:0x1230:17', repair: true, status: 0, rows: 0, scratchpadRows: 1},
  {name: 'stuck', fault: 'sram_bit_stuck=0x1234:5', repair: false, status: 1, symptom: 'mbist_failed'},
];

/// The value that a step measured.
const measured = (lines, name) => lines.map((one) => one.testStepArtifact?.measurement).find((one) => one?.name === name)?.value;

async function main() {
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `repair-${stamp()}`)));
  let bad = 0;
  for (const one of kCases) {
    const words = ['run', 'lab/sequences/memory.yaml', '--bench', kBench, '--set', `repair=${one.repair}`, '--seed', String(options.seed), '--results', out, '--name', one.name, '--quiet', ...(one.fault ? ['--fault', one.fault] : [])];
    const run = await runProgram(options.firstlight, words, {cwd: root, timeoutMs: 120_000});
    const file = path.join(out, one.name, 'events.jsonl');
    const lines = fs.existsSync(file) ? readLines(file).lines : [];
    const end = extensions(lines, 'run_end')[0]?.content;
    const rows = measured(lines, 'sram.mbist.repaired');
    const scratchpadRows = measured(lines, 'scratchpad.mbist.repaired');
    const hbmRows = measured(lines, 'hbm.bist.repaired');
    const problems = [];
    if (run.status !== one.status) problems.push(`exit status ${run.status}, expected ${one.status}: ${run.stderr}`);
    if (end?.first_failure?.symptom !== one.symptom) problems.push(`first failure ${end?.first_failure?.symptom}, expected ${one.symptom}`);
    if (rows !== one.rows) problems.push(`${rows} spare rows in use, expected ${one.rows}`);
    if (one.scratchpadRows !== undefined && scratchpadRows !== one.scratchpadRows) problems.push(`${scratchpadRows} spare rows of the scratchpad in use, expected ${one.scratchpadRows}`);
    if (one.hbmRows !== undefined && hbmRows !== one.hbmRows) problems.push(`${hbmRows} spare rows of the external memory in use, expected ${one.hbmRows}`);
    console.log(`${problems.length === 0 ? 'ok  ' : 'BAD '} ${one.name}: ${problems.join('; ') || `${rows ?? 'no'} spare rows in use, ${end.verdict}`}`);
    bad += problems.length;
  }
  return bad === 0 ? 0 : 1;
}

runMain(main);
