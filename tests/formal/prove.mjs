// Proves the properties of tb/formal/, or shows that their proofs can fail. scripts/prove builds first and has the help.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {parseArgs} from 'node:util';
import {parse} from 'yaml';
import {runAll, runProgram} from '../regression/jobs.mjs';
import {refuse, root, runMain, wholeNumber} from '../regression/options.mjs';
import {readSlang, virtualFolder, yosys} from '../synthesis/yosys.mjs';

const kProofs = path.join(root, 'tb/formal');

// Longest induction, and how many cycles a broken design has to show itself.
const kInductionSteps = 4;
const kBrokenCycles = 16;

function readCommandLine() {
  const text = {type: 'string'};
  try {
    const {values, positionals} = parseArgs({allowPositionals: true, options: {
      build: {...text, default: path.join(root, 'build/release')}, jobs: {...text, default: String(os.cpus().length)}, out: text, broken: {type: 'boolean', default: false}}});
    return {...values, jobs: wholeNumber('jobs', values.jobs), wanted: positionals};
  } catch (error) {
    refuse(error.message);
  }
}

/// A proof with its harness: what is in proof.yaml and in the harness's own file.
function readProof(name, build) {
  const proof = parse(fs.readFileSync(path.join(kProofs, name, 'proof.yaml'), 'utf8'));
  const harness = parse(fs.readFileSync(path.join(kProofs, `${proof.harness}.yaml`), 'utf8'));
  const rtl = fs.readFileSync(path.join(build, 'generated/lint', `${harness.rtl}.f`), 'utf8').split('\n').filter((file) => file !== '' && !harness.without.includes(path.basename(file)));
  const files = [...rtl, path.join(kProofs, `${proof.harness}.sv`), path.join(kProofs, name, `${name}.sv`)];
  return {name, ...proof, files, cases: proof.cases ?? harness.cases, cut: [...harness.cut, ...proof.cut].map((wire) => `w:${harness.instance}.${wire}`)};
}

/// The files, with one of them broken.
function breakOne(folder, {file, from, to}) {
  const parts = folder[file]?.split(from) ?? [];
  if (parts.length !== 2) throw new Error(`${file} has "${from}" ${Math.max(0, parts.length - 1)} times, not once: mend proof.yaml`);
  return {...folder, [file]: parts.join(to)};
}

/// The design with its assertions and assumptions as RTLIL, in terms that Debian's older Yosys knows.
async function elaborate({name, files, cut}, fault) {
  const folder = virtualFolder(files);
  const commands = [
    readSlang(name, fault ? breakOne(folder, fault) : folder), ...cut.map((wire) => `select -assert-any ${wire}`), ...(cut.length > 0 ? [`cutpoint ${cut.join(' ')}`] : []), 'opt_clean -purge',
    `prep -top ${name}`, 'memory_map', 'async2sync', 'chformal -lower', 'dffunmap', 'bmuxmap', 'demuxmap', 'simplemap t:$bwmux', 'opt_clean -purge', 'write_rtlil design.il'];
  return (await yosys(commands, folder && fault ? breakOne(folder, fault) : folder)).files['design.il'];
}

/// One run of the solver (MiniSat in Yosys). Yosys' `sat` says by its exit status whether the proof stands.
async function solve(design, arguments_, log) {
  const run = await runProgram('yosys', ['-q', '-l', log, '-p', `read_rtlil ${design}; sat -prove-asserts -set-assumes -show-inputs ${arguments_} -verify`], {cwd: root, timeoutMs: 1_800_000});
  const text = fs.readFileSync(log, 'utf8');
  return {proven: run.status === 0 && text.includes('Induction step proven: SUCCESS!'), violated: text.includes('model found for base case: FAIL!'), text, seconds: run.seconds, log};
}

function design(out, name, text) {
  const file = path.join(out, `${name}.il`);
  fs.writeFileSync(file, text);
  return file;
}

/// Each size of each proof is a job of its own.
async function proveAll(proofs, {out, jobs}) {
  const items = [];
  for (const proof of proofs) {
    console.log(`${proof.name}: ${proof.proves}`);
    const file = design(out, proof.name, await elaborate(proof));
    for (const value of proof.cases.values) items.push({proof, file, value});
  }
  const work = async ({proof, file, value}) => {
    const {proven, violated, seconds, log} = await solve(file, `-set ${proof.cases.signal} ${value} -tempinduct -maxsteps ${kInductionSteps}`, path.join(out, `${proof.name}-${value}.log`));
    return {ok: proven, text: proven ? `proven, ${seconds.toFixed(1)} s` : `${violated ? 'does not hold' : 'no proof by induction'}: see ${path.relative(root, log)}`};
  };
  return runAll(items, {jobs, name: ({proof, value}) => `${proof.name} ${proof.cases.signal} ${value}`, work});
}

/// The smallest case of each proof with each fault must be violated from reset on.
async function breakAll(proofs, {out, jobs}) {
  const items = proofs.flatMap((proof) => proof.broken.map((fault, i) => ({proof, fault, i})));
  const work = async ({proof, fault, i}) => {
    const name = `${proof.name}-broken-${i + 1}`;
    const file = design(out, name, await elaborate(proof, fault));
    const {violated, seconds, log} = await solve(file, `-set ${proof.cases.signal} ${proof.cases.values[0]} -tempinduct-baseonly -tempinduct -maxsteps ${kBrokenCycles}`, path.join(out, `${name}.log`));
    return {ok: violated, text: violated ? `seen, ${seconds.toFixed(1)} s` : `NOT SEEN within ${kBrokenCycles} cycles: see ${path.relative(root, log)}`};
  };
  return runAll(items, {jobs, name: ({proof, fault}) => `${proof.name}: ${fault.fault}`, work});
}

async function main() {
  const options = readCommandLine();
  const all = fs.readdirSync(kProofs).filter((name) => fs.existsSync(path.join(kProofs, name, 'proof.yaml'))).sort();
  for (const name of options.wanted) if (!all.includes(name)) refuse(`there is no proof "${name}"; there are ${all.join(', ')}`);
  options.out = path.resolve(options.out ?? path.join(options.build, 'formal'));
  fs.mkdirSync(options.out, {recursive: true});
  const proofs = (options.wanted.length > 0 ? options.wanted : all).map((name) => readProof(name, options.build));
  const results = await (options.broken ? breakAll : proveAll)(proofs, options);
  const good = results.filter((result) => result.ok).length;
  console.log(options.broken ? `${good} of ${results.length} faults make their proof fail` : `${good} of ${results.length} cases are proven`);
  return good === results.length ? 0 : 1;
}

runMain(main);
