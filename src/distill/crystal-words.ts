/** What a person wrote into crystal.json, apart from what we wrote: it came past no redactor. */

import { extrasOf, writtenHash } from './crystal.js';
import { idOf } from './crystal-parse.js';
import type { Crystal, CrystalLesson } from './crystal-shape.js';

/** Changed and added lessons whole, of the others the fields that we do not know; null for a lesson without any. */
export interface OwnWords {
  extra: Record<string, unknown>;
  lessons: (Record<string, unknown> | null)[];
  history: (Record<string, unknown> | null)[];
}

const extrasOrNull = (lesson: CrystalLesson): Record<string, unknown> | null => {
  const extras = extrasOf(lesson);
  return Object.keys(extras).length === 0 ? null : extras;
};

/** Null when everything in the file is ours. What we wrote stays out: newer rules would make it look like an edit. */
export function ownWords(crystal: Crystal): OwnWords | null {
  const project = crystal.project?.id ?? null;
  const words: OwnWords = {
    extra: crystal.extra,
    lessons: crystal.lessons.map((lesson) =>
      crystal.written[idOf(lesson, project)] === writtenHash(lesson) ? extrasOrNull(lesson) : lesson,
    ),
    history: crystal.history.map(extrasOrNull),
  };
  return Object.keys(words.extra).length === 0 && [...words.lessons, ...words.history].every((each) => each === null)
    ? null
    : words;
}

/** The crystal with other words in their places; a lesson of which no word is left counts as removed. */
export function withOwnWords(crystal: Crystal, words: OwnWords): Crystal {
  const put = (lessons: readonly CrystalLesson[], own: OwnWords['lessons']): CrystalLesson[] =>
    lessons.map((lesson, i) => {
      const extras = new Set(Object.keys(extrasOf(lesson)));
      // Keys are masked too: the old ones go.
      return own[i]
        ? ({ ...Object.fromEntries(Object.entries(lesson).filter(([key]) => !extras.has(key))), ...own[i] } as CrystalLesson)
        : lesson;
    });
  return {
    ...crystal,
    extra: words.extra,
    lessons: put(crystal.lessons, words.lessons).filter(({ text }) => text.trim() !== ''),
    history: put(crystal.history, words.history),
  };
}
