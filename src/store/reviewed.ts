/**
 * Which lessons the person has looked at: a file of ids, only added to, since several commands may
 * do so at once. `-ID` takes one back; a decided sentence has its time.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { lessonId } from '../lessons/identity.js';
import { keyOfText } from '../text/fingerprint.js';
import { ruleSentences } from '../parse/rules.js';
import type { Db } from './db.js';
import { rulePrompts, type RulePrompt } from './rows/lessons.js';
import { compareText } from '../text/order.js';

/** So many sentences of a person are offered in a week. */
const A_WEEK = 10;
const WEEK_MS = 7 * 86_400_000;
/** About a sentence, in characters: prompts are ordered by so many of them. */
const SENTENCE = 80;

/** Those of `ids` that were not looked at, in their order. */
export function waitingFor(path: string, ids: readonly string[]): string[] {
  const seen = readSeen(path);
  return ids.filter((id) => !seen.has(id));
}

/** Id -> when it was decided about, '' for a lesson. */
function readSeen(path: string): Map<string, string> {
  const seen = new Map<string, string>();
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    const [id = '', time = ''] = line.split('\t');
    if (id.startsWith('-')) seen.delete(id.slice(1));
    else seen.set(id, time);
  }
  return seen;
}

/** A sentence that a person typed and may make a rule of; its id is that of the lesson that it would be. */
export interface Wish extends RulePrompt {
  id: string;
  /** Length of the prompt around it. */
  prompt: number;
}

/** Each sentence of a project once, at its first place, without those of claims. */
export async function storedWishes(db: Db): Promise<Wish[]> {
  const { prompts, said: claimed } = await rulePrompts(db);
  const found = new Map<string, Wish>();
  for (const { text: typed, ...place } of prompts)
    for (const text of ruleSentences(typed)) {
      const key = `${place.project}\0${text}`;
      if (!claimed.has(text) && !found.has(key))
        found.set(key, {
          ...{ ...place, text, prompt: typed.length },
          id: lessonId(place.project, 'preference', keyOfText(text)),
        });
    }
  return [...found.values()];
}

/** Those without a decision, as many as the week still allows, of short prompts first. */
export function offeredWishes(path: string, stored: readonly Wish[], now: Date): Wish[] {
  const seen = readSeen(path);
  const since = new Date(now.getTime() - WEEK_MS).toISOString();
  const decided = [...seen.values()].filter((time) => time > since).length;
  return stored
    .filter(({ id }) => !seen.has(id))
    .sort(
      (a, b) =>
        Math.floor(a.prompt / SENTENCE) - Math.floor(b.prompt / SENTENCE) ||
        compareText(a.text, b.text),
    )
    .slice(0, Math.max(0, A_WEEK - decided));
}

/** A sentence that was taken or refused does not come again. */
export function noteWish(path: string, id: string, now: Date): void {
  appendFileSync(path, `${id}\t${now.toISOString()}\n`, { mode: 0o600 });
}

export function noteReviewed(path: string, id: string, isReviewed = true): void {
  appendFileSync(path, `${isReviewed ? '' : '-'}${id}\n`, { mode: 0o600 });
}
