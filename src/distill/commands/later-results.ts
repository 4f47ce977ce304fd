/** What later sessions' tools showed about the things that a lesson names: gone is evidence against it, still working for it. */

import type { Candidate, Evidence, Lesson } from '../../types.js';
import type { Forming } from '../forming.js';
import { datesOf } from '../forming.js';
import { uniteEvidence } from '../order.js';
import { codeSpans, isNegated } from '../wording.js';

/** A success that uses what an agent told bears it out, but does not prove it. */
const TRUST_OF_USE = 0.4;

/** Something that a session showed, and when. */
interface Shown {
  event: Evidence;
  names: (lesson: Lesson) => boolean;
}

/** A retraction is taken for one of a lesson when both share so many names. */
const NAMES_OF_A_DENIAL = 2;

/** What a lesson names, as a denial would. */
function namesOf(l: Lesson): string[] {
  return [
    ...new Set(
      [...codeSpans(l.text), ...l.files].map((n) =>
        n
          .toLowerCase()
          .replace(/\(.*\)$/, '')
          .replace(/^[./~]+/, ''),
      ),
    ),
  ];
}

function holdsPath(whole: string, file: string): boolean {
  const span = whole.replace(/\(.*\)$/, '');
  return span === file || span.endsWith(`/${file}`) || span.split(/[\s'"=:]+/).includes(file);
}

function absenceOf(c: Candidate): Shown | null {
  if (c.evidence.supports || c.evidence.day === '') return null;
  const { subject: program, value: name } = c;
  if (c.tags.includes('denied') && name !== null) {
    const denied = new Set(name.split('\n'));
    return {
      event: c.evidence,
      names: (l) => l.saidBy === 'agent' && namesOf(l).filter((n) => denied.has(n)).length >= NAMES_OF_A_DENIAL,
    };
  }
  if (c.tags.includes('absent') && name !== null) {
    if (program === null)
      return { event: c.evidence, names: (l) => l.files.includes(name) || codeSpans(l.text).some((s) => holdsPath(s, name)) };
    return {
      event: c.evidence,
      names: (l) => codeSpans(l.text).some((s) => s.split(/\s+/)[0] === program && s.split(/[\s=]+/).includes(name)),
    };
  }
  // A command that began to fail may be mended soon: that is evidence against the command alone.
  const command = c.kind === 'command' && !c.tags.includes('fails') ? codeSpans(c.text)[0] : undefined;
  return command === undefined
    ? null
    : { event: c.evidence, names: (l) => codeSpans(l.text).some((s) => s === command || s.startsWith(`${command} `)) };
}

/** A command of two words and more that worked. */
function useOf(c: Candidate): Shown | null {
  const command = c.kind === 'command' && c.evidence.supports && c.saidBy === 'observed' ? codeSpans(c.text)[0] : undefined;
  if (command === undefined || !command.includes(' ')) return null;
  return { event: { ...c.evidence, trust: TRUST_OF_USE }, names: (l) => codeSpans(l.text).includes(command) };
}

function sessionOf(e: Evidence): string {
  return `${e.agent}\u0000${e.session}`;
}

/**
 * Day on which the lesson was last told. A use that bears it out is no telling: of the uses on two machines the later would keep
 * the earlier out on the other one.
 */
function lastSaidOf({ text, evidence, firstSeen }: Lesson): string {
  const spans = new Set(codeSpans(text));
  const said = evidence.filter((e) => e.supports && !(e.trust === TRUST_OF_USE && spans.has(e.quote)));
  return datesOf(said).lastSeen || firstSeen;
}

function addTo(lesson: Lesson, events: readonly Evidence[]): void {
  if (events.length === 0) return;
  lesson.evidence = uniteEvidence([...lesson.evidence, ...events]);
  Object.assign(lesson, datesOf(lesson.evidence));
}

/**
 * Adds what later sessions showed to lessons on files, options and commands. What a person wished, decided or wrote stands
 * whatever is missing; commands have their own evidence; a statement that denies is not borne out by a success. Changes the
 * lessons.
 */
export function addLaterResults(forming: readonly Forming[], candidates: readonly Candidate[]): void {
  const gone = candidates.map(absenceOf).filter((s) => s !== null);
  const used = candidates.map(useOf).filter((s) => s !== null);
  if (gone.length + used.length === 0) return;
  for (const { lesson, byHand } of forming) {
    if (
      byHand ||
      lesson.kind === 'command' ||
      lesson.tags.includes('replaced') ||
      (lesson.saidBy === 'user' && lesson.kind !== 'fact' && lesson.kind !== 'gotcha')
    )
      continue;
    const own = new Set(lesson.evidence.map(sessionOf));
    const lastSaid = lastSaidOf(lesson);
    const later = (shown: Shown): boolean =>
      shown.event.day > lastSaid && !own.has(sessionOf(shown.event)) && shown.names(lesson);
    const against = gone.filter(later).map((s) => s.event);
    const isBorneOut = lesson.saidBy === 'agent' && !isNegated(lesson.text);
    addTo(lesson, [...against, ...(isBorneOut ? used.filter(later).map((s) => s.event) : [])]);
  }
}
