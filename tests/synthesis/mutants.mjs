// Netlists as files, and with mutated gates in them: one build serves all mutants.
import fs from 'node:fs';
import path from 'node:path';

/// A module in the place of the top, with its ports, that chooses the mutant by a function of the testbench (tb/blocks/netlist_mutant.cpp).
export function withMutantSwitch(top, ports) {
  const list = Object.entries(ports).map(([name, {direction, bits}]) => `    ${direction} wire ${bits.length > 1 ? `[${bits.length - 1}:0] ` : ''}${name}`);
  return `// Generated: the netlist of ${top} with mutated gates; mutant 0 is none.
module ${top} (
${list.join(',\n')}
);
  import "DPI-C" function int netlist_mutant();
  reg [15:0] mutant;
  initial mutant = 16'(netlist_mutant());
  ${top}_mutants u_mutants (${Object.keys(ports).map((name) => `.${name}(${name})`).join(', ')}, .mutant_i(mutant));
endmodule
`;
}

/// Writes the netlist of `synthesize`; the names of the files.
export function writeNetlist(folder, top, {netlist, mutants, ports}) {
  const files = mutants ? {[`${top}_mutants.v`]: netlist, [`${top}.sv`]: withMutantSwitch(top, ports), [`${top}_mutants.txt`]: mutants} : {[`${top}.v`]: netlist};
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  return Object.keys(files);
}
