/** What a line is about, so that no two lines make the same point and no area takes all the room. */

import type { Lesson } from '../types.js';

const STOP = new Set('a an and are as at be been but by can do does for from has have if in into is it its not of on or so than that the their then there these they this to use used uses when which will with you your'.split(' '));
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Share of the smaller point's words that the larger one also has, from which both are one point. */
const SAME_WORDS = 0.75;
/** The same with a common code span: naming one thing makes sameness likelier. */
const SAME_WORDS_NAMED = 0.6;
/** The same when both name things and none in common: two commands in one sentence are two points. */
const SAME_WORDS_OTHER_NAMES = 0.9;

/** The larger point must share this much too: "Check: `make check`" does not say when to run it. */
const SAME_WORDS_OF_LARGER = 0.45;

export interface Point {
  words: Set<string>;
  spans: Set<string>;
}

/** Words and code spans of a line. */
export function pointOf(text: string): Point {
  const words = new Set<string>();
  for (const raw of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (CJK.test(raw) && raw.length > 1) for (let i = 0; i + 1 < raw.length; i++) words.add(raw.slice(i, i + 2));
    else if (!STOP.has(raw)) words.add(raw.length > 3 && raw.endsWith('s') && !raw.endsWith('ss') ? raw.slice(0, -1) : raw);
  }
  return { words, spans: new Set([...text.matchAll(/`([^`]+)`/g)].map((m) => m[1]!.trim().toLowerCase())) };
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let n = 0;
  for (const item of small) if (large.has(item)) n++;
  return n;
}

/** Do two lines make the same point? */
export function isSamePoint(a: Point, b: Point): boolean {
  if (a.words.size === 0 || b.words.size === 0) return false;
  const common = shared(a.words, b.words);
  if (common / Math.max(a.words.size, b.words.size) < SAME_WORDS_OF_LARGER) return false;
  const share = common / Math.min(a.words.size, b.words.size);
  if (shared(a.spans, b.spans) > 0) return share >= SAME_WORDS_NAMED;
  return share >= (a.spans.size > 0 && b.spans.size > 0 ? SAME_WORDS_OTHER_NAMES : SAME_WORDS);
}

/** Areas of the project that a lesson touches: its kind, its command class, the folders of its files. */
export function areasOf(lesson: Lesson): string[] {
  const folders = lesson.files.map((f) => f.split('/').slice(0, -1).slice(0, 2).join('/')).filter((f) => f !== '');
  const classes = lesson.tags.filter((t) => t.startsWith('class:'));
  return [...new Set([`kind:${lesson.kind}`, ...classes, ...folders.map((f) => `folder:${f}`)])];
}
