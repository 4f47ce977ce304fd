/** detail/<kind>.md: every live lesson with counts, dates, evidence and id. */

import type { Evidence, Lesson } from '../types.js';
import { withWritten } from './detail-written.js';
import { lessonsIn, type DetailFile } from './index-line.js';
import { nameOf, neutralise } from './neutralise.js';
import { topicsOf } from './topics.js';

/** Events shown per lesson; `dripstone lessons show` has all. */
const EVENTS = 5;
const KEYWORDS = 12;

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

const SAID = { user: 'the user said it', observed: 'seen in sessions', agent: 'an agent concluded it' } as const;

const compareValue = (a: Lesson, b: Lesson): number =>
  Number(b.pinned) - Number(a.pinned) || b.importance * b.confidence - a.importance * a.confidence || (a.id < b.id ? -1 : 1);

const compareNewest = (a: Evidence, b: Evidence): number => {
  const [x, y] = [a, b].map((e) => `${e.day}\u0000${e.agent}\u0000${e.session}\u0000${e.entry ?? ''}`) as [string, string];
  return x > y ? -1 : x < y ? 1 : 0;
};

function eventLine(e: Evidence): string {
  const session = e.entry === null ? '' : ` ${nameOf(e.session.slice(0, 8)) ?? ''}`;
  const quote = neutralise(e.quote).replaceAll('"', "'");
  return `  - ${e.supports ? '' : 'against: '}${e.day} ${nameOf(e.agent) ?? 'agent'}${session}: "${quote}"`;
}

function lessonBlock(l: Lesson): string {
  const marks = [
    l.pinned ? 'pinned' : '',
    l.status === 'conflict' ? `in conflict with ${l.conflictsWith.map((id) => `^${id}`).join(', ')}` : '',
  ].filter((m) => m !== '');
  const counts = [
    SAID[l.saidBy],
    plural(l.sessions, 'session'),
    l.firstSeen === l.lastSeen ? l.lastSeen : `${l.firstSeen} to ${l.lastSeen}`,
    `confidence ${l.confidence.toFixed(2)}`,
    `importance ${l.importance}`,
    ...(l.uses > 0 ? [plural(l.uses, 'use')] : []),
    ...marks,
  ].filter((part) => part !== '');
  const files = l.files.flatMap((f) => nameOf(f) ?? []).slice(0, EVENTS);
  const events = [...l.evidence].sort(compareNewest);
  const more = events.length > EVENTS ? [`  - and ${plural(events.length - EVENTS, 'more event')}`] : [];
  return [
    `- ${neutralise(l.text)} ^${l.id}`,
    `  - ${counts.join(' · ')}`,
    ...(files.length > 0 ? [`  - files: ${files.join(', ')}`] : []),
    ...events.slice(0, EVENTS).map(eventLine),
    ...more,
  ].join('\n');
}

/**
 * Text of one detail file; empty lists give a file that says so.
 * @param kind name of the file, e.g. `gotchas`
 * @param lessons lessons of the project in any status and order
 * @param day project clock
 */
export function renderDetail(kind: DetailFile, lessons: readonly Lesson[], day = ''): string {
  const shown = lessonsIn(kind, lessons).sort(compareValue);
  const topics = topicsOf(shown, KEYWORDS);
  const head = [
    `> Summary: ${shown.length} ${kind}${day === '' ? '' : `, as of ${day}`}, most valuable first.`,
    `> Keywords: ${[kind, ...topics].join(', ')}`,
  ];
  return withWritten([head.join('\n'), ...(shown.length > 0 ? [shown.map(lessonBlock).join('\n')] : [])].join('\n\n'));
}
