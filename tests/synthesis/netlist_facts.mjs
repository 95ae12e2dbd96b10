// What a netlist of simple gates consists of: gates, flip-flops, memory bits, and its longest path.

const isFlipFlop = (type) => /^\$_(AL|S)?DFF|^\$_FF_$/.test(type);
const isLatch = (type) => /^\$_(DLATCH|SR)|^\$(dlatch|adlatch|dlatchsr|sr)$/.test(type);
const isMemory = (type) => type === '$mem_v2';
const isGate = (type) => /^\$_(NOT|AND|NAND|OR|NOR|XOR|XNOR|ANDNOT|ORNOT|MUX)_$/.test(type);

/// Yosys writes numbers as strings of bits.
const number = (bits) => parseInt(bits, 2);

/// How deep a read of a memory counts: that of a tree of multiplexers.
const readDepth = (words) => Math.max(1, Math.ceil(Math.log2(words)));

/// The read ports of a memory that have no clock, as logic from address to data.
function asynchronousReads(name, {parameters, connections}) {
  const width = number(parameters.WIDTH);
  const addressBits = number(parameters.ABITS);
  const clocked = [...parameters.RD_CLK_ENABLE].reverse();
  const reads = [];
  for (let port = 0; port < number(parameters.RD_PORTS); ++port) {
    if (clocked[port] === '1') continue;
    const inputs = connections.RD_ADDR.slice(port * addressBits, (port + 1) * addressBits);
    const outputs = connections.RD_DATA.slice(port * width, (port + 1) * width);
    reads.push({name, inputs, outputs, depth: readDepth(number(parameters.SIZE))});
  }
  return reads;
}

function gateAsLogic(name, {connections, port_directions: directions}) {
  const of = (direction) => Object.keys(connections).filter((port) => directions[port] === direction).flatMap((port) => connections[port]);
  return {name, inputs: of('input'), outputs: of('output'), depth: 1};
}

/// Which of two names says more: that of a register, then the shorter.
const better = (a, b) => (/_q\b/.test(a) === /_q\b/.test(b) ? a.length < b.length : /_q\b/.test(a));

/// A name for each bit, of those that it has in the source.
function bitNames(netnames) {
  const names = new Map();
  for (const [name, {hide_name: hidden, bits}] of Object.entries(netnames)) {
    if (hidden) continue;
    bits.forEach((bit, i) => {
      const full = bits.length === 1 ? name : `${name}[${i}]`;
      if (!names.has(bit) || better(full, names.get(bit))) names.set(bit, full);
    });
  }
  return names;
}

/// Arrival of each bit in gates. What waits for itself is a loop.
function longestPath(logic) {
  const readers = new Map();
  const driver = new Map();
  for (const node of logic) {
    node.outputs.forEach((bit) => driver.set(bit, node));
    node.arrival = 0;
    node.latest = undefined;
  }
  for (const node of logic) {
    const waits = node.inputs.filter((bit) => driver.has(bit));
    node.waiting = waits.length;
    for (const bit of waits) {
      if (!readers.has(bit)) readers.set(bit, []);
      readers.get(bit).push(node);
    }
  }
  const ready = logic.filter((node) => node.waiting === 0);
  let deepest;
  let done = 0;
  while (ready.length > 0) {
    const node = ready.pop();
    ++done;
    const arrival = node.arrival + node.depth;
    if (deepest === undefined || arrival > deepest.depth) deepest = {node, depth: arrival};
    for (const bit of node.outputs)
      for (const reader of readers.get(bit) ?? []) {
        if (arrival > reader.arrival) Object.assign(reader, {arrival, latest: bit});
        if (--reader.waiting === 0) ready.push(reader);
      }
  }
  return {deepest, driver, looping: done === logic.length ? [] : logic.filter((node) => node.waiting > 0)};
}

/// Where the deepest path begins and ends, as names of the source.
function endsOf({node}, driver, cells, names) {
  const last = new Set(node.outputs);
  let first = node;
  while (first.latest !== undefined) first = driver.get(first.latest);
  const begin = first.inputs.find((bit) => names.has(bit));
  const named = node.outputs.find((bit) => names.has(bit));
  const sink = Object.entries(cells).find(([, cell]) => !isGate(cell.type) && Object.entries(cell.connections).some(([port, bits]) => cell.port_directions[port] === 'input' && bits.some((bit) => last.has(bit))));
  const register = sink?.[1].connections.Q?.[0];
  return {from: names.get(begin) ?? 'a constant', to: names.get(register) ?? (sink && isMemory(sink[1].type) ? sink[0] : names.get(named)) ?? 'an output'};
}

/// The facts of a module as Yosys' `json` describes it. Throws on cells that are no simple gates: the netlist is not finished then.
export function netlistFacts({cells, netnames}) {
  const facts = {gates: 0, flip_flops: 0, memory_bits: 0, memories: [], depth: 0, latches: [], loops: []};
  const names = bitNames(netnames);
  const logic = [];
  for (const [name, cell] of Object.entries(cells)) {
    if (cell.type === '$scopeinfo') continue;
    if (isFlipFlop(cell.type)) ++facts.flip_flops;
    else if (isLatch(cell.type)) facts.latches.push(names.get(cell.connections.Q[0]) ?? name);
    else if (isMemory(cell.type)) {
      const [words, width] = [number(cell.parameters.SIZE), number(cell.parameters.WIDTH)];
      facts.memories.push({name, words, width});
      facts.memory_bits += words * width;
      logic.push(...asynchronousReads(name, cell));
    } else if (isGate(cell.type)) {
      ++facts.gates;
      logic.push(gateAsLogic(name, cell));
    } else throw new Error(`${name} is a ${cell.type}, which synthesis should have mapped to gates`);
  }
  const {deepest, driver, looping} = longestPath(logic);
  facts.loops = [...new Set(looping.flatMap((node) => node.outputs).map((bit) => names.get(bit)).filter(Boolean))];
  if (looping.length > 0 && facts.loops.length === 0) facts.loops.push(looping[0].name);
  if (deepest) Object.assign(facts, {depth: deepest.depth}, endsOf(deepest, driver, cells, names));
  return facts;
}
