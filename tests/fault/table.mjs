// The fault matrix: what the table says, and whether it and the catalogue hold the same.
import fs from 'node:fs';
import path from 'node:path';
import {parse} from 'yaml';
import {kSequence, root} from '../regression/options.mjs';
import {runProgram} from '../regression/jobs.mjs';

const kTable = path.join(root, 'tests/fault/matrix.yaml');
const kRequired = ['fault', 'status', 'step', 'class', 'symptom', 'part', 'says'];
const kOptional = ['value', 'sequence', 'undo_may_fail', 'ci'];
const kBadStatus = [1, 3, 4];

function rowProblems(row) {
  const problems = [];
  for (const key of kRequired) if (row[key] === undefined) problems.push(`${key} is missing`);
  for (const key of Object.keys(row)) if (![...kRequired, ...kOptional].includes(key)) problems.push(`unknown key ${key}`);
  if (!kBadStatus.includes(row.status)) problems.push(`status ${row.status} is not that of a bad run (${kBadStatus.join(', ')})`);
  if (!Array.isArray(row.says) || row.says.length === 0) problems.push('says is a list of regular expressions, one at least');
  if (row.part === '') problems.push('part is empty, so any part would do');
  for (const text of row.says ?? []) {
    try {
      if (new RegExp(text).test('')) problems.push(`says /${text}/ matches anything`);
    } catch (error) {
      problems.push(`says: ${error.message}`);
    }
  }
  return problems;
}

/// The rows of matrix.yaml. Throws an error that lists everything wrong with them.
export function readTable(file = kTable) {
  const rows = parse(fs.readFileSync(file, 'utf8')).faults;
  const problems = rows.flatMap((row) => rowProblems(row).map((problem) => `${row.fault}: ${problem}`));
  const names = rows.map((row) => row.fault);
  names.filter((name, index) => names.indexOf(name) !== index).forEach((name) => problems.push(`${name} is there twice`));
  if (problems.length > 0) throw new Error(`${path.relative(root, file)}:\n  ${problems.join('\n  ')}`);
  return rows;
}

/// The faults of the model: {fault, domain, doc, value, default}.
export async function readCatalogue(firstlight) {
  const run = await runProgram(firstlight, ['faults', '--json'], {cwd: root, timeoutMs: 30_000});
  if (run.status !== 0) throw new Error(`firstlight faults --json ended with ${run.status}: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

/// What the table lacks, or has too much.
export function differences(rows, catalogue) {
  const known = new Set(catalogue.map((entry) => entry.fault));
  const listed = new Set(rows.map((row) => row.fault));
  return [
    ...[...known].filter((name) => !listed.has(name)).map((name) => `${name} is in the catalogue and not in tests/fault/matrix.yaml: nothing tests that it is seen`),
    ...[...listed].filter((name) => !known.has(name)).map((name) => `${name} is in tests/fault/matrix.yaml and not in the catalogue`),
  ];
}

/// What the fault is looked for with.
export const sequenceOf = (row) => row.sequence ?? kSequence;

/// As given to --fault.
export const faultOption = (row) => (row.value === undefined ? row.fault : `${row.fault}=${row.value}`);
