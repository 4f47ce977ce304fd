/** How far a lesson is believed on a project's clock (docs/glossary.md: confidence, half-life). */

import type { Evidence, Kind, Lesson } from '../types.js';
import { activeAge, type ProjectClock } from './days.js';
import { compareText, eventKey } from './order.js';
import { groupOf, groupSessions } from './sessions.js';

/** Active days after which an event counts half, per kind. */
export const HALF_LIFE_DAYS: Readonly<Record<Kind, number>> = {
  correction: 365,
  decision: 180,
  preference: 90,
  gotcha: 90,
  fact: 45,
  command: 45,
  episode: 14,
};

/**
 * Of what only one session's agent said, whatever its kind: with 14 everything older than a month was lost when a history was
 * first read.
 */
const AGENT_ALONE_HALF_LIFE_DAYS = 45;
/** Of what a model claimed; longer than an agent's alone, since the model saw the whole session. */
const MODEL_HALF_LIFE_DAYS = 90;
/** Tag of what a model claimed or confirmed. */
const MODEL_TAG = 'model';

/** Below this confidence a lesson is faded. */
export const FADED_BELOW = 0.1;

/** One event that counts: the strongest of its independent session. */
export interface Weighed {
  event: Evidence;
  /** Active days from the event to the clock; null when the event's day is unknown (it then counts as one half-life old). */
  ageDays: number | null;
  /** trust × ½^(age / half-life), 0..1. */
  weight: number;
}

interface Weighing {
  halfLifeDays: number;
  /** Why the half-life is not that of the kind; null when it is. */
  because: string | null;
  supporting: Weighed[];
  contradicting: Weighed[];
}

function strongestPerSession(events: readonly Evidence[], halfLife: number, clock: ProjectClock): Weighed[] {
  const groups = groupSessions(events);
  const best = new Map<string, Weighed>();
  for (const event of events) {
    const ageDays = activeAge(event.day, clock);
    const trust = Math.min(1, Math.max(0, event.trust));
    const weighed = { event, ageDays, weight: trust * 0.5 ** ((ageDays ?? halfLife) / halfLife) };
    const group = groupOf(groups, event);
    const old = best.get(group);
    const wins = !old || weighed.weight > old.weight || (weighed.weight === old.weight && eventKey(event) > eventKey(old.event));
    if (wins) best.set(group, weighed);
  }
  // A fixed order, so that the rounding of the product below does not depend on the order of reading.
  return [...best.values()].sort((a, b) => b.weight - a.weight || compareText(eventKey(b.event), eventKey(a.event)));
}

/** What a lesson's confidence follows from. */
type Believed = Pick<Lesson, 'evidence' | 'kind' | 'saidBy' | 'tags'>;

/** Half-life of a lesson in active days, and why when it is not that of its kind. */
export function halfLifeOf({ evidence, kind, saidBy, tags }: Believed): { days: number; because: string | null } {
  if (saidBy === 'agent' && tags.includes(MODEL_TAG)) return { days: MODEL_HALF_LIFE_DAYS, because: 'a model claimed it' };
  const sessions = saidBy === 'agent' ? new Set(groupSessions(evidence.filter((e) => e.supports)).values()).size : 0;
  if (saidBy === 'agent' && sessions < 2)
    return { days: AGENT_ALONE_HALF_LIFE_DAYS, because: "only one session's agent said it" };
  return { days: HALF_LIFE_DAYS[kind], because: null };
}

/** The events that count on a project's clock, strongest first. */
export function weighEvidence(lesson: Believed, clock: ProjectClock): Weighing {
  const { days, because } = halfLifeOf(lesson);
  // What was said before anything supported the lesson denies what was then: sessions need not be read in their order.
  const since = lesson.evidence.reduce((first, e) => (e.supports && (first === '' || e.day < first) ? e.day : first), '');
  return {
    halfLifeDays: days,
    because,
    supporting: strongestPerSession(
      lesson.evidence.filter((e) => e.supports),
      days,
      clock,
    ),
    contradicting: strongestPerSession(
      lesson.evidence.filter((e) => !e.supports && e.day >= since),
      days,
      clock,
    ),
  };
}

/** Product of the doubts that events leave: Π(1 − weight). */
export function doubtLeft(events: readonly Weighed[]): number {
  return events.reduce((doubt, e) => doubt * (1 - e.weight), 1);
}

/**
 * Confidence 0..1 on a project's clock: (1 − Π(1 − wᵢ)) over supporting events × Π(1 − wⱼ) over contradicting ones,
 * w = trust × ½^(age / half-life), one event per independent session. Does not depend on the order of the events.
 */
export function confidenceAt(lesson: Believed, clock: ProjectClock): number {
  const { supporting, contradicting } = weighEvidence(lesson, clock);
  return (1 - doubtLeft(supporting)) * doubtLeft(contradicting);
}
