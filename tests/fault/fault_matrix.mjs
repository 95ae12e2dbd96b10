// Runs bring-up, or the sequence that looks for it, on the model with each fault of tests/fault/matrix.yaml, as a user would, and judges what it says.
import fs from 'node:fs';
import path from 'node:path';
import {checkInputs, freshFolder, runAll, runProgram} from '../regression/jobs.mjs';
import {kBench, kSequence, readOptions, refuse, root, runMain, stamp, wholeNumber} from '../regression/options.mjs';
import {judge} from './judge.mjs';
import {differences, faultOption, readCatalogue, readTable, sequenceOf} from './table.mjs';

const kHelp = `
Runs bring-up, or the sequence that the table names, with each fault, and checks verdict, exit status, first failing step, blamed part, cause, and that the bench ended safe.

  node tests/fault/fault_matrix.mjs [options]
    --only REGEX         faults whose name matches
    --subset ci|all      ci: those that the table marks (default: all)
    --seed N             seed of every run (default: 1)
    --seeds N            each fault with so many seeds, from --seed on (default: 1)
    --jobs N             runs at once (default: the processors)
    --firstlight PATH    the program (default: build/release/bin/firstlight)
    --out DIR            where records, matrix.md and matrix.json go (default: results/faults-<date>-<time>)
Exit status: 0 all as expected, 1 something is not, 2 bad input.`;

const options = readOptions({only: {type: 'string', default: ''}, subset: {type: 'string', default: 'all'}, seeds: {type: 'string', default: '1'}}, kHelp);
options.seeds = wholeNumber('seeds', options.seeds);
if (options.seeds < 1) refuse('--seeds takes at least 1');
if (!['ci', 'all'].includes(options.subset)) refuse(`--subset takes ci or all, not "${options.subset}"`);

function reproduce(row) {
  return `firstlight run ${sequenceOf(row)} --bench ${kBench} --fault '${faultOption(row)}' --seed ${row.seed}`;
}

const nameOf = (row) => (options.seeds === 1 ? row.fault : `${row.fault}-${row.seed}`);

async function runOne(row, runs) {
  const args = ['run', sequenceOf(row), '--bench', kBench, '--fault', faultOption(row), '--seed', String(row.seed), '--results', runs, '--name', nameOf(row), '--quiet'];
  const run = await runProgram(options.firstlight, args, {cwd: root, timeoutMs: 400_000});
  const {problems, first, summary} = judge(row, run, path.join(runs, nameOf(row)));
  return {
    ok: problems.length === 0,
    text: problems.length === 0 ? `${first.id}: ${first.part}  (${run.seconds.toFixed(1)} s)` : `\n      ${[...problems, `again: ${reproduce(row)}`].join('\n      ')}`,
    problems, first, seconds: run.seconds, status: run.status, benchSeconds: summary?.bench_time_s,
  };
}

function markdown(rows, results) {
  const cell = (text) => String(text ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ');
  const head = ['| fault | as expected | first failing step | blamed part | message | likely cause | exit status | bench time | time |', '|---|---|---|---|---|---|---|---|---|'];
  const lines = rows.map((row, i) => {
    const {ok, first, status, seconds, benchSeconds, problems} = results[i];
    return `| ${[`\`${faultOption(row)}\``, ok ? 'yes' : `**no**: ${problems.join('; ')}`, first?.id, first?.part, first?.message, first?.likely_cause, status,
      benchSeconds === undefined ? '' : `${benchSeconds.toFixed(2)} s`, seconds === undefined ? '' : `${seconds.toFixed(1)} s`].map(cell).join(' | ')} |`;
  });
  return [...head, ...lines, ''].join('\n');
}

function writeResults(out, rows, results) {
  const report = rows.map((row, i) => {
    const {ok, problems, first, seconds, status, benchSeconds} = results[i];
    return {fault: faultOption(row), seed: row.seed, ok, problems, exit_status: status, first_failure: first, bench_time_s: benchSeconds, wall_time_s: seconds, reproduce: reproduce(row)};
  });
  fs.writeFileSync(path.join(out, 'matrix.json'), JSON.stringify({seed: options.seed, seeds: options.seeds, subset: options.subset, faults: report}, null, 1) + '\n');
  fs.writeFileSync(path.join(out, 'matrix.md'), markdown(rows, results));
}

async function main() {
  const table = readTable();
  for (const sequence of new Set([kSequence, ...table.map(sequenceOf)])) await checkInputs(options.firstlight, root, sequence, kBench);
  const missing = differences(table, await readCatalogue(options.firstlight));
  missing.forEach((problem) => console.log(`BAD ${problem}`));
  const wanted = new RegExp(options.only);
  const rows = table.filter((row) => wanted.test(row.fault) && (options.subset === 'all' || row.ci))
    .flatMap((row) => Array.from({length: options.seeds}, (_, i) => ({...row, seed: options.seed + i})));
  if (rows.length === 0) refuse(`no fault matches ${options.only}`);
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `faults-${stamp()}`)));
  const runs = path.join(out, 'runs');
  console.log(`${rows.length} runs, first seed ${options.seed}, ${options.jobs} at once; records in ${out}`);
  const results = await runAll(rows, {jobs: options.jobs, name: (row) => `${faultOption(row)}${options.seeds === 1 ? '' : ` seed ${row.seed}`}`, work: (row) => runOne(row, runs)});
  writeResults(out, rows, results);
  const bad = rows.filter((_, i) => !results[i].ok);
  console.log(`\n${rows.length - bad.length} of ${rows.length} runs say what is expected; table: ${path.join(out, 'matrix.md')}`);
  if (bad.length > 0) console.log(`not as expected: ${bad.map(nameOf).join(', ')}\nagain: node tests/fault/fault_matrix.mjs --only '^(${[...new Set(bad.map((row) => row.fault))].join('|')})$' --seed ${options.seed} --seeds ${options.seeds}`);
  return bad.length > 0 || missing.length > 0 ? 1 : 0;
}

runMain(main);
