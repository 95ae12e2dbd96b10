// Writes docs/faults.md from the model's catalogue and the fault matrix, or checks that it is what they say. Runs no model.
import fs from 'node:fs';
import path from 'node:path';
import {readOptions, refuse, root, runMain} from '../regression/options.mjs';
import {differences, faultOption, readCatalogue, readTable} from './table.mjs';

const kDoc = path.join(root, 'docs/faults.md');
const kHelp = `
  node tests/fault/faults_doc.mjs --check      is docs/faults.md what catalogue and matrix say? (status 1: no)
  node tests/fault/faults_doc.mjs --write      writes it
    --firstlight PATH    the program whose catalogue it is (default: build/release/bin/firstlight)`;

const options = readOptions({check: {type: 'boolean', default: false}, write: {type: 'boolean', default: false}}, kHelp);
if (options.check === options.write) refuse('give --check or --write');

const kIntro = `# The faults that the model can have

The model of the bench can be told to have any of these, as in

\`\`\`
firstlight run lab/sequences/bringup.yaml --bench lab/benches/model.yaml --fault cold_plate_askew=serdes
\`\`\`

They are drawn from what goes wrong in labs. \`lab/sequences/bringup.yaml\` must see each of them, but those for which the table names another sequence, and its first failing step must name the part that is to blame;
\`tests/fault/matrix.yaml\` says what is expected, and \`node tests/fault/fault_matrix.mjs\` runs them all. After each of them the bench must end safe: everything undone in
reverse order, every rail measured off by an instrument of its own.

Exit status: 1 the device (or its board, cooling, wiring) failed, 3 infrastructure or bench. The value shown is the one that is tested; \`firstlight describe FAULT\` says which others there are.

This file is generated: \`node tests/fault/faults_doc.mjs --write\`.
`;

const cell = (text) => String(text ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ');

function tableOf(domain, rows, catalogue) {
  const lines = [`\n## ${domain[0].toUpperCase()}${domain.slice(1)}\n`, '| fault | what it is | seen by step | blamed part | symptom | exit status |', '|---|---|---|---|---|---|'];
  for (const row of rows) {
    const {doc} = catalogue.find((entry) => entry.fault === row.fault);
    const seen = row.sequence ? `\`${row.step}\` of \`${row.sequence}\`` : `\`${row.step}\``;
    lines.push(`| ${[`\`${faultOption(row)}\``, doc, seen, row.part, `\`${row.symptom}\``, row.status].map(cell).join(' | ')} |`);
  }
  return lines.join('\n') + '\n';
}

function document(rows, catalogue) {
  const domains = [...new Set(catalogue.map((entry) => entry.domain))];
  const of = (domain) => rows.filter((row) => catalogue.find((entry) => entry.fault === row.fault).domain === domain);
  return kIntro + domains.map((domain) => tableOf(domain, of(domain), catalogue)).join('');
}

async function main() {
  const rows = readTable();
  const catalogue = await readCatalogue(options.firstlight);
  const missing = differences(rows, catalogue);
  if (missing.length > 0) {
    console.error(missing.join('\n'));
    return 1;
  }
  const text = document(rows, catalogue);
  if (options.write) {
    fs.writeFileSync(kDoc, text);
    console.log(`wrote ${path.relative(root, kDoc)}: ${rows.length} faults`);
    return 0;
  }
  if (fs.existsSync(kDoc) && fs.readFileSync(kDoc, 'utf8') === text) {
    console.log(`docs/faults.md is up to date: ${rows.length} faults`);
    return 0;
  }
  console.error('docs/faults.md is not what catalogue and matrix say: run node tests/fault/faults_doc.mjs --write');
  return 1;
}

runMain(main);
