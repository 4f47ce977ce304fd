/** Explains a lesson's confidence to a person, line by line. */

import { FORGOTTEN_BY_AGENT, type Lesson } from '../types.js';
import { FADED_BELOW, doubtLeft, weighEvidence, type Weighed } from './confidence.js';
import type { ProjectClock } from './days.js';
import { present } from '../text/order.js';

const IMPORTANCE: Readonly<Record<number, string>> = {
  5: "the user's correction, or their always / never",
  4: "the user's preference or decision, a build, test, lint or release command, or a cure after three failing calls",
  3: 'a gotcha or a command',
  2: 'a fact',
  1: 'an episode',
};

const SPEAKERS: Readonly<Record<Lesson['said_by'], string>> = {
  user: 'the user said it',
  observed: 'seen to work or fail',
  agent: 'an agent concluded it',
};

function number(n: number): string {
  return n.toFixed(3);
}

function eventLine(sign: string, { event, ageDays, weight }: Weighed, halfLife: number): string {
  const age =
    ageDays === null ? `${halfLife} active days (its day is unknown)` : `${ageDays} active days`;
  const where = event.entry === null ? event.agent : `${event.agent} ${event.session}`;
  return (
    `  ${sign} ${event.day || 'unknown day'} ${where}: ${event.trust.toFixed(2)} x 0.5^(${age} / ${halfLife}) = ` +
    `${number(weight)} "${event.quote}"`
  );
}

function product(events: readonly Weighed[]): string {
  return events.map((e) => `(1 - ${number(e.weight)})`).join(' x ');
}

function statusLines(lesson: Lesson): string[] {
  const lines = [`status: ${lesson.status}`];
  if (lesson.pinned) lines.push('pinned: never fades');
  if (lesson.status === 'faded')
    lines.push(`faded: confidence below ${FADED_BELOW}; new evidence brings it back`);
  const byWhom = lesson.tags.includes(FORGOTTEN_BY_AGENT)
    ? FORGOTTEN_BY_AGENT
    : 'forgotten by a person';
  if (lesson.status === 'forgotten') lines.push(`${byWhom}: it cannot come back by itself`);
  if (lesson.superseded_by !== null) lines.push(`superseded by ${lesson.superseded_by}`);
  if (lesson.supersedes.length > 0) lines.push(`supersedes ${lesson.supersedes.join(', ')}`);
  return lines;
}

/**
 * Explains confidence and status on the project's clock: every event that counts, their product,
 * the importance.
 */
export function explain(lesson: Lesson, clock: ProjectClock): string[] {
  const { halfLife, supporting, contradicting } = weighEvidence(lesson, clock);
  const confidence = (1 - doubtLeft(supporting)) * doubtLeft(contradicting);
  const merged = lesson.evidence.length - supporting.length - contradicting.length;
  const against = contradicting.length > 0 ? ` x ${product(contradicting)}` : '';
  return present([
    `${lesson.kind}, ${lesson.scope}: ${SPEAKERS[lesson.said_by]}`,
    `half-life ${halfLife.days} active days (${halfLife.of}), ages count the days with an entry up to ${clock.day}`,
    ...supporting.map((e) => eventLine('+', e, halfLife.days)),
    ...contradicting.map((e) => eventLine('-', e, halfLife.days)),
    merged > 0 &&
      `  ${merged} more of the same sessions or of forks of them: one event per session counts`,
    `confidence = (1 - ${product(supporting) || '1'})${against} = ${number(confidence)}`,
    `importance ${lesson.importance}: ${IMPORTANCE[lesson.importance]}`,
    ...statusLines(lesson),
  ]);
}
