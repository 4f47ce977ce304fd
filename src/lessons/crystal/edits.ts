/** Finds what a person changed in crystal.json, as edit events. */
import type { Edit } from '../../types.js';
import { idOf } from './parse.js';
import type { Crystal, CrystalLesson } from './shape.js';
import { WRITTEN_FORGOTTEN, extrasOf, writtenHash } from './crystal.js';
import { planAdd, planForget, planPin, planReword } from '../edit-plans.js';
import { compareText } from '../../text/order.js';

const PINNED = 'p';
function textHash(hash: string): string {
  return hash.replace(/p$/, '');
}

/**
 * A lesson that we did not write is new words of the person, unless it has evidence: then it comes
 * from another machine's crystal.
 */
function planAdded(lesson: CrystalLesson, project: string | null, time: string): Edit[] {
  if (lesson.id !== undefined && lesson.evidence.length > 0) return [];
  const added = planAdd(project, lesson.kind, lesson.text, time);
  return lesson.pinned ? [added, planPin(added.lesson, true, time)] : [added];
}

function planChanged(lesson: CrystalLesson, id: string, was: string, time: string): Edit[] {
  const now = writtenHash(lesson);
  const edits: Edit[] = [];
  if (textHash(now) !== textHash(was)) edits.push(planReword(id, lesson.text, lesson.kind, time));
  if (now.endsWith(PINNED) !== was.endsWith(PINNED)) edits.push(planPin(id, lesson.pinned, time));
  return edits;
}

/**
 * Lessons by id. If two have one id, the lesson that we wrote keeps the id and the other is new.
 */
function splitById(
  lessons: readonly CrystalLesson[],
  project: string | null,
  written: Readonly<Record<string, string>>,
): { own: Map<string, CrystalLesson>; copies: CrystalLesson[] } {
  const own = new Map<string, CrystalLesson>();
  const copies: CrystalLesson[] = [];
  for (const lesson of lessons) {
    const id = idOf(lesson, project);
    const rival = own.get(id);
    if (!rival) own.set(id, lesson);
    else if (writtenHash(rival) !== written[id] && writtenHash(lesson) === written[id]) {
      own.set(id, lesson);
      copies.push(rival);
    } else if (writtenHash(rival) !== writtenHash(lesson)) copies.push(lesson);
  }
  return { own, copies };
}

/**
 * Edits that a person made by hand: changed text or kind, pinned flag, removed lesson (a
 * tombstone), added lesson, removed tombstone.
 * @param written hashes of the last write (`written` of the file, or of the database's copy)
 * @param time ISO 8601 UTC, when the file was changed
 */
export function planCrystalEdits(
  written: Readonly<Record<string, string>>,
  crystal: Crystal,
  time: string,
): Edit[] {
  const project = crystal.project?.id ?? null;
  const { own, copies } = splitById(crystal.lessons, project, written);
  const stones = new Set(crystal.tombstones.map((t) => t.id));
  const elsewhere = new Set([...stones, ...crystal.history.map((l) => idOf(l, project))]);
  const edits: Edit[] = [];
  for (const [id, lesson] of own) {
    const was = written[id];
    if (was === undefined || was === WRITTEN_FORGOTTEN)
      edits.push(...planAdded(lesson, project, time));
    else edits.push(...planChanged(lesson, id, was, time));
  }
  for (const copy of copies)
    edits.push(...planAdded({ ...copy, id: undefined, evidence: [] }, project, time));
  for (const [id, was] of Object.entries(written)) {
    if (was === WRITTEN_FORGOTTEN) {
      if (!stones.has(id) && !own.has(id))
        edits.push({ lesson: id, action: 'undo', text: null, kind: null, scope: null, time });
    } else if (!own.has(id) && !elsewhere.has(id)) edits.push(planForget(id, time));
  }
  return edits.sort((a, b) => compareText(a.lesson, b.lesson) || compareText(a.action, b.action));
}

// Separates the person's words in crystal.json from ours, since the person's are not masked yet.

/**
 * Changed and added lessons as a whole; of other lessons only the fields that we do not know (null
 * if there are none).
 */
export interface OwnWords {
  extra: Record<string, unknown>;
  lessons: (Record<string, unknown> | null)[];
  history: (Record<string, unknown> | null)[];
}

function extrasOrNull(lesson: CrystalLesson): Record<string, unknown> | null {
  const extras = extrasOf(lesson);
  return Object.keys(extras).length === 0 ? null : extras;
}

/**
 * Null if we wrote everything in the file. Our own words are left out: if newer rules masked them,
 * the change would look like an edit.
 */
export function ownWords(crystal: Crystal): OwnWords | null {
  const project = crystal.project?.id ?? null;
  const words: OwnWords = {
    extra: crystal.extra,
    lessons: crystal.lessons.map((lesson) =>
      crystal.written[idOf(lesson, project)] === writtenHash(lesson)
        ? extrasOrNull(lesson)
        : lesson,
    ),
    history: crystal.history.map(extrasOrNull),
  };
  return Object.keys(words.extra).length === 0 &&
    [...words.lessons, ...words.history].every((each) => each === null)
    ? null
    : words;
}

/**
 * The crystal with these words in place of the person's; a lesson without words counts as removed.
 */
export function withOwnWords(crystal: Crystal, words: OwnWords): Crystal {
  const put = (lessons: readonly CrystalLesson[], own: OwnWords['lessons']): CrystalLesson[] =>
    lessons.map((lesson, i) => {
      const extras = new Set(Object.keys(extrasOf(lesson)));
      // Keys are masked too, so the old keys are removed.
      return own[i]
        ? ({
            ...Object.fromEntries(Object.entries(lesson).filter(([key]) => !extras.has(key))),
            ...own[i],
          } as CrystalLesson)
        : lesson;
    });
  return {
    ...crystal,
    extra: words.extra,
    lessons: put(crystal.lessons, words.lessons).filter(({ text }) => text.trim() !== ''),
    history: put(crystal.history, words.history),
  };
}
