// Reads the record of a run (docs/record.md) and says what is wrong with it.
import fs from 'node:fs';
import path from 'node:path';

/// The lines of a JSON lines file. A last line without its line feed was cut by a kill, and is not counted; any other line that is no
/// JSON is a problem.
export function readLines(file) {
  const text = fs.readFileSync(file, 'utf8');
  const parts = text.split('\n');
  const cut = parts.pop() !== '';
  const lines = [];
  const problems = [];
  parts.forEach((part, index) => {
    try {
      lines.push(JSON.parse(part));
    } catch (error) {
      problems.push(`${path.basename(file)}:${index + 1} is no JSON: ${error.message}`);
    }
  });
  return {lines, cut, problems};
}

/// All `firstlight.<name>` extensions, in order: {step, content}.
export function extensions(lines, name) {
  const found = [];
  for (const line of lines) {
    const step = line.testStepArtifact;
    if (step?.extension?.name === `firstlight.${name}`) found.push({step: step.testStepId, content: step.extension.content});
  }
  return found;
}

export function only(lines, name) {
  const found = extensions(lines, name);
  return found.length === 1 ? found[0].content : null;
}

export const hasEnd = (lines) => lines.some((line) => line.testRunArtifact?.testRunEnd);

export const seedOf = (lines) => lines.find((line) => line.testRunArtifact?.testRunStart)?.testRunArtifact.testRunStart.parameters?.seed;

/// The line without what may differ between two runs of the same thing: `timestamp` and fields that begin with `wall_`. Nothing else.
export function withoutWall(value) {
  if (Array.isArray(value)) return value.map(withoutWall);
  if (value === null || typeof value !== 'object') return value;
  const kept = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'timestamp' && !key.startsWith('wall_')) kept[key] = withoutWall(inner);
  }
  return kept;
}

/// The first difference of two records as text, or null.
export function firstDifference(a, b) {
  const most = Math.max(a.length, b.length);
  for (let i = 0; i < most; ++i) {
    const left = i < a.length ? JSON.stringify(withoutWall(a[i])) : '(no line)';
    const right = i < b.length ? JSON.stringify(withoutWall(b[i])) : '(no line)';
    if (left === right) continue;
    let at = 0;
    while (at < left.length && left[at] === right[at]) ++at;
    const from = Math.max(0, at - 60);
    return `line ${i + 1} differs:\n    first:  ...${left.slice(from, at + 80)}\n    second: ...${right.slice(from, at + 80)}`;
  }
  return null;
}

const isRail = (key) => key.startsWith('rail ');

/// What was on when the safe state began: key -> number of the entry in whose place it stands. An entry that replaces another stands in
/// the other's place, since what was energised after the other still depends on it.
function liveEntries(events) {
  const live = new Map();
  for (const {content} of events) {
    if (content.event === 'energise' && !live.has(content.key)) live.set(content.key, content.entry);
    if (content.event === 'released') live.delete(content.key);
  }
  return live;
}

function undoProblems(events, mayFail) {
  const problems = [];
  const live = liveEntries(events.filter((event) => event.step !== '@safe_state'));
  const undos = events.filter((event) => event.step === '@safe_state' && event.content.event === 'undo').map((event) => event.content.key);
  const ended = events.filter((event) => event.step === '@safe_state' && event.content.event !== 'undo');
  const wanted = [...live.entries()].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  if (JSON.stringify(undos) !== JSON.stringify(wanted))
    problems.push(`undone in the order [${undos.join(', ')}], the reverse of energising is [${wanted.join(', ')}]`);
  for (const key of wanted) {
    const last = ended.filter((event) => event.content.key === key).pop();
    if (!last) problems.push(`${key}: its undo did not end`);
    else if (last.content.event !== 'undone' && !mayFail.includes(key))
      problems.push(`${key}: ${last.content.event}: ${last.content.failure?.message ?? ''}`);
  }
  return problems;
}

function railProblems(events, safeState) {
  const problems = [];
  const rails = new Set(events.filter(({content}) => content.event === 'energise' && isRail(content.key)).map(({content}) => content.key.slice(5)));
  for (const rail of rails) {
    const verified = safeState.verified.find((one) => one.rail === rail);
    if (!verified) {
      problems.push(`${rail} was energised and is not verified off`);
      continue;
    }
    if (!verified.safe || verified.on === true) problems.push(`${rail} is not off: ${JSON.stringify(verified)}`);
    if (typeof verified.voltage !== 'number' || !(Math.abs(verified.voltage) <= verified.residual))
      problems.push(`${rail}: ${verified.voltage} V measured, ${verified.residual} V allowed`);
    if (!verified.independent) problems.push(`${rail} was verified by its own regulator only`);
  }
  return problems;
}

/// What keeps a run that has ended from having left its bench safe; empty when nothing does. `mayFail`: keys of the ledger whose undo may
/// fail, because the fault is just that.
export function safetyProblems(folder, lines, mayFail = []) {
  const safeState = only(lines, 'safe_state');
  if (!safeState) return ['the record has no safe state'];
  const events = extensions(lines, 'ledger');
  const problems = [...undoProblems(events, mayFail), ...railProblems(events, safeState)];
  if (!safeState.safe) problems.push('the safe state says that the bench is not safe');
  for (const failed of safeState.failed)
    if (!mayFail.includes(failed.key)) problems.push(`the safe state could not undo ${failed.key}`);
  const ledger = readLines(path.join(folder, 'ledger.jsonl'));
  problems.push(...ledger.problems);
  const last = ledger.lines[ledger.lines.length - 1];
  if (last?.event !== 'safe' || last.safe !== true || ledger.cut) problems.push('ledger.jsonl does not end by saying that the bench is safe');
  return problems;
}
