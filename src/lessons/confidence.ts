/** The confidence of a lesson on a project's clock (docs/database.md, view `lessons`). */

import type { LessonEvent, LessonKind, Lesson } from '../types.js';
import { activeAge, type ProjectClock } from './days.js';
import { eventKey } from './order.js';
import { groupOf, groupSessions } from './sessions.js';
import { compareText } from '../text/order.js';

/** The parts of a lesson from which its confidence is computed. */
type Believed = Pick<Lesson, 'evidence' | 'kind' | 'said_by'>;

interface HalfLife {
  of: string;
  /** Active days after which an event counts half. */
  days: number;
  matches: (of: { kind: LessonKind; said_by: Lesson['said_by'] }) => boolean;
}

/** The first match counts, so the speaker takes precedence over the kind. */
export const HALF_LIVES: readonly HalfLife[] = [
  { of: "the person's words", days: 365, matches: ({ said_by }) => said_by === 'user' },
  { of: 'a decision', days: 180, matches: ({ kind }) => kind === 'decision' },
  { of: 'a claim of a model or an agent', days: 90, matches: ({ said_by }) => said_by === 'agent' },
  { of: 'a gotcha or cure', days: 90, matches: ({ kind }) => kind === 'gotcha' },
  { of: 'a command or another fact', days: 45, matches: () => true },
];

/** Below this confidence a lesson is faded. */
export const FADED_BELOW = 0.1;

/** An event that counts: the strongest one of its independent session. */
export interface Weighed {
  event: LessonEvent;
  /**
   * Active days from the event to the clock; null if the event's day is unknown: the event then
   * counts as one half-life old.
   */
  ageDays: number | null;
  /** trust × ½^(age / half-life), 0..1. */
  weight: number;
}

interface Weighing {
  halfLife: HalfLife;
  supporting: Weighed[];
  contradicting: Weighed[];
}

function strongestPerSession(
  events: readonly LessonEvent[],
  halfLife: number,
  clock: ProjectClock,
): Weighed[] {
  const groups = groupSessions(events);
  const best = new Map<string, Weighed>();
  for (const event of events) {
    const ageDays = activeAge(event.day, clock);
    const trust = Math.min(1, Math.max(0, event.trust));
    const weighed = { event, ageDays, weight: trust * 0.5 ** ((ageDays ?? halfLife) / halfLife) };
    const group = groupOf(groups, event);
    const old = best.get(group);
    const wins =
      !old ||
      weighed.weight > old.weight ||
      (weighed.weight === old.weight && eventKey(event) > eventKey(old.event));
    if (wins) best.set(group, weighed);
  }
  // A fixed order, so that the rounding of the product below does not depend on the order of
  // reading.
  return [...best.values()].sort(
    (a, b) => b.weight - a.weight || compareText(eventKey(b.event), eventKey(a.event)),
  );
}

/** The events that count on a project's clock, strongest first. */
export function weighEvidence(lesson: Believed, clock: ProjectClock): Weighing {
  const halfLife = HALF_LIVES.find(({ matches }) => matches(lesson))!;
  // A contradicting event counts only from the day of the first supporting event on.
  const since = lesson.evidence.reduce(
    (first, e) => (e.supports && (first === '' || e.day < first) ? e.day : first),
    '',
  );
  const strongest = (isWanted: (e: LessonEvent) => boolean): Weighed[] =>
    strongestPerSession(lesson.evidence.filter(isWanted), halfLife.days, clock);
  return {
    halfLife,
    supporting: strongest((e) => e.supports),
    contradicting: strongest((e) => !e.supports && e.day >= since),
  };
}

/** The doubt that is left after these events: Π(1 − weight). */
export function doubtLeft(events: readonly Weighed[]): number {
  return events.reduce((doubt, e) => doubt * (1 - e.weight), 1);
}

/**
 * Confidence 0..1 on a project's clock: (1 − Π(1 − wᵢ)) over supporting events × Π(1 − wⱼ) over
 * contradicting ones, with w = trust × ½^(age / half-life) and one event per independent session.
 */
export function confidenceAt(lesson: Believed, clock: ProjectClock): number {
  const { supporting, contradicting } = weighEvidence(lesson, clock);
  return (1 - doubtLeft(supporting)) * doubtLeft(contradicting);
}
