// Judges one run that had a fault: was it seen, by the right step, with the right part and cause, and is the bench safe?
import fs from 'node:fs';
import path from 'node:path';
import {hasEnd, only, readLines, safetyProblems} from '../regression/record.mjs';

function failureProblems(row, first) {
  if (!first) return ['no first failure: the fault was not seen'];
  const problems = [];
  if (first.id !== row.step) problems.push(`first failed ${first.id}, expected ${row.step}`);
  if (first.class !== row.class) problems.push(`class ${first.class}, expected ${row.class}`);
  if (first.symptom !== row.symptom) problems.push(`symptom ${first.symptom}, expected ${row.symptom}`);
  if (!(first.part ?? '').includes(row.part)) problems.push(`blames "${first.part ?? ''}", expected "${row.part}"`);
  const told = `${first.message ?? ''}\n${first.likely_cause ?? ''}`;
  for (const text of row.says)
    if (!new RegExp(text).test(told)) problems.push(`does not say /${text}/: "${first.message}" (likely cause: ${first.likely_cause ?? 'none'})`);
  return problems;
}

/// `run` is what runProgram gave, `folder` the run's record. {problems, first, summary}.
export function judge(row, run, folder) {
  if (run.timedOut) return {problems: ['ran too long and was killed']};
  if (!fs.existsSync(path.join(folder, 'summary.json'))) return {problems: [`no summary; status ${run.status ?? run.signal}: ${(run.stderr.trim() || run.stdout.trim()).slice(0, 300)}`]};
  const summary = JSON.parse(fs.readFileSync(path.join(folder, 'summary.json'), 'utf8'));
  const {lines, cut, problems: unreadable} = readLines(path.join(folder, 'events.jsonl'));
  const problems = [...unreadable];
  if (cut || !hasEnd(lines) || !summary.complete) problems.push('the record has no end');
  if (!['fail', 'aborted', 'error'].includes(summary.verdict)) problems.push(`verdict ${summary.verdict}: the fault was not seen`);
  if (run.status !== row.status) problems.push(`exit status ${run.status ?? run.signal}, expected ${row.status}`);
  if (summary.exit_status !== run.status) problems.push(`summary.json says exit status ${summary.exit_status}, it was ${run.status}`);
  if (!summary.safe) problems.push('summary.json says that the bench is not safe');
  const told = only(lines, 'run_end')?.first_failure;
  if (told && (told.id !== summary.first_failure?.id || told.message !== summary.first_failure?.message)) problems.push('summary.json and events.jsonl tell of different first failures');
  problems.push(...failureProblems(row, summary.first_failure), ...safetyProblems(folder, lines, row.undo_may_fail));
  return {problems, first: summary.first_failure, summary};
}
