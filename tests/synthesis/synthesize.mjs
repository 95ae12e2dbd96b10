// From SystemVerilog to a netlist of simple gates.
import {netlistFacts} from './netlist_facts.mjs';
import {readSlang, virtualFolder, yosys} from './yosys.mjs';

// `synth` without its mapping of memories to flip-flops: they stay memories.
const kCoarse = ['synth -flatten -run begin:fine', 'check -assert'];

// ABC sees no flip-flops: it would cut the logic into one piece for each of their enables and optimise each alone. Its own script is one for area, which
// leaves a counter of 64 bits with a carry of 63 gates; this one rebalances for depth before it maps.
const kAbcScript = '+strash;ifraig;scorr;dc2;strash;if,-g,-K,6;dch;map;topo';
// What is put together of parts is large, and the parts have the depth: it is mapped as it is.
const kAbcScriptOfWhole = '+strash;dc2;strash;if,-g,-K,6;map;topo';
const fine = (script) => [
  'opt -fast -full', 'opt -undriven -fine', 'techmap', 'opt -fast', 'select -set logic t:$_* t:$_*DFF* %d t:$_*LATCH* %d',
  `abc -g gates,MUX -script "${script}" @logic`, 'opt_clean', 'check -assert',
];

/// The commands that leave the netlist of a block. `parts`: modules that are synthesised once, each by itself, and put in wherever they stand: an array of many
/// equal cells takes minutes instead of hours.
function synthesis(block, folder, parameters, parts) {
  if (parts.length === 0) return [readSlang(block, folder, parameters), ...kCoarse, ...fine(kAbcScript)];
  return [
    ...parts.flatMap((part) => [readSlang(part, folder), ...kCoarse, ...fine(kAbcScript), `design -stash ${part}_part`]),
    readSlang(block, folder, parameters, parts), ...kCoarse, ...fine(kAbcScriptOfWhole),
    ...parts.map((part) => `design -copy-from ${part}_part -as ${part} ${part}`), 'flatten', 'opt_clean', 'check -assert',
  ];
}

/// Mutated gates (flip-flops would get gated clocks), each switched on by its number, from 1, in an input `mutant_i`.
function mutate({count, seed}) {
  return [`mutate -list ${count} -seed ${seed} -ctrl mutant_i 16 1 -o mutants.ys t:$_* t:$_*DFF* %d`, 'script mutants.ys', 'opt_clean'];
}

/// Synthesises a block. `parts`: the modules in it that are synthesised once; `netlist`: also the netlist as Verilog; `mutants` ({count, seed}): with as many
/// mutations in it. Latches and combinational loops throw.
export async function synthesize({block, files, parameters = [], parts = [], netlist = false, mutants}) {
  const start = process.hrtime.bigint();
  const folder = virtualFolder(files);
  const commands = [...synthesis(block, folder, parameters, parts), 'write_json netlist.json'];
  if (mutants) commands.push(...mutate(mutants), `rename ${block} ${block}_mutants`);
  if (netlist) commands.push('opt_clean -purge', 'write_verilog -noattr netlist.v');
  const {files: written} = await yosys(commands, folder);
  const module = JSON.parse(written['netlist.json']).modules[block];
  const facts = netlistFacts(module);
  for (const [what, names] of [['latches', facts.latches], ['combinational loops', facts.loops]])
    if (names.length > 0) throw new Error(`${names.length} ${what}: ${names.slice(0, 8).join(', ')}`);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  return {facts: {block, ...facts, seconds}, ports: module.ports, netlist: written['netlist.v'], mutants: written['mutants.ys']};
}
