/** A lesson as one line of context.md. */
import type { Lesson } from '../types.js';
import { neutralise } from './neutralise.js';
import { countTokens } from '../text/tokens.js';

/**
 * Longest line, from its dash to its end. A longer one stays out whole: half a statement misleads.
 */
export const MAX_LINE = 200;

/** A longer text is not tried: taking out markup would not shorten it to a line. */
const MAX_RAW = 400;

export interface PageLine {
  lesson: Lesson;
  /** Without the newline. */
  text: string;
  /** With the newline. */
  tokens: number;
}

/**
 * Text of a lesson's line, or null when nothing of it remains or it is too long to stand whole.
 * Counts no tokens.
 */
export function pageLine(lesson: Pick<Lesson, 'text'>, unsure = false): string | null {
  if (lesson.text.length > MAX_RAW) return null;
  const words = neutralise(lesson.text);
  const text = `- ${words}${unsure ? ' (unsure)' : ''}`;
  return words === '' || text.length > MAX_LINE ? null : text;
}

/** Why a lesson's text is no line of a page; null when it is one. */
export function whyNoLine(lesson: Pick<Lesson, 'text'>, unsure = false): string | null {
  if (pageLine(lesson, unsure) !== null) return null;
  return neutralise(lesson.text) === ''
    ? 'nothing of it is left without its markup'
    : `longer than a line of the page (${MAX_LINE} characters): detail/, search and recall have it, the page does not`;
}

/** The line of a lesson with its tokens; null as {@link pageLine}. */
export function lineOf(lesson: Lesson, unsure: boolean): PageLine | null {
  const text = pageLine(lesson, unsure);
  return text === null ? null : { lesson, text, tokens: countTokens(`${text}\n`) };
}

// Ids short enough for a line of context.md.

const SHORTEST = 3;

function sharedPrefix(a: string, b: string): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}

/** Shortest prefix of at least three characters that no other id shares, per id. */
export function shortIds(ids: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, i) => {
      const near = Math.max(
        sharedPrefix(id, sorted[i - 1] ?? ''),
        sharedPrefix(id, sorted[i + 1] ?? ''),
      );
      return [id, id.slice(0, Math.max(SHORTEST, near + 1))];
    }),
  );
}
