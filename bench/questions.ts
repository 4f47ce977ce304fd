/**
 * Measures in how many answers of `dripstone recall` the right one is. A person who saw only the
 * logs wrote the questions over a corpus of real logs.
 * Usage: tsx bench/questions.ts --corpus FOLDER --home HOME [--misses]
 * HOME has the corpus's sessions where agents write them, read by `dripstone run`. A question names
 * its project and the places of its answer: [log, line (0: whole file), [start, length] of each
 * necessary word]. One place is enough.
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
