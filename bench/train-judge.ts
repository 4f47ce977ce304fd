/**
 * Trains the judge and measures it with one project left out at a time: `npx tsx bench/train-judge.ts ROWS.jsonl [--without
 * a/b,c/d] [--out FOLDER] [--invented FILE]`.
 * ROWS has one labelled sentence a line: {project, agent, session, entry, entries, role, text, before, position, of,
 * last_of_turn, reply, after, grade}; grade 0..3, from 2 on a sentence is worth keeping. Writes weights.bin, checksums.json and
 * figures.json into FOLDER (default models/lesson-judge) and prints the figures. The same rows in the same order give the same
 * bytes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { encodeWeights } from '../src/judge/index.js';
import { inventedRows, learnJudge, measureJudge, type Invented, type Labelled } from './judge-learn.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    without: { type: 'string', default: '' },
    out: { type: 'string', default: 'models/lesson-judge' },
    invented: { type: 'string', default: 'models/lesson-judge/invented.json' },
    'no-measure': { type: 'boolean' },
  },
});
const file = positionals[0];
if (file === undefined) {
  process.stderr.write('usage: train-judge.ts ROWS.jsonl [--without PROJECT,…] [--out FOLDER] [--no-measure]\n');
  process.exit(2);
}

const without = new Set(values.without.split(',').filter((name) => name !== ''));
const made = values.invented === '' ? [] : inventedRows(JSON.parse(readFileSync(values.invented, 'utf8')) as Invented);
const labelled = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Labelled)
  .filter(({ project }) => !without.has(project));
function sha(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const rows = [...labelled, ...made];

const { weights, outOfFold } = learnJudge(rows);
const bytes = encodeWeights(weights);
mkdirSync(values.out, { recursive: true });
writeFileSync(join(values.out, 'weights.bin'), bytes);
writeFileSync(join(values.out, 'checksums.json'), `${JSON.stringify({ 'weights.bin': sha(bytes) }, null, 2)}\n`);
process.stdout.write(
  `${labelled.length} sentences of ${new Set(labelled.map((row) => row.project)).size} projects and ${made.length} invented ones, ${bytes.length} bytes, sha256 ${sha(bytes)}\n`,
);
if (values['no-measure'] !== true) {
  const figures = `${JSON.stringify(measureJudge(rows, outOfFold), null, 2)}\n`;
  writeFileSync(join(values.out, 'figures.json'), figures);
  process.stdout.write(figures);
}
