/** What a line is about, so that no two lines make the same point and no area takes all the room. */

import type { Lesson } from '../types.js';

const STOP = new Set(
  (
    'a an and are as at be been but by can do does for from has have if in into is it its not of on or so than that the their ' +
    'then there these they this to use used uses when which will with you your'
  ).split(' '),
);
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Likeness from which two lines make one point. */
const SAME_POINT = 0.6;
/** The same when both name things and none in common: two commands in one sentence are two points. */
const SAME_POINT_OTHER_NAMES = 0.85;

export interface Point {
  words: Set<string>;
  spans: Set<string>;
}

/** A word without the endings that two sentences on one point differ in. */
function stem(word: string): string {
  if (word.length < 5) return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
  const cut = word.replace(/(?:ies|ied)$/, 'y').replace(/(?:ing|ed|es|s)$/, '');
  return cut.replace(/([bdgmnprt])\1$/, '$1').replace(/e$/, '');
}

/** Words and code spans of a line. */
export function pointOf(text: string): Point {
  const words = new Set<string>();
  for (const raw of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (CJK.test(raw) && raw.length > 1) for (let i = 0; i + 1 < raw.length; i++) words.add(raw.slice(i, i + 2));
    else if (!STOP.has(raw) && raw.length > 1) words.add(stem(raw));
  }
  return { words, spans: new Set([...text.matchAll(/`([^`]+)`/g)].map((m) => m[1]!.trim().toLowerCase())) };
}

/** What a word tells: less, the more lines have it. */
export type Rarity = (word: string) => number;

/** Rarity of words among lines; without lines every word counts the same. */
export function rarityAmong(points: readonly Point[]): Rarity {
  const lines = new Map<string, number>();
  for (const { words } of points) for (const word of words) lines.set(word, (lines.get(word) ?? 0) + 1);
  return (word) => 1 / (1 + Math.log2(Math.max(1, lines.get(word) ?? 1)));
}

function weigh(words: Iterable<string>, rarity: Rarity): number {
  let sum = 0;
  for (const word of words) sum += rarity(word);
  return sum;
}

/** Likeness of two points, 0..1: the weight of their common words over the geometric mean of their weights. */
export function likenessOf(a: Point, b: Point, rarity: Rarity): number {
  const [small, large] = a.words.size < b.words.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small.words) if (large.words.has(word)) common += rarity(word);
  return common === 0 ? 0 : common / Math.sqrt(weigh(a.words, rarity) * weigh(b.words, rarity));
}

/** Are two lines of this likeness one point? */
export function isOnePoint(likeness: number, a: Point, b: Point): boolean {
  if (likeness < SAME_POINT) return false;
  const otherNames = a.spans.size > 0 && b.spans.size > 0 && ![...a.spans].some((span) => b.spans.has(span));
  return likeness >= (otherNames ? SAME_POINT_OTHER_NAMES : SAME_POINT);
}

const even: Rarity = () => 1;

/** Do two lines make the same point, every word counting the same? */
export function isSamePoint(a: Point, b: Point): boolean {
  return isOnePoint(likenessOf(a, b, even), a, b);
}

/**
 * Areas of the project that a lesson touches: its kind, the folders of its files, and of a statement what it names.
 */
export function areasOf(lesson: Lesson): string[] {
  const folders = lesson.files.map((f) => f.split('/').slice(0, -1).slice(0, 2).join('/')).filter((f) => f !== '');
  const named = lesson.kind === 'command' ? [] : [...pointOf(lesson.text).spans].map((span) => `names:${span}`);
  return [...new Set([`kind:${lesson.kind}`, ...named, ...folders.map((f) => `folder:${f}`)])];
}
