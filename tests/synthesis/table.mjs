// The table of what synthesis makes of each block, as text and in docs/synthesis.md.

const kBegin = '<!-- begin: scripts/synth --write -->';
const kEnd = '<!-- end -->';
const kHead = ['| block | gates | flip-flops | memory bits | depth | deepest path |', '|---|---:|---:|---:|---:|---|'];

const row = ({block, gates, flip_flops: flipFlops, memory_bits: bits, depth, from, to}) => `| \`${block}\` | ${gates} | ${flipFlops} | ${bits} | ${depth} | \`${from}\` to \`${to}\` |`;
const blockOf = (line) => /^\| `(\w+)` \|/.exec(line)?.[1];

export function textTable(facts) {
  const lines = facts.map((f) => [f.block, f.gates, f.flip_flops, f.memory_bits, f.depth, f.seconds.toFixed(0), `${f.from} -> ${f.to}`].map(String));
  const all = [['block', 'gates', 'flip-flops', 'memory bits', 'depth', 's', 'deepest path'], ...lines];
  const width = (i) => Math.max(...all.map((cells) => cells[i].length));
  const last = all[0].length - 1;
  return all.map((cells) => cells.map((cell, i) => (i === 0 || i === last ? cell.padEnd(i === last ? 0 : width(i)) : cell.padStart(width(i)))).join('  ')).join('\n');
}

/// The page in three: before the table, its rows by block, behind it.
function split(page) {
  const begin = page.indexOf(kBegin);
  const end = page.indexOf(kEnd, begin);
  if (begin < 0 || end < 0) throw new Error(`the page has no "${kBegin}" with a "${kEnd}" behind it`);
  const rows = new Map();
  for (const line of page.slice(begin, end).split('\n')) if (blockOf(line)) rows.set(blockOf(line), line);
  return {before: page.slice(0, begin), rows, after: page.slice(end)};
}

/// The page with new rows for the blocks of `facts`. `all`: other rows go.
export function updatePage(page, facts, {all}) {
  const {before, rows: old, after} = split(page);
  const rows = new Map(all ? [] : old);
  for (const fact of facts) rows.set(fact.block, row(fact));
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  return `${before}${[kBegin, ...kHead, ...sorted].join('\n')}\n${after}`;
}

/// What of the page's table is not what `facts` say, in words.
export function wrongRows(page, facts, {all}) {
  const {rows} = split(page);
  const wrong = [];
  for (const fact of facts) {
    const [stands, right] = [rows.get(fact.block), row(fact)];
    if (stands === undefined) wrong.push(`${fact.block} has no row`);
    else if (stands !== right) wrong.push(`${fact.block}\n      in the table  ${stands}\n      synthesised   ${right}`);
  }
  if (all) for (const block of rows.keys()) if (!facts.some((fact) => fact.block === block)) wrong.push(`${block} has a row and is no block any more`);
  return wrong;
}
