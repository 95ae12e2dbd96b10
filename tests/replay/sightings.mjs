// The table of where a replay first sees each fault.
import fs from 'node:fs';
import path from 'node:path';
import {parse} from 'yaml';
import {root} from '../regression/options.mjs';

const kTable = path.join(root, 'tests/replay/sightings.yaml');

/// By fault: {sighting, replay_ci, waves}. Throws an error that lists what is wrong with the table.
export function readSightings(file = kTable) {
  const rows = parse(fs.readFileSync(file, 'utf8')).sightings;
  const table = new Map();
  const problems = [];
  for (const {fault, sighting, ci = false, waves = false, ...more} of rows) {
    if (table.has(fault)) problems.push(`${fault} is there twice`);
    if (!sighting || new RegExp(sighting).test('')) problems.push(`${fault}: its sighting would match anything`);
    if (Object.keys(more).length > 0) problems.push(`${fault}: unknown key ${Object.keys(more).join(', ')}`);
    table.set(fault, {sighting, replay_ci: ci, waves});
  }
  if (problems.length > 0) throw new Error(`${path.relative(root, file)}:\n  ${problems.join('\n  ')}`);
  return table;
}
