/** Lessons that only the crystal knows: they come back when the logs and the database are gone. */

import { sessionKey, type Lesson } from '../types.js';
import { datesOf } from './forming.js';
import { AGENTS_HAND, PERSON } from './edits.js';

/**
 * Remembered lessons without the events that the logs tell better: a session that was extracted again speaks for itself (a better extractor may
 * have dropped the lesson, or the session turned out machine-made), and what hands wrote comes back through the edits.
 */
export function stillRemembered(remembered: readonly Lesson[], extracted: ReadonlySet<string>): Lesson[] {
  return remembered.flatMap((lesson) => {
    const evidence = lesson.evidence.filter((e) => e.agent !== PERSON && e.session !== AGENTS_HAND && !extracted.has(sessionKey(e.agent, e.session)));
    if (!evidence.some((e) => e.supports)) return [];
    return [{ ...lesson, pinned: false, supersedes: [], supersededBy: null, conflictsWith: [], evidence, ...datesOf(evidence) }];
  });
}
