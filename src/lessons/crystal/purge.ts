/** Removes purged texts from a crystal, and lessons that nothing else supports. */

import { separated } from './merge.js';
import { idOf } from './parse.js';
import type { Crystal, CrystalLesson } from './shape.js';
import { isOfHand, sessionKey, type Edit, type LessonEvent } from '../../types.js';
import { plainText } from '../../text/fingerprint.js';
import { planAdd, planPin } from '../edit-plans.js';
import { uniteEdits } from '../edits.js';

export interface Purged {
  /** Ids of entries. */
  ids: ReadonlySet<string>;
  /** `agent\0session` of sessions without any entry left. */
  sessions: ReadonlySet<string>;
  /** Whether a text must be removed. */
  hasPurged: (text: string) => boolean;
  /** Days on which nothing else was logged. */
  days?: ReadonlySet<string>;
  /** Whether an edit must be removed, too. */
  isGoneEdit?: (edit: Edit) => boolean;
}

interface PurgedCrystal {
  crystal: Crystal;
  /** Ids of the removed lessons. */
  removed: string[];
  changed: boolean;
}

function hasPurgedAnywhere(value: unknown, hasPurged: Purged['hasPurged']): boolean {
  if (typeof value === 'string') return hasPurged(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, each]) => hasPurged(key) || hasPurgedAnywhere(each, hasPurged),
  );
}

/** Which words of a lesson came from edits. */
interface EditedWords {
  /** Some of these words stay. */
  isKept: boolean;
  /** Some of these words are removed. */
  isPurged: boolean;
}

/** Whether an event quotes the lesson's own words. */
function quotes({ quote }: LessonEvent, text: string): boolean {
  return plainText(quote).includes(plainText(text));
}

/**
 * The lesson without its purged events and words; null if no event supports the lesson any more, or
 * its own words must be removed. The words of an edit stay as an edit, see {@link wordsKept}.
 */
function purgeLesson(
  lesson: CrystalLesson,
  { ids, sessions, hasPurged }: Purged,
  { isKept, isPurged }: EditedWords,
): CrystalLesson | null {
  const isGone = (e: LessonEvent): boolean =>
    (e.entry !== null && ids.has(e.entry)) ||
    sessions.has(sessionKey(e.agent, e.session)) ||
    hasPurgedAnywhere(e, hasPurged);
  const evidence = lesson.evidence.filter((e) => !isGone(e) && !(isPurged && isOfHand(e)));
  const gone = lesson.evidence.filter((e) => isGone(e) && !isOfHand(e));
  const borne = evidence.filter((e) => e.supports && !isOfHand(e));
  const { learnt: before, ...words } = lesson;
  const learntText = before?.text ?? lesson.text;
  // Learnt words are removed with the entries that said them, unless an edit replaced the words.
  const isUnlearnt =
    gone.length > 0 &&
    (borne.length === 0 ||
      (gone.some((e) => quotes(e, learntText)) && !borne.some((e) => quotes(e, learntText))));
  if (isUnlearnt && (!isKept || before !== undefined)) return null;
  const [rest, learnt] = isPurged ? [{ ...words, ...before }, undefined] : [words, before];
  const kept = {
    ...rest,
    tags: lesson.tags.filter((tag) => !hasPurged(tag)),
    files: lesson.files.filter((file) => !hasPurged(file)),
    evidence: [],
  };
  if (hasPurgedAnywhere(kept, hasPurged)) return null;
  if (evidence.length < lesson.evidence.length && !evidence.some((e) => e.supports)) return null;
  return {
    ...kept,
    evidence,
    ...(learnt !== undefined && !hasPurgedAnywhere(learnt, hasPurged) ? { learnt } : {}),
  };
}

/** Edits that add the person's own words of removed lessons again, with a new id. */
function wordsKept(
  lessons: readonly CrystalLesson[],
  left: ReadonlySet<string>,
  edits: readonly Edit[],
  project: string | null,
): Edit[] {
  return lessons.flatMap((lesson) => {
    const edit = edits.findLast(
      ({ lesson: id, text }) => id === idOf(lesson, project) && text === lesson.text,
    );
    if (edit === undefined || lesson.learnt === undefined || left.has(edit.lesson)) return [];
    const added = planAdd(project, lesson.kind, lesson.text, edit.time);
    const pins = lesson.pinned ? [planPin(added.lesson, true, edit.time)] : [];
    return [added, ...pins].map((each) =>
      edit.author === undefined ? each : { ...each, author: edit.author },
    );
  });
}

/** Pure: does not change the given crystal. A second purge changes nothing. */
export function purgeCrystal(given: Crystal, purged: Purged): PurgedCrystal {
  const crystal = separated(given);
  const { sessions, hasPurged } = purged;
  const project = crystal.project?.id ?? null;
  const all = [...crystal.lessons, ...crystal.history];
  const names = new Set([...sessions].map((key) => key.split('\u0000')[1]!));
  const goneEdits = new Set(crystal.edits.filter((edit) => purged.isGoneEdit?.(edit)));
  const worded = crystal.edits.filter(
    ({ action, text }) => text !== null && (action === 'add' || action === 'edit'),
  );
  const lessonsOf = (edits: readonly Edit[]): Set<string> =>
    new Set(edits.map(({ lesson }) => lesson));
  const unkept = lessonsOf(worded.filter((edit) => goneEdits.has(edit)));
  const kept = lessonsOf(worded.filter((edit) => !goneEdits.has(edit) && !hasPurged(edit.text!)));
  const editedWords = (id: string): EditedWords => ({
    isKept: kept.has(id),
    isPurged: unkept.has(id),
  });
  const keep = (lessons: readonly CrystalLesson[]): CrystalLesson[] =>
    lessons.flatMap(
      (lesson) => purgeLesson(lesson, purged, editedWords(idOf(lesson, project))) ?? [],
    );
  const [lessons, history] = [keep(crystal.lessons), keep(crystal.history)];
  const left = new Set([...lessons, ...history].map((lesson) => idOf(lesson, project)));
  const removed = all.map((lesson) => idOf(lesson, project)).filter((id) => !left.has(id));
  const relations = crystal.relations.flatMap((relation) => {
    const shown = relation.sessions.filter((session) => !names.has(session));
    return hasPurgedAnywhere({ ...relation, sessions: shown }, hasPurged) ||
      (shown.length === 0 && relation.sessions.length > 0)
      ? []
      : [{ ...relation, sessions: shown }];
  });
  const named = new Set(relations.flatMap(({ from, to }) => [from, to]));
  const before = new Set(crystal.relations.flatMap(({ from, to }) => [from, to]));
  const edits = crystal.edits.filter(
    (edit) => !goneEdits.has(edit) && !hasPurgedAnywhere(edit, hasPurged),
  );
  const added = wordsKept(all, left, edits, project);
  const result: Crystal = {
    ...crystal,
    project:
      crystal.project === null
        ? null
        : {
            ...crystal.project,
            aliases: crystal.project.aliases.filter((alias) => !hasPurged(alias)),
          },
    active_days: crystal.active_days.filter((day) => !purged.days?.has(day)),
    lessons,
    history,
    written: Object.fromEntries(
      Object.entries(crystal.written).filter(([id]) => !removed.includes(id)),
    ),
    relations,
    entities: crystal.entities.filter(
      (entity) =>
        !hasPurgedAnywhere(entity, hasPurged) &&
        (named.has(entity.name) || !before.has(entity.name)),
    ),
    edits: added.length === 0 ? edits : uniteEdits([...edits, ...added]),
    tombstones: crystal.tombstones
      .filter((stone) => !hasPurgedAnywhere(stone, hasPurged))
      .map((stone) =>
        stone.sources === undefined
          ? stone
          : { ...stone, sources: stone.sources.filter(({ entry }) => !purged.ids.has(entry)) },
      ),
    extra: Object.fromEntries(
      Object.entries(crystal.extra).filter(
        ([key, value]) => !hasPurged(key) && !hasPurgedAnywhere(value, hasPurged),
      ),
    ),
  };
  return { crystal: result, removed, changed: JSON.stringify(result) !== JSON.stringify(crystal) };
}
