/** Chooses lines under a token budget, in the order given. */
import { contentWords, overlap } from '../text/words.js';
import { lineOf, type PageLine } from './lines.js';
import type { RankedLesson } from './rank.js';

/** No line is shorter than this. */
const SHORTEST_LINE_TOKENS = 8;
/** After this many consecutive lines that do not fit, the budget counts as full. */
const MISSES = 25;

/**
 * Each line that still fits.
 * @param ranked best first
 * @param budget tokens that the lines may take
 */
export function chooseLines(ranked: readonly RankedLesson[], budget: number): PageLine[] {
  const lines: PageLine[] = [];
  let left = budget;
  let misses = 0;
  for (const each of ranked) {
    if (left < SHORTEST_LINE_TOKENS || misses >= MISSES) break;
    const line = lineOf(each.lesson);
    if (line === null) continue;
    misses = line.tokens > left ? misses + 1 : 0;
    if (line.tokens > left) continue;
    left -= line.tokens;
    lines.push(line);
  }
  return lines;
}

/** At least this share of a page is for lessons of several sessions. */
const SEVERAL_SHARE = 1 / 3;

/**
 * Lines in the order given. Lessons of a single session leave a third of the budget to lessons of
 * several sessions, if there are any.
 */
export function chooseInOrder(ranked: readonly RankedLesson[], budget: number): PageLine[] {
  const several = chooseLines(ranked.filter(isSeveral), budget * SEVERAL_SHARE);
  const kept = new Set(several.map(({ lesson }) => lesson.id));
  const others = chooseLines(
    ranked.filter(({ lesson }) => !kept.has(lesson.id)),
    budget - several.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const place = new Map(ranked.map(({ lesson }, at) => [lesson.id, at]));
  return [...several, ...others].sort((a, b) => place.get(a.lesson.id)! - place.get(b.lesson.id)!);
}

function isSeveral({ lesson }: RankedLesson): boolean {
  return lesson.sessions > 1 || lesson.pinned;
}

/** Two lines with equal names and at least this share of common words are repeats. */
const ONE_POINT = 0.8;
/** More lines than a page has. Later lines are not compared, which saves time. */
const COMPARED = 200;

/** Leaves out lessons with nearly the meaning of an earlier one. */
export function withoutRepeats(ranked: readonly RankedLesson[]): RankedLesson[] {
  const kept: RankedLesson[] = [];
  const known = new Map<string, ReadonlySet<string>[]>();
  for (const [at, each] of ranked.entries()) {
    if (kept.length >= COMPARED) return [...kept, ...ranked.slice(at)];
    const { words, fixed } = pointOf(each.lesson.text);
    const alike = known.get(fixed) ?? [];
    if (alike.some((other) => overlap(words, other) >= ONE_POINT)) continue;
    kept.push(each);
    known.set(fixed, [...alike, words]);
  }
  return kept;
}

/** Leaves out lessons with nearly the meaning of a line on the page. */
export function withoutShown(
  ranked: readonly RankedLesson[],
  onPage: readonly RankedLesson[],
): RankedLesson[] {
  const isOnPage = new Set(onPage);
  return withoutRepeats([...onPage, ...ranked]).filter((each) => !isOnPage.has(each));
}

/** Two claims with at least this share of common words have the same topic. */
const ONE_THING = 0.2;

/** Moves an agent's claim to the end if an earlier line has the same topic. */
export function variedFirst(ranked: readonly RankedLesson[]): RankedLesson[] {
  const known: ReadonlySet<string>[] = [];
  const [first, later]: [RankedLesson[], RankedLesson[]] = [[], []];
  for (const each of ranked) {
    const words = new Set(each.lesson.fact === null ? contentWords(each.lesson.text) : []);
    const isLater =
      each.lesson.said_by !== 'user' && known.some((other) => overlap(words, other) >= ONE_THING);
    (isLater ? later : first).push(each);
    if (!isLater && known.length < COMPARED) known.push(words);
  }
  return [...first, ...later];
}

interface Point {
  words: ReadonlySet<string>;
  /** Paths, flags, numbers and denied words, which must be equal. */
  fixed: string;
}

function pointOf(text: string): Point {
  const words = contentWords(text);
  const names = words.filter((word) => /[^\p{L}]/u.test(word));
  const denied = words.flatMap((word, at) => (word === 'not' ? `not ${words[at + 1] ?? ''}` : []));
  return {
    words: new Set(words),
    fixed: JSON.stringify([...new Set([...names, ...denied])].sort()),
  };
}
