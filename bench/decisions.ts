/**
 * Measures whether an answer contains a decision from old conversations of two people when the bug
 * report comes. Questions and conversations: github.com/vectorize-io/sde-bench (MIT); FOLDER has
 * its `sde.json`.
 * Usage, after `node bundle.js`: tsx bench/decisions.ts FOLDER [--misses]
 * An answer counts as right if its first 2,600 characters have eight words in a row from the last
 * three turns of the newest conversation. Tokens are characters / 4.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../src/app.js';
import { systemClock } from '../src/clock.js';
import { runAll } from '../src/jobs/loop.js';
import { answerQuestion } from '../src/recall/answer/answer.js';
import { search } from '../src/recall/search.js';
import { readSearch } from '../src/recall/search-for.js';

interface Turn {
  role: 'user' | 'assistant';
  text: string;
}
interface Task {
  id: string;
  source: string;
  report: string;
  conversations: Turn[][];
}
const [folder, misses] = process.argv.slice(2);
const { tasks, decoys } = JSON.parse(readFileSync(join(folder!, 'sde.json'), 'utf8')) as {
  tasks: Task[];
  decoys: { id: string; turns: Turn[] }[];
};
const root = mkdtempSync(join(tmpdir(), 'dripstone-decisions-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));

const DAY_MS = 86_400_000;
const BEGUN = Date.parse('2026-08-01T09:00:00Z');

/** One conversation as Claude Code logs it. */
function writeLog(name: string, turns: readonly Turn[], day: number): void {
  const session = `${name.replaceAll(/\W/g, '-')}`;
  const rows = turns.map(({ role, text }, at) => ({
    type: role,
    sessionId: session,
    uuid: `${session}-${at}`,
    parentUuid: at === 0 ? null : `${session}-${at - 1}`,
    timestamp: new Date(BEGUN + day * DAY_MS + at * 40_000).toISOString(),
    cwd: '/home/dev/boltons',
    version: '2.1.0',
    message:
      role === 'user'
        ? { role, content: text }
        : { role, id: `m-${session}-${at}`, type: 'message', content: [{ type: 'text', text }] },
  }));
  const path = join(root, '.claude/projects/-home-dev-boltons');
  mkdirSync(path, { recursive: true });
  writeFileSync(
    join(path, `${session}.jsonl`),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
}
decoys.forEach(({ id, turns }, at) => writeLog(id, turns, at % 60));
// A changed decision is newer than the original.
tasks.forEach(({ id, conversations }, at) =>
  conversations.forEach((turns, later) =>
    writeLog(`${id}-${later}`, turns, ((at * 7 + 3) % 30) + 30 * later),
  ),
);

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
function eights(text: string): Set<string> {
  const words = wordsOf(text);
  return new Set(words.slice(7).map((_, at) => words.slice(at, at + 8).join(' ')));
}
function isTold({ conversations }: Task, answer: string): boolean {
  const told = eights(answer);
  return conversations
    .at(-1)!
    .slice(-3)
    .some(({ text }) => [...eights(text)].some((run) => told.has(run)));
}

/** Measures a home that is read once. `words` means search without vectors. */
async function measure(name: string, isEmbedded: boolean): Promise<void> {
  const stone = join(root, name);
  mkdirSync(stone);
  writeFileSync(join(stone, 'config.yaml'), `embed: {enabled: ${isEmbedded}}\n`);
  await using app = await createApp({
    env: { ...process.env, HOME: root, DRIPSTONE_HOME: stone },
    clock: systemClock,
    signal: new AbortController().signal,
    access: 'write',
  });
  await runAll(app, {});
  if (isEmbedded) await runAll(app, { only: ['embed'] });
  const ways: Record<string, (report: string) => Promise<string>> = {
    recall: async (text) =>
      (await answerQuestion(app, null, { type: null, text, output: null })).text,
    search: async (query) =>
      (
        await search(app, { ...readSearch({}, systemClock.now()), query, project: null, limit: 8 })
      ).hits
        .map(({ text }) => text)
        .join('\n'),
  };
  for (const [way, ask] of Object.entries(ways)) {
    let [told, amended, characters] = [0, 0, 0];
    for (const task of tasks) {
      const answer = (await ask(task.report)).slice(0, 2600);
      characters += answer.length;
      const isRight = isTold(task, answer);
      told += Number(isRight);
      amended += Number(isRight && task.source === 'conversation-amended');
      if (!isRight && misses === '--misses') console.log(`${way}: ${task.report}\n${answer}\n`);
    }
    const all = tasks.filter(({ source }) => source === 'conversation-amended').length;
    const tokens = Math.round(characters / 4 / tasks.length);
    console.log(
      `${way}, ${name}: ${told} of ${tasks.length}, amended ${amended} of ${all}, ${tokens} tokens`,
    );
  }
}
await measure('words', false);
await measure('words-and-meaning', true);
