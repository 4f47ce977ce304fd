/** How far a lesson is believed on a given day (docs/glossary.md: confidence, half-life). */

import type { Evidence, Kind, SaidBy } from '../types.js';
import { ageInDays } from './days.js';
import { compareText, eventKey } from './order.js';
import { groupOf, groupSessions } from './sessions.js';

/** Days after which an event counts half, per kind. */
export const HALF_LIFE_DAYS: Readonly<Record<Kind, number>> = {
  correction: 365,
  decision: 180,
  preference: 90,
  gotcha: 90,
  fact: 30,
  command: 30,
  episode: 14,
};

/** What only one session's agent said lives at most this long. */
export const AGENT_ALONE_HALF_LIFE_DAYS = 14;

/** Below this confidence a lesson is faded. */
export const FADED_BELOW = 0.1;

/** One event that counts: the strongest of its independent session. */
export interface Weighed {
  event: Evidence;
  /** Days from the event to the day asked for; null when the event's day is unknown (it then counts as one half-life old). */
  ageDays: number | null;
  /** trust × ½^(age / half-life), 0..1. */
  weight: number;
}

export interface Weighing {
  halfLifeDays: number;
  supporting: Weighed[];
  contradicting: Weighed[];
}

function strongestPerSession(events: readonly Evidence[], halfLife: number, day: string): Weighed[] {
  const groups = groupSessions(events);
  const best = new Map<string, Weighed>();
  for (const event of events) {
    const ageDays = ageInDays(event.day, day);
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

/** Half-life of a lesson in days: by kind, and at most 14 when only one session's agent said it. */
export function halfLifeOf(evidence: readonly Evidence[], kind: Kind, saidBy: SaidBy): number {
  const base = HALF_LIFE_DAYS[kind];
  if (saidBy !== 'agent') return base;
  const sessions = new Set(groupSessions(evidence.filter((e) => e.supports)).values()).size;
  return sessions > 1 ? base : Math.min(base, AGENT_ALONE_HALF_LIFE_DAYS);
}

/** The events that count on a day, strongest first. */
export function weighEvidence(evidence: readonly Evidence[], kind: Kind, saidBy: SaidBy, day: string): Weighing {
  const halfLifeDays = halfLifeOf(evidence, kind, saidBy);
  return {
    halfLifeDays,
    supporting: strongestPerSession(evidence.filter((e) => e.supports), halfLifeDays, day),
    contradicting: strongestPerSession(evidence.filter((e) => !e.supports), halfLifeDays, day),
  };
}

/** Product of the doubts that events leave: Π(1 − weight). */
export const doubtLeft = (events: readonly Weighed[]): number => events.reduce((doubt, e) => doubt * (1 - e.weight), 1);

/**
 * Confidence 0..1 on a day: (1 − Π(1 − wᵢ)) over supporting events × Π(1 − wⱼ) over contradicting ones,
 * w = trust × ½^(age / half-life), one event per independent session. Does not depend on the order of the events.
 */
export function confidenceAt(evidence: readonly Evidence[], kind: Kind, saidBy: SaidBy, day: string): number {
  const { supporting, contradicting } = weighEvidence(evidence, kind, saidBy, day);
  return (1 - doubtLeft(supporting)) * doubtLeft(contradicting);
}
