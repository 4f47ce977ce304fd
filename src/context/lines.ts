/** A lesson as one line of context.md. */

import type { Lesson } from '../types.js';
import { neutralise } from './neutralise.js';
import { countLine } from './tokens.js';

/** Longest line, from its dash to its end. A longer one stays out whole: half a statement misleads. */
export const MAX_LINE = 200;

/** A text this long does not come down to a line, whatever is taken out of it. */
const MAX_RAW = 400;

export interface Line {
  lesson: Lesson;
  /** Without the newline. */
  text: string;
  /** With the newline. */
  tokens: number;
}

/** The line of a lesson, or null when nothing of it remains or it is too long to stand whole. */
export function lineOf(lesson: Lesson, unsure: boolean): Line | null {
  if (lesson.text.length > MAX_RAW) return null;
  const words = neutralise(lesson.text);
  const text = `- ${words}${unsure ? ' (unsure)' : ''}`;
  if (words === '' || text.length > MAX_LINE) return null;
  return { lesson, text, tokens: countLine(text) };
}
