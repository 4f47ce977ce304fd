/** Whether a lesson is shown, on a project's clock. */

import { isShown, type Lesson, type Status } from '../types.js';
import { confidenceAt, FADED_BELOW } from './confidence.js';
import type { ProjectClock } from './days.js';

/** Status of one lesson from its links and confidence; pinned lessons never fade. `forgotten` is decided by edits alone. */
function statusOf(lesson: Lesson, forgotten: boolean): Status {
  if (forgotten) return 'forgotten';
  if (lesson.supersededBy !== null) return 'superseded';
  if (lesson.confidence < FADED_BELOW && !lesson.pinned) return 'faded';
  return lesson.conflictsWith.length > 0 ? 'conflict' : 'live';
}

/** The lesson as it stands on a project's clock: confidence anew, and live / faded with it. Links stay. */
export function lessonAt(lesson: Lesson, clock: ProjectClock): Lesson {
  const aged = { ...lesson, confidence: confidenceAt(lesson, clock) };
  return { ...aged, status: statusOf(aged, lesson.status === 'forgotten') };
}

/** A conflict needs two that stand: the other one faded, lost or was forgotten, and the doubt goes with it. Changes the lessons. */
export function dropSettledConflicts(lessons: readonly Lesson[]): void {
  const standing = new Set(lessons.filter(isShown).map((l) => l.id));
  for (const lesson of lessons) {
    lesson.conflictsWith = standing.has(lesson.id) ? lesson.conflictsWith.filter((id) => standing.has(id)) : [];
    if (lesson.status === 'conflict' && lesson.conflictsWith.length === 0) lesson.status = 'live';
  }
}
