// Reads each top with the slang front end of Yosys, then looks for combinational loops (latches are such), doubled and missing drivers with
// Yosys's `check`. Prints whatever is found: nothing, when all is well.
//   node lint_slang.mjs LISTS TOP...     LISTS/TOP.f names the files of TOP, one a line
import fs from 'node:fs';
import path from 'node:path';
import {runYosys} from '@yowasp/yosys';

const [lists, ...tops] = process.argv.slice(2);

// Yosys sees a flat virtual folder, so two files of one name would hide each other.
function virtualTree(files) {
  const tree = {};
  for (const file of files) {
    const name = path.basename(file);
    if (name in tree) throw new Error(`two files are called ${name}`);
    tree[name] = fs.readFileSync(file, 'utf8');
  }
  return tree;
}

// The whole log: a quiet Yosys hides what slang says.
async function log(top, tree) {
  const decoder = new TextDecoder();
  let text = '';
  const say = bytes => {
    if (bytes !== null) text += decoder.decode(bytes, {stream: true});
  };
  const command = `read_slang --threads 1 --top ${top} ${Object.keys(tree).join(' ')}; check`;
  try {
    await runYosys(['-p', command], tree, {stdout: say, stderr: say, fetchProgress: () => {}});
  } catch (error) {
    text += `\nERROR: ${error.message ?? error}\n`;
  }
  return text.replace(/\x1b\[[0-9;]*m/g, '');
}

const isClean = text => text.includes('Build succeeded: 0 errors, 0 warnings') &&
    text.includes('Found and reported 0 problems.') && !/^(Warning|ERROR)/m.test(text);

// What the two passes say, without the passes between them.
function interesting(text) {
  const slang = text.match(/Executing SLANG frontend\.\n([^]*?)(?=\n1\.1\. |$)/);
  const check = text.match(/Executing CHECK pass[^\n]*\n([^]*?)(?=\nEnd of script|$)/);
  return [slang, check].map(match => match?.[1] ?? '').join('\n').trim();
}

let failed = false;
for (const top of tops) {
  const files = fs.readFileSync(path.join(lists, `${top}.f`), 'utf8').split('\n').filter(line => line !== '');
  const text = await log(top, virtualTree(files));
  if (isClean(text)) continue;
  failed = true;
  console.log(`${top}:\n${interesting(text) || text}`);
}
process.exitCode = failed ? 1 : 0;
