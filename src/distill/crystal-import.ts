/** A crystal of another machine joined with the one that is here. */

import { WRITTEN_FORGOTTEN, writtenHash } from './crystal.js';
import { mergeCrystals } from './crystal-merge.js';
import { idOf } from './crystal-parse.js';
import type { Crystal } from './crystal-shape.js';
import { compareText } from './order.js';

/**
 * What is written counts as ours afterwards, so that the other machine's words are not taken for an edit; edits made by hand in either
 * file have to be taken in before. The same two crystals give the same one in either order.
 */
export function joinCrystals(here: Crystal | null, there: Crystal): Crystal {
  const joined = mergeCrystals(here ?? there, there);
  const project = joined.project?.id ?? null;
  const written = [...joined.lessons.map((lesson) => [idOf(lesson, project), writtenHash(lesson)] as const), ...joined.tombstones.map(({ id }) => [id, WRITTEN_FORGOTTEN] as const)];
  return { ...joined, written: Object.fromEntries(written.sort((a, b) => compareText(a[0], b[0]))) };
}
