/**
 * Questions as a person asks them over a corpus of real logs, written by somebody who saw the logs
 * alone: in how many of the answers of `dripstone recall` does the right one stand? Usage:
 *   tsx bench/questions.ts --corpus FOLDER --home HOME [--misses]
 * HOME holds the corpus's sessions where their agents write them, read by `dripstone run`. A question
 * names its project and where its answer stands: [log, line (0: the whole file), [start, length] of
 * each word that the answer must hold]; one of the places is enough.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp } from '../src/app.js';
import { systemClock } from '../src/clock.js';
import { answerQuestion } from '../src/recall/answer/answer.js';
import { loadProjects } from '../src/store/index.js';

interface Asked {
  kind: string;
  project: string;
  question: string;
  answers: [log: string, line: number, words: [start: number, length: number][]][];
}

const { values } = parseArgs({
  options: { corpus: { type: 'string' }, home: { type: 'string' }, misses: { type: 'boolean' } },
});
const { corpus, home } = values as { corpus: string; home: string };
const asked = JSON.parse(
  readFileSync(new URL('questions.json', import.meta.url), 'utf8'),
) as Asked[];

function wordsOf([log, line, spans]: Asked['answers'][number]): string[] {
  const text = readFileSync(join(corpus, 'sessions', log), 'utf8');
  const row = line === 0 ? text : text.split('\n')[line - 1]!;
  return spans.map(([start, length]) => row.slice(start, start + length).toLowerCase());
}

await using app = await createApp({
  env: { ...process.env, HOME: home, DRIPSTONE_HOME: join(home, '.dripstone') },
  clock: systemClock,
  signal: new AbortController().signal,
  access: 'read',
});
const projects = await app.store.read(loadProjects);
const right = new Map<string, number>();
for (const { kind, project, question, answers } of asked) {
  const named = projects.find(
    ({ name, slug }) =>
      name.toLowerCase() === project.toLowerCase() || slug.startsWith(`${project}-`),
  );
  const { text } = await answerQuestion(app, named ?? null, {
    type: null,
    text: question,
    output: null,
  });
  const shown = text.toLowerCase();
  const isRight = answers.some((answer) => wordsOf(answer).every((word) => shown.includes(word)));
  right.set(kind, (right.get(kind) ?? 0) + (isRight ? 1 : 0));
  if (values.misses && !isRight) console.log(`${question}\n${text}\n`);
}
const all = [...right.values()].reduce((sum, count) => sum + count, 0);
console.log(Object.fromEntries(right), `${all} of ${asked.length}`);
