// Verilator's coverage points, merged over runs and over instances of a module.
import fs from 'node:fs';
import path from 'node:path';

/// Points of one .dat file: {file, line, kind, name, lines, count}. `lines` are the source lines of a line or branch point.
export function readPoints(file) {
  const points = [];
  for (const text of fs.readFileSync(file, 'latin1').split('\n')) {
    if (!text.startsWith('C ')) continue;
    const end = text.lastIndexOf("'");
    const fields = new Map(text.slice(3, end).split('\x01').filter(Boolean).map((part) => part.split('\x02')));
    const kind = (fields.get('page') ?? '').split('/')[0].replace(/^v_/, '');
    points.push({file: fields.get('f'), line: Number(fields.get('l')), column: fields.get('n'), kind, name: fields.get('o') ?? '', lines: fields.get('S') ?? fields.get('l'), count: Number(text.slice(end + 2))});
  }
  return points;
}

/// "3-5,9" -> [3, 4, 5, 9]
export function expand(text) {
  return text.split(',').flatMap((part) => {
    const [from, to] = part.split('-').map(Number);
    return Array.from({length: (to ?? from) - from + 1}, (_, i) => from + i);
  });
}

/// A bit has risen and fallen once it changed twice in one run.
const kNeeded = {toggle: 2, line: 1, branch: 1};

/// Adds a run's points to `files`: path -> {blocks: key -> {lines, hit, name}, bits: "signal[bit]" -> hit}.
export function addRun(files, points, nameOf) {
  for (const point of points) {
    if (kNeeded[point.kind] === undefined) continue;
    const name = nameOf(point.file);
    if (name === null) continue;
    if (!files.has(name)) files.set(name, {blocks: new Map(), bits: new Map()});
    const file = files.get(name);
    const hit = point.count >= kNeeded[point.kind];
    if (point.kind === 'toggle') {
      const key = `${point.line}:${point.name}`;
      file.bits.set(key, hit || (file.bits.get(key) ?? false));
    } else {
      const key = `${point.line}:${point.column}:${point.name}`;
      const known = file.blocks.get(key) ?? {lines: expand(point.lines), name: point.name, line: point.line, hit: false};
      known.hit ||= hit;
      file.blocks.set(key, known);
    }
  }
}

/// A source line is covered when everything that begins or lies on it ran. line -> hit.
export function linesOf(file) {
  const lines = new Map();
  for (const block of file.blocks.values()) for (const line of block.lines) lines.set(line, block.hit && (lines.get(line) ?? true));
  return lines;
}

export const datFiles = (folder) => fs.readdirSync(folder, {recursive: true, withFileTypes: true})
  .filter((entry) => entry.isFile() && entry.name.endsWith('.dat') && entry.name !== 'merged.dat')
  .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
