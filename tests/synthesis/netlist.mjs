// Makes the netlist of a testbench's top, which is a block with flat ports; the build calls it (cmake/Netlist.cmake).
//
//   node tests/synthesis/netlist.mjs --out DIR [--mutants N] [--seed N] [--parameter NAME=VALUE] [--part MODULE] TOP FILE...
//     DIR/TOP.v                                  the netlist
//     DIR/TOP_mutants.v, DIR/TOP.sv, DIR/TOP_mutants.txt   with mutated gates: the netlist, a switch around it, what each mutant is
import fs from 'node:fs';
import path from 'node:path';
import {parseArgs} from 'node:util';
import {refuse, runMain, wholeNumber} from '../regression/options.mjs';
import {writeNetlist} from './mutants.mjs';
import {synthesize} from './synthesize.mjs';

async function main() {
  const {values, positionals: [block, ...files]} = parseArgs({allowPositionals: true, options: {out: {type: 'string'}, mutants: {type: 'string', default: '0'}, seed: {type: 'string', default: '1'},
    parameter: {type: 'string', multiple: true, default: []}, part: {type: 'string', multiple: true, default: []}}});
  if (values.out === undefined || files.length === 0) refuse('usage: netlist.mjs --out DIR [--mutants N] TOP FILE...');
  const [count, seed] = ['mutants', 'seed'].map((name) => wholeNumber(name, values[name]));
  const result = await synthesize({block, files, parameters: values.parameter, parts: values.part, netlist: true, mutants: count > 0 ? {count, seed} : undefined});
  fs.mkdirSync(values.out, {recursive: true});
  for (const file of writeNetlist(values.out, block, result)) console.log(path.join(values.out, file));
  return 0;
}

runMain(main);
