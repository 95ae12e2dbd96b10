// Coverage as text.

const percent = ({covered, total}) => (total === 0 ? '     -' : `${((100 * covered) / total).toFixed(1).padStart(5)}%`);
const counts = ({covered, total}) => `${covered}/${total}`.padStart(12);
const row = (name, line, toggle) => `${name.padEnd(34)} ${percent(line)} ${counts(line)}   ${percent(toggle)} ${counts(toggle)}   ${String(line.excluded + toggle.excluded).padStart(6)}\n`;
const kHead = `${''.padEnd(34)} ${'lines'.padStart(6)} ${''.padStart(12)}   ${'bits'.padStart(6)} ${''.padStart(12)}   excluded\n`;

/// "3-5, 9" of [3, 4, 5, 9]
function ranges(lines) {
  const out = [];
  for (const line of lines) {
    const last = out[out.length - 1];
    if (last && last[1] === line - 1) last[1] = line;
    else out.push([line, line]);
  }
  return out.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

/// "name[0-7]" of name[0] .. name[7], to keep the list short.
function bitsByName(keys) {
  const byName = new Map();
  for (const key of keys) {
    const [, signal, bit] = /^\d+:(.*?)(?:\[(\d+)\])?$/.exec(key);
    byName.set(signal, [...(byName.get(signal) ?? []), ...(bit === undefined ? [] : [Number(bit)])]);
  }
  return [...byName].map(([signal, bits]) => (bits.length === 0 ? signal : `${signal}[${ranges(bits.sort((a, b) => a - b))}]`));
}

/// By block. A line counts when everything on it ran, a bit when it rose and fell within one run.
export function summaryText(report) {
  let text = kHead;
  for (const {name, line, toggle} of report.blocks) text += row(name, line, toggle);
  return text + row(report.total.name, report.total.line, report.total.toggle);
}

/// By file, with what was missed.
export function fileText(report) {
  let text = `\n${kHead}`;
  for (const file of report.files) text += row(file.name, file.line, file.toggle);
  text += '\nExcluded\n';
  for (const entry of report.exclusions) text += `  ${entry.points} points: ${entry.file} ${entry.signal ?? entry.text}: ${entry.reason}\n`;
  text += '\nMissed\n';
  for (const file of report.files) {
    if (file.line.missed.length === 0 && file.toggle.missed.length === 0) continue;
    text += `${file.name}\n`;
    for (const {line, text: source} of file.line.missed) text += `  ${String(line).padStart(5)}  ${source}\n`;
    if (file.toggle.missed.length > 0) text += `  bits: ${bitsByName(file.toggle.missed).join(' ')}\n`;
  }
  return text;
}
