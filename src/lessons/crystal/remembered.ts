/**
 * Lessons that only the crystal knows: they come back when the logs and the database are gone, or
 * when a person edited them.
 */

import { isOfHand, sessionKey, type LessonEvent, type Lesson } from '../../types.js';
import type { Tombstone } from './shape.js';
import type { EditState } from '../edits.js';
import { datesOf, type Forming } from '../forming.js';
import { fingerprintOf, plainText } from '../../text/fingerprint.js';
import { isHeld, joinGroup, withOwnEvents } from '../join.js';

function keepsHand(state: EditState | undefined): boolean {
  return state !== undefined && (state.pinned === true || state.text !== null);
}

function isForgotten(state: EditState | undefined): boolean {
  return (state?.forgottenAt ?? null) !== null;
}

/** Stored lessons as they were learnt; what was edited comes back through the edits. */
export function asLearnt(lessons: readonly Lesson[]): Lesson[] {
  const all = withOwnEvents(
    lessons,
    ({ id }) => id,
    ({ supersededBy }) => supersededBy,
  );
  return all.map(({ learnt, ...own }) => ({
    ...own,
    ...(learnt ? { fact: null, fields: null, ...learnt } : {}),
    status: 'live',
    supersedes: [],
    supersededBy: null,
  }));
}

/**
 * Remembered lessons without the events that the logs tell better: a session that was extracted
 * again replaces its events (a better extractor may have dropped the lesson, or the session turned
 * out automated), and what was edited by hand comes back through the edits. One that a person
 * pinned or reworded, or forgot, and that no session tells under its id any more, keeps its events:
 * another extractor words the same sentence otherwise.
 * @param told ids that candidates tell
 */
export function stillRemembered(
  remembered: readonly Lesson[],
  extracted: ReadonlySet<string>,
  editStates: ReadonlyMap<string, EditState> = new Map(),
  told: ReadonlySet<string> = new Set(),
): Lesson[] {
  return remembered.flatMap((lesson) => {
    const state = editStates.get(lesson.id);
    const isKept = (keepsHand(state) || isForgotten(state)) && !told.has(lesson.id);
    const evidence = lesson.evidence.filter(
      (e) => !isOfHand(e) && (isKept || !extracted.has(sessionKey(e.agent, e.session))),
    );
    // What denies a lesson on another machine stays with it when only this machine's sessions
    // support it.
    if (!evidence.some((e) => e.supports) && !(told.has(lesson.id) && evidence.length > 0))
      return [];
    return [
      {
        ...lesson,
        pinned: false,
        supersedes: [],
        supersededBy: null,
        evidence,
        ...datesOf(evidence),
      },
    ];
  });
}

/** The sentence that an event quotes, and where it stands: what two extractors agree on. */
function placesOf(evidence: readonly LessonEvent[]): string[] {
  return evidence.flatMap((e) =>
    e.entry === null || !e.supports || isOfHand(e) || plainText(e.quote) === ''
      ? []
      : [`${e.entry}\u0000${fingerprintOf(e.quote)}`],
  );
}

/**
 * For a tombstone: the sentences that a forgotten lesson was made from. A command's uses tell many
 * lessons, of which one was forgotten.
 */
export function sourcesOf({ saidBy, learnt, evidence }: Lesson): NonNullable<Tombstone['sources']> {
  return (learnt?.saidBy ?? saidBy) === 'observed'
    ? []
    : [...new Set(placesOf(evidence))]
        .sort()
        .map((place) => ({
          entry: place.split('\u0000')[0]!,
          quote_hash: place.split('\u0000')[1]!,
        }));
}

/**
 * What a person did to a lesson holds for the sentence that it was made from, also when it now
 * comes under another kind or wording: it joins the lesson that they pinned or reworded, and is
 * forgotten with one that they forgot. An entry alone is not enough: a message has many sentences.
 * Changes the lessons.
 */
export function carryHands(
  forming: readonly Forming[],
  editStates: ReadonlyMap<string, EditState>,
  tombstones: readonly Tombstone[],
): void {
  const sentences = forming.filter(
    ({ lesson }) => (lesson.learnt?.saidBy ?? lesson.saidBy) !== 'observed',
  );
  const forgotten = tombstones.filter(({ id }) => isForgotten(editStates.get(id)));
  // A tombstone may not be written yet, or by an older version that names no sentence: then the
  // lesson itself does, while the database has it.
  const known = sentences
    .filter(({ lesson }) => isForgotten(editStates.get(lesson.id)))
    .flatMap(({ lesson }) => placesOf(lesson.evidence));
  const buried = new Set([
    ...known,
    ...forgotten.flatMap(({ sources = [] }) =>
      sources.map(({ entry, quote_hash }) => `${entry}\u0000${quote_hash}`),
    ),
  ]);
  const held = new Map<string, Forming>();
  for (const f of sentences)
    if (keepsHand(editStates.get(f.lesson.id)))
      for (const place of placesOf(f.lesson.evidence)) if (!held.has(place)) held.set(place, f);
  for (const f of sentences) {
    if (isHeld(f) || f.forgotten) continue;
    const places = placesOf(f.lesson.evidence);
    if (places.some((place) => buried.has(place))) f.forgotten = 'person';
    const holder = places.map((place) => held.get(place)).find((one) => one !== undefined);
    if (holder) joinGroup([holder, f]);
  }
}
