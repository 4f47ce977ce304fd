/** Files below detail/, and a few words about their contents. */
import { isNegation, STOP_WORDS } from '../text/words.js';
import { type Lesson, type LessonKind, isShown } from '../types.js';

/** Files under detail/, with the kinds of each. */
export const DETAIL_FILES = {
  commands: ['command'],
  preferences: ['correction', 'preference'],
  gotchas: ['gotcha'],
  decisions: ['decision'],
  facts: ['fact'],
} as const satisfies Record<string, readonly LessonKind[]>;

export type DetailFile = keyof typeof DETAIL_FILES;

/** Live lessons of one detail file. */
export function lessonsIn(file: DetailFile, lessons: readonly Lesson[]): Lesson[] {
  return lessons.filter(
    (l) => isShown(l) && (DETAIL_FILES[file] as readonly LessonKind[]).includes(l.kind),
  );
}

// Topics of a list of lessons.

const WORD = /^[a-z][a-z0-9_-]{3,19}$/;
/** Fewer lessons get no topics, since each word would be a topic. */
const ENOUGH = 4;

/** Marks of masked secrets, which are not topics. */
const MASKED = /\[REDACTED:[^[\]]*\]/g;

function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .replace(MASKED, ' ')
      .toLowerCase()
      .match(/[a-z][a-z0-9_-]+/g)
      ?.filter((w) => WORD.test(w) && !STOP_WORDS.has(w) && !isNegation(w)) ?? [],
  );
}

/**
 * Up to `count` words that occur in at least `least` texts, most frequent first, then alphabetical.
 */
export function frequentWords(texts: readonly string[], count: number, least: number): string[] {
  const seen = new Map<string, number>();
  for (const text of texts)
    for (const word of wordsOf(text)) seen.set(word, (seen.get(word) ?? 0) + 1);
  return [...seen.entries()]
    .filter(([, n]) => n >= least)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, count)
    .map(([word]) => word);
}

/** Up to `count` words that several lessons share. */
export function topicsOf(lessons: readonly Lesson[], count: number): string[] {
  return lessons.length < ENOUGH
    ? []
    : frequentWords(
        lessons.map((l) => l.text),
        count,
        2,
      );
}
