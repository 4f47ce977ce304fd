/**
 * How well the judge and the rules around it tell what a person's sentences are: `npx tsx bench/sentences.ts HOME LABELS.jsonl
 * [--wrong]`.
 * LABELS holds one typed sentence a line: {file, line, text, label, durable}; `file` and `line` name the log record.
 * A sentence counts as kept when a candidate's quote holds it or is held by it. Prints precision and recall of what is kept
 * by one saying (alone) and of all candidates, over durable preferences, corrections, decisions, facts and gotchas.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { extractUserSentences } from '../src/extract/sentences/sentences.js';
import { inOrder } from '../src/extract/session.js';
import { readTurns } from '../src/extract/user-turns.js';
import type { Candidate } from '../src/types.js';
import { readJudgeWeights } from '../src/jobs/learning/judge-weights.js';
import { readHome } from './read-home.js';

interface Label {
  file: string;
  line: number;
  text: string;
  label: string;
  durable: boolean;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { wrong: { type: 'boolean' } } });
const [home, labelFile] = positionals;
if (home === undefined || labelFile === undefined) {
  process.stderr.write('usage: sentences.ts HOME LABELS.jsonl [--wrong]\n');
  process.exit(2);
}

const KEPT = new Set(['preference', 'correction', 'decision', 'fact', 'gotcha']);
function print(text: string): void {
  return void process.stdout.write(`${text}\n`);
}
function flat(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}

const weights = readJudgeWeights();
const labels = readFileSync(labelFile, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Label);
const found: { candidate: Candidate; file: string; line: number }[] = [];
for (const session of readHome(home)) {
  const input = {
    ...session,
    entries: inOrder(session.entries),
    project: { id: '0'.repeat(16), name: 'project', folders: [] },
    judge: weights,
  };
  const places = new Map(session.entries.map((entry) => [entry.id, entry]));
  for (const candidate of extractUserSentences(input, readTurns(input.entries))) {
    const entry = places.get(candidate.evidence.entry ?? '');
    if (entry && candidate.tags.includes('language') === false)
      found.push({ candidate, file: nameOf(entry.path), line: entry.line });
  }
}

/** The labelled sentence that a candidate was made from, if any. */
function labelOf(one: { candidate: Candidate; file: string; line: number }): Label | undefined {
  const quote = flat(one.candidate.evidence.quote);
  return labels
    .filter((label) => nameOf(label.file) === one.file && Math.abs(label.line - one.line) <= 2)
    .find((label) => quote.includes(flat(label.text)) || flat(label.text).includes(quote));
}

function durable(label: Label): boolean {
  return label.durable && KEPT.has(label.label);
}
for (const [name, chosen] of [
  ['alone', found.filter((one) => one.candidate.alone)],
  ['all', found],
] as const) {
  const met = chosen.map((one) => ({ one, label: labelOf(one) }));
  const right = met.filter(({ label }) => label !== undefined && durable(label));
  const reached = new Set(right.map(({ label }) => label));
  const wanted = labels.filter(durable);
  const by = (kind: string): string => {
    const of = wanted.filter((label) => label.label === kind);
    return `${kind} ${of.filter((label) => reached.has(label)).length}/${of.length}`;
  };
  print(
    `${name}: kept ${chosen.length}, durable ${right.length} (precision ${(right.length / Math.max(1, chosen.length)).toFixed(2)}), of ${wanted.length} reached ${reached.size} (recall ${(reached.size / Math.max(1, wanted.length)).toFixed(2)}); ${[...KEPT].map(by).join(', ')}`,
  );
  if (values.wrong && name === 'alone')
    for (const { one, label } of met)
      if (!label || !durable(label)) print(`  ${label?.label ?? 'unlabelled'}: ${one.candidate.text}`);
}
