/** Puts the events of lessons in order, each once. */
import { compareText } from '../text/order.js';
import type { LessonEvent } from '../types.js';

/** A text that is equal for equal events. */
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

/** Each event once, oldest first. */
export function uniteEvidence(events: readonly LessonEvent[]): LessonEvent[] {
  const byKey = new Map(events.map((e) => [eventKey(e), e] as const));
  return [...byKey.keys()].sort(compareText).map((key) => byKey.get(key)!);
}
