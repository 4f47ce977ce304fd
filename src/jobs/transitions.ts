/** What became of lessons between two computations, in words that a person understands. Pure. */
import type { Transition } from '../store/index.js';
import type { Lesson, Status } from '../types.js';

const reasonOf = (lesson: Lesson, before: Status | null): string => {
  const confidence = lesson.confidence.toFixed(3);
  switch (lesson.status) {
    case 'faded':
      return `confidence ${confidence} fell below 0.1; last seen ${lesson.lastSeen || 'on an unknown day'}`;
    case 'superseded':
      return `replaced by ${lesson.supersededBy ?? 'another lesson'}`;
    case 'forgotten':
      return 'a person forgot it';
    case 'conflict':
      return `contradicts ${lesson.conflictsWith.join(', ')}`;
    case 'live':
      return before === 'faded'
        ? `revived: confidence ${confidence}, last seen ${lesson.lastSeen}`
        : before === null
          ? 'learnt'
          : `stands again (was ${before})`;
  }
};

/** Changes of status; lessons that are gone count as withdrawn and leave no row, new ones do when they are not simply live. */
export const planTransitions = (before: readonly Lesson[], after: readonly Lesson[], day: string, time: string): Transition[] => {
  const was = new Map(before.map((lesson) => [lesson.id, lesson.status]));
  return after.flatMap((lesson) => {
    const old = was.get(lesson.id) ?? null;
    if (old === lesson.status || (old === null && lesson.status === 'live')) return [];
    return [
      { time, day, lesson: lesson.id, project: lesson.project, before: old, after: lesson.status, reason: reasonOf(lesson, old) },
    ];
  });
};
