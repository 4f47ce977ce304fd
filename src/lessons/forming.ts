/** A lesson that is not yet admitted, judged or linked. */

import { LESSON_COLUMNS, type LessonEvent, type Lesson } from '../types.js';
import { countSessions } from './sessions.js';

export interface Forming {
  lesson: Lesson;
  /** There is enough evidence, a person wrote the lesson, or the crystal has it. */
  admitted: boolean;
  /** An edit gave the lesson a person's own words; no other text replaces them. */
  isPersonsWording: boolean;
  /** Who forgot the lesson. An agent may forget only lessons that are open to agents. */
  forgotten: 'person' | 'agent' | false;
}

/** A lesson whose computed fields are empty. */
export function blankLesson(
  given: Partial<Lesson> & Pick<Lesson, 'id' | 'kind' | 'scope' | 'project' | 'text' | 'key'>,
): Lesson {
  const blank: Record<string, unknown> = { evidence: [] };
  for (const [field, column] of Object.entries(LESSON_COLUMNS))
    if ('unknown' in column)
      blank[field] = Array.isArray(column.unknown) ? [...column.unknown] : column.unknown;
  return { ...(blank as unknown as Lesson), ...given };
}

/** Counts and dates that follow from the supporting events. */
export function datesOf(
  evidence: readonly LessonEvent[],
): Pick<Lesson, 'sessions' | 'first_seen' | 'last_seen'> {
  const days = evidence
    .filter((e) => e.supports && e.day !== '')
    .map((e) => e.day)
    .sort();
  return {
    sessions: countSessions(evidence),
    first_seen: days[0] ?? '',
    last_seen: days.at(-1) ?? '',
  };
}

/** Highest trust of the supporting events; 0 if there are none. */
export function topTrust(evidence: readonly LessonEvent[]): number {
  return evidence.reduce((top, e) => (e.supports && e.trust > top ? e.trust : top), 0);
}
