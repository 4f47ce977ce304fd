/** Orderings that do not depend on the machine's locale. */

import type { LessonEvent } from '../types.js';

/** Compares by UTF-16 code units: -1, 0 or 1. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Distinct values, sorted. */
export function sortedSet(values: Iterable<string>): string[] {
  return [...new Set(values)].sort(compareText);
}

/** One text per event: equal texts are the same event. */
export function eventKey(e: LessonEvent): string {
  return [
    e.day,
    e.agent,
    e.session,
    e.entry ?? '',
    e.supports ? '1' : '0',
    e.trust.toFixed(4),
    e.quote,
  ].join('\u0000');
}

/** The same events once each, oldest first. */
export function uniteEvidence(events: readonly LessonEvent[]): LessonEvent[] {
  const byKey = new Map(events.map((e) => [eventKey(e), e] as const));
  return [...byKey.keys()].sort(compareText).map((key) => byKey.get(key)!);
}
