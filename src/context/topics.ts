/** The few words that tell what a list of lessons is about. */

import type { Lesson } from '../types.js';
import { pointOf } from './points.js';

const WORD = /^[a-z][a-z0-9_-]{3,19}$/;
const EMPTY = new Set('after again always before both cannot could does done each else ever every first just last like line make many more most must need needs never next only other over same should since some still such sure test tests them they thing until very want well were what where while without work works would file files code command commands error errors project'.split(' '));

/** Up to `count` words that most lessons share, most frequent first; ties in alphabetical order. */
export function topicsOf(lessons: readonly Lesson[], count: number): string[] {
  const seen = new Map<string, number>();
  for (const lesson of lessons) for (const word of pointOf(lesson.text).words) if (WORD.test(word) && !EMPTY.has(word)) seen.set(word, (seen.get(word) ?? 0) + 1);
  return [...seen.entries()]
    .filter(([, n]) => n > 1 || lessons.length === 1)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, count)
    .map(([word]) => word);
}
