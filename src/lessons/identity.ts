/** Ids that are equal on all machines: computed from project, kind and key, never from a time. */

import { createHash } from 'node:crypto';
import type { LessonKind } from '../types.js';

const ID_LENGTH = 16;
const ID_SPACE = 36n ** BigInt(ID_LENGTH);

/**
 * Id of a lesson: 16 base-36 characters of sha256.
 * @param project project id, or null for a global lesson
 */
export function lessonId(project: string | null, kind: LessonKind, key: string): string {
  const hex = createHash('sha256')
    .update(`${project ?? 'global'}\u0000${kind}\u0000${key}`)
    .digest('hex');
  // People type the beginning of an id. The first base-36 digits of a 256-bit number are unevenly
  // distributed; those of the remainder are not.
  return (BigInt(`0x${hex}`) % ID_SPACE).toString(36).padStart(ID_LENGTH, '0');
}
