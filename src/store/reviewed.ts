/**
 * Which lessons the person has reviewed: a file of ids. Commands only append to it, since several
 * may run at once. `-ID` removes an id; a decided sentence has a time.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { lessonId } from '../lessons/identity.js';
import { keyOfText } from '../text/fingerprint.js';
import { ruleSentences } from '../parse/rules.js';
import type { Db } from './db.js';
import { rulePrompts, type RulePrompt } from './rows/lessons.js';
import { compareText } from '../text/order.js';

/** Number of a person's sentences that are offered in a week. */
const A_WEEK = 10;
const WEEK_MS = 7 * 86_400_000;
/** Characters of an average sentence: prompts are ordered by length in such units. */
const SENTENCE = 80;

/** Those of `ids` that were not reviewed, in their order. */
export function waitingFor(path: string, ids: readonly string[]): string[] {
  const seen = readSeen(path);
  return ids.filter((id) => !seen.has(id));
}

/** Id -> time of the decision, '' for a lesson. */
function readSeen(path: string): Map<string, string> {
  const seen = new Map<string, string>();
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    const [id = '', time = ''] = line.split('\t');
    if (id.startsWith('-')) seen.delete(id.slice(1));
    else seen.set(id, time);
  }
  return seen;
}

/** A sentence that a person typed and may turn into a rule. Its id is the id of that lesson. */
export interface Wish extends RulePrompt {
  id: string;
  /** Length of its prompt. */
  prompt: number;
}

/** Each sentence of a project once, at its first place, without sentences that claims contain. */
export async function storedWishes(db: Db): Promise<Wish[]> {
  const { prompts, claimed: claimed } = await rulePrompts(db);
  const found = new Map<string, Wish>();
  for (const [at, { text: typed, ...place }] of prompts.entries()) {
    if (at % 100 === 99) await setImmediate();
    for (const text of ruleSentences(typed)) {
      const key = `${place.project}\0${text}`;
      if (!claimed.has(text) && !found.has(key))
        found.set(key, {
          ...{ ...place, text, prompt: typed.length },
          id: lessonId(place.project, 'preference', keyOfText(text)),
        });
    }
  }
  return [...found.values()];
}

/** Sentences without a decision, within the week's limit, short prompts first. */
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

/** Records a decision, so that the sentence is not offered again. */
export function noteWish(path: string, id: string, now: Date): void {
  appendFileSync(path, `${id}\t${now.toISOString()}\n`, { mode: 0o600 });
}

export function noteReviewed(path: string, id: string, isReviewed = true): void {
  appendFileSync(path, `${isReviewed ? '' : '-'}${id}\n`, { mode: 0o600 });
}
