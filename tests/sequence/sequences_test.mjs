// Every sequence of lab/sequences passes on the healthy model, as a user would run it.
import fs from 'node:fs';
import path from 'node:path';
import {freshFolder, runAll, runProgram} from '../regression/jobs.mjs';
import {kBench, readOptions, refuse, root, runMain, stamp} from '../regression/options.mjs';

const options = readOptions({only: {type: 'string', default: ''}}, `
  node tests/sequence/sequences_test.mjs [options]
    --only REGEX         sequences whose name matches
    --seed N             seed of every run (default: 1)
    --jobs N             runs at once (default: the processors)
    --firstlight PATH    the program (default: build/release/bin/firstlight)
    --out DIR            where the records go (default: results/sequences-<date>-<time>)
Exit status: 0 all pass, 1 one does not, 2 bad input.`);

async function runOne(name, out) {
  const run = await runProgram(options.firstlight, ['run', `lab/sequences/${name}.yaml`, '--bench', kBench, '--seed', String(options.seed), '--results', out, '--name', name, '--quiet'], {cwd: root, timeoutMs: 900_000});
  const file = path.join(out, name, 'summary.json');
  const summary = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
  const ok = run.status === 0 && summary?.verdict === 'pass' && summary.safe === true;
  const why = summary?.first_failure ? `${summary.first_failure.id}: ${summary.first_failure.message}` : run.stderr.trim().slice(0, 300);
  return {ok, text: ok ? `${summary.counts.pass} pass  (${run.seconds.toFixed(1)} s)` : `exit status ${run.status ?? run.signal}, ${summary?.verdict ?? 'no summary'}: ${why}`};
}

async function main() {
  const wanted = new RegExp(options.only);
  const names = fs.readdirSync(path.join(root, 'lab/sequences')).filter((file) => file.endsWith('.yaml')).map((file) => path.basename(file, '.yaml')).filter((name) => wanted.test(name));
  if (names.length === 0) refuse(`no sequence matches ${options.only}`);
  const out = freshFolder(path.resolve(options.out ?? path.join(root, 'results', `sequences-${stamp()}`)));
  const results = await runAll(names, {jobs: options.jobs, name: (name) => name, work: (name) => runOne(name, out)});
  return results.every((result) => result.ok) ? 0 : 1;
}

runMain(main);
