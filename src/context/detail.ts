/** detail/<kind>.md: every live lesson with counts, dates, evidence and id. */
import type { Lesson, LessonEvent } from '../types.js';
import { type DetailFile, lessonsIn, topicsOf } from './index-line.js';
import { nameOf, neutralise } from './neutralise.js';
import { counted } from '../text/amounts.js';
import { present } from '../text/order.js';

/** Events shown per lesson; `dripstone lessons show` prints all. */
const EVENTS = 5;
const KEYWORDS = 12;

const SPEAKERS = {
  user: 'the user said it',
  observed: 'seen in sessions',
  agent: 'an agent concluded it',
} as const;

function compareValue(a: Lesson, b: Lesson): number {
  return (
    Number(b.pinned) - Number(a.pinned) ||
    b.importance * b.confidence - a.importance * a.confidence ||
    (a.id < b.id ? -1 : 1)
  );
}

function compareNewest(a: LessonEvent, b: LessonEvent): number {
  const [x, y] = [a, b].map(
    (e) => `${e.day}\u0000${e.agent}\u0000${e.session}\u0000${e.entry ?? ''}`,
  ) as [string, string];
  return x > y ? -1 : x < y ? 1 : 0;
}

function eventLine(e: LessonEvent): string {
  const session = e.entry === null ? '' : ` ${nameOf(e.session.slice(0, 8)) ?? ''}`;
  const quote = neutralise(e.quote).replaceAll('"', "'");
  return `  - ${e.supports ? '' : 'against: '}${e.day} ${nameOf(e.agent) ?? 'agent'}${session}: "${quote}"`;
}

function lessonBlock(l: Lesson, off: string | undefined): string {
  const counts = present([
    SPEAKERS[l.said_by],
    counted(l.sessions, 'session'),
    l.first_seen === l.last_seen ? l.last_seen : `${l.first_seen} to ${l.last_seen}`,
    `confidence ${l.confidence.toFixed(2)}`,
    `importance ${l.importance}`,
    l.uses > 0 && counted(l.uses, 'use'),
    l.pinned && 'pinned',
  ]);
  const files = l.files.flatMap((f) => nameOf(f) ?? []).slice(0, EVENTS);
  const events = [...l.evidence].sort(compareNewest);
  return present([
    `- ${neutralise(l.text)} ^${l.id}`,
    `  - ${counts.join(' · ')}`,
    files.length > 0 && `  - files: ${files.join(', ')}`,
    off !== undefined && `  - off the page: ${neutralise(off)}`,
    ...events.slice(0, EVENTS).map(eventLine),
    events.length > EVENTS && `  - and ${counted(events.length - EVENTS, 'more event')}`,
  ]).join('\n');
}

/**
 * Text of one detail file, also without lessons.
 * @param kind name of the file, e.g. `gotchas`
 * @param lessons lessons of the project in any status and order
 * @param day project clock
 * @param off id -> why the page leaves a lesson out
 */
export function renderDetail(
  kind: DetailFile,
  lessons: readonly Lesson[],
  day = '',
  off: ReadonlyMap<string, string> = new Map(),
): string {
  const shown = lessonsIn(kind, lessons).sort(compareValue);
  const topics = topicsOf(shown, KEYWORDS);
  const head = [
    `> Summary: ${shown.length} ${kind}${day === '' ? '' : `, as of ${day}`}, most valuable first.`,
    `> Keywords: ${[kind, ...topics].join(', ')}`,
  ];
  const blocks = shown.map((each) => lessonBlock(each, off.get(each.id)));
  return `${[...head, ...(blocks.length > 0 ? ['', ...blocks] : [])].join('\n')}\n`;
}
