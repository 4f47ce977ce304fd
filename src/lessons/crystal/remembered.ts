/**
 * Lessons that only the crystal has: it restores them if logs and database are gone, or if a person
 * edited them.
 */

import { isOfHand, sessionKey, type LessonEvent, type Lesson } from '../../types.js';
import type { Tombstone } from './shape.js';
import type { EditState } from '../edits.js';
import { datesOf, type Forming } from '../forming.js';
import { fingerprintOf, plainText } from '../../text/fingerprint.js';
import { isPersonsChoice, joinGroup, withOwnEvents } from '../join.js';

function isPinnedOrReworded(state: EditState | undefined): boolean {
  return state !== undefined && (state.pinned === true || state.text !== null);
}

function isForgotten(state: EditState | undefined): boolean {
  return (state?.forgottenAt ?? null) !== null;
}

/** Stored lessons as they were learnt; the edits are applied again later. */
export function asLearnt(lessons: readonly Lesson[]): Lesson[] {
  const all = withOwnEvents(
    lessons,
    ({ id }) => id,
    ({ superseded_by }) => superseded_by,
  );
  return all.map(({ learnt, ...own }) => ({
    ...own,
    ...(learnt ? { fact: null, fields: null, ...learnt } : {}),
    status: 'live',
    supersedes: [],
    superseded_by: null,
  }));
}

/**
 * Remembered lessons without the events of edits and of sessions that were extracted again. A
 * lesson that a person pinned, reworded or forgot keeps its events until a candidate supports it.
 * @param supported ids of lessons that candidates support
 */
export function stillRemembered(
  remembered: readonly Lesson[],
  extracted: ReadonlySet<string>,
  editStates: ReadonlyMap<string, EditState> = new Map(),
  supported: ReadonlySet<string> = new Set(),
): Lesson[] {
  return remembered.flatMap((lesson) => {
    const state = editStates.get(lesson.id);
    const isKept = (isPinnedOrReworded(state) || isForgotten(state)) && !supported.has(lesson.id);
    const evidence = lesson.evidence.filter(
      (e) => !isOfHand(e) && (isKept || !extracted.has(sessionKey(e.agent, e.session))),
    );
    // Another machine may contradict a lesson that only this machine's sessions support.
    if (!evidence.some((e) => e.supports) && !(supported.has(lesson.id) && evidence.length > 0))
      return [];
    return [
      {
        ...lesson,
        pinned: false,
        supersedes: [],
        superseded_by: null,
        evidence,
        ...datesOf(evidence),
      },
    ];
  });
}

/** The quoted sentences with their entries: they are equal for all extractors. */
function placesOf(evidence: readonly LessonEvent[]): string[] {
  return evidence.flatMap((e) =>
    e.entry === null || !e.supports || isOfHand(e) || plainText(e.quote) === ''
      ? []
      : [`${e.entry}\u0000${fingerprintOf(e.quote)}`],
  );
}

/** The sentences from which a forgotten lesson was made; none for an observed lesson. */
export function sourcesOf({
  said_by,
  learnt,
  evidence,
}: Lesson): NonNullable<Tombstone['sources']> {
  return (learnt?.said_by ?? said_by) === 'observed'
    ? []
    : [...new Set(placesOf(evidence))]
        .sort()
        .map((place) => ({
          entry: place.split('\u0000')[0]!,
          quote_hash: place.split('\u0000')[1]!,
        }));
}

/**
 * Applies a person's edit to all lessons made from the same sentence: they are joined with a lesson
 * that was pinned or reworded, and forgotten with a forgotten one. Changes the lessons.
 */
export function applyPersonsEditsToSameSentence(
  forming: readonly Forming[],
  editStates: ReadonlyMap<string, EditState>,
  tombstones: readonly Tombstone[],
): void {
  const sentences = forming.filter(
    ({ lesson }) => (lesson.learnt?.said_by ?? lesson.said_by) !== 'observed',
  );
  const forgotten = tombstones.filter(({ id }) => isForgotten(editStates.get(id)));
  // The tombstone may be missing or have no sentence, so the lesson's own sentences count, too.
  const known = sentences
    .filter(({ lesson }) => isForgotten(editStates.get(lesson.id)))
    .flatMap(({ lesson }) => placesOf(lesson.evidence));
  const buried = new Set([
    ...known,
    ...forgotten.flatMap(({ sources = [] }) =>
      sources.map(({ entry, quote_hash }) => `${entry}\u0000${quote_hash}`),
    ),
  ]);
  const chosen = new Map<string, Forming>();
  for (const f of sentences)
    if (isPinnedOrReworded(editStates.get(f.lesson.id)))
      for (const place of placesOf(f.lesson.evidence)) if (!chosen.has(place)) chosen.set(place, f);
  for (const f of sentences) {
    if (isPersonsChoice(f) || f.forgotten) continue;
    const places = placesOf(f.lesson.evidence);
    if (places.some((place) => buried.has(place))) f.forgotten = 'person';
    const choice = places.map((place) => chosen.get(place)).find((one) => one !== undefined);
    if (choice) joinGroup([choice, f]);
  }
}
