/** Reads crystal.json; an item that cannot be read is reported and left out. */

import type { z } from 'zod';
import { messageOf } from '../../errors.js';
import {
  FACT_NAMES,
  LESSON_KINDS,
  PERSON,
  type Edit,
  type Lesson,
  type LessonKind,
} from '../../types.js';
import {
  EditShape,
  EntityShape,
  FileShape,
  LESSON_FIELDS,
  LessonShape,
  RelationShape,
  TombstoneShape,
  type Crystal,
  type CrystalLesson,
} from './shape.js';
import { uniteDays } from '../days.js';
import { isAddedHere } from '../edits.js';
import { blankLesson, datesOf } from '../forming.js';
import { withOwnEvents } from '../join.js';
import { lessonId } from '../identity.js';
import { keyOfText, OF_TEXT } from '../../text/fingerprint.js';
import { isDeeper } from '../../text/fields.js';

import { planForget } from '../edit-plans.js';

interface ParsedCrystal {
  /**
   * null if the text is no crystal: the file must then be kept under another name, not overwritten.
   */
  crystal: Crystal | null;
  /**
   * One line for each item that could not be read. If there are any, keep a copy of the file before
   * it is rewritten.
   */
  problems: string[];
}

const KNOWN = new Set(Object.keys(FileShape.shape));
const FACTS: ReadonlySet<unknown> = new Set(FACT_NAMES);

/** False for a fact of a kind that has no query any more. */
function isCurrent(item: unknown): boolean {
  const fact = (item as { fact?: unknown } | null)?.fact;
  return typeof fact !== 'string' || FACTS.has(fact);
}

function parseList<T>(
  shape: z.ZodType<T>,
  name: string,
  items: readonly unknown[],
  problems: string[],
): T[] {
  return items.flatMap((item, i) => {
    const parsed = shape.safeParse(item);
    if (parsed.success) return [parsed.data];
    const issue = parsed.error.issues[0];
    problems.push(
      `${name}[${i}]: ${issue?.path.join('.') || 'item'}: ${issue?.message ?? 'not understood'}`,
    );
    return [];
  });
}

/**
 * Id of a crystal's lesson. If a person added the lesson without an id, kind and text give the id.
 */
export function idOf(lesson: CrystalLesson, project: string | null): string {
  return lesson.id ?? lessonId(project, lesson.kind, keyOfText(lesson.text));
}

/** Recursive functions write unknown fields again, and deeper fields would overflow the stack. */
const MOST_DEPTH = 50;

/**
 * Reads crystal.json. Never throws.
 * @param newest last day that counts in a file that others wrote, since a future date would stay
 * the newest and age all lessons; null for the home's own file
 */
export function parseCrystal(text: string, newest: string | null = null): ParsedCrystal {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { crystal: null, problems: [`not JSON: ${messageOf(error)}`] };
  }
  if (isDeeper(value, MOST_DEPTH)) return { crystal: null, problems: ['nested too deep'] };
  const file = FileShape.safeParse(value);
  if (!file.success) {
    const issue = file.error.issues[0];
    return {
      crystal: null,
      problems: [`${issue?.path.join('.') || 'file'}: ${issue?.message ?? 'not understood'}`],
    };
  }
  const problems: string[] = [];
  const data = file.data;
  // If the hash stayed, a fact that is left out would look like a lesson that the person removed.
  for (const item of data.lessons)
    if (!isCurrent(item)) delete data.written[(item as { id: string }).id];
  const crystal: Crystal = {
    version: data.version,
    project: data.project,
    as_of: data.as_of,
    active_days: [],
    written: data.written,
    lessons: parseList(LessonShape, 'lessons', data.lessons.filter(isCurrent), problems),
    entities: parseList(EntityShape, 'entities', data.entities, problems),
    relations: parseList(RelationShape, 'relations', data.relations, problems),
    history: parseList(LessonShape, 'history', data.history.filter(isCurrent), problems),
    tombstones: parseList(TombstoneShape, 'tombstones', data.tombstones, problems),
    edits: parseList(EditShape, 'edits', data.edits, problems),
    extra: Object.fromEntries(Object.entries(data).filter(([key]) => !KNOWN.has(key))),
  };
  crystal.active_days = uniteDays(
    data.active_days?.filter((day) => typeof day === 'string') ?? evidenceDays(crystal),
  );
  const settled = withOwnIds(crystal, newest === null ? crystal.written : {});
  return { crystal: newest === null ? settled : withoutFuture(settled, newest), problems };
}

/** Whether a lesson's id is computed from its project and key; its kind may have changed since. */
function ownIds({ project, edits }: Crystal): (lesson: CrystalLesson) => boolean {
  const owner = project?.id ?? null;
  const isAdded = isAddedHere(edits, owner);
  const keys = new Map<string, Set<string>>();
  for (const { lesson, text } of edits)
    if (text !== null)
      keys.set(lesson, (keys.get(lesson) ?? new Set<string>()).add(keyOfText(text)));
  return (lesson) => {
    const first = keyOfText(lesson.learnt?.text ?? lesson.text);
    const key = lesson.key ?? first;
    const gives = (kind: LessonKind): boolean => lessonId(owner, kind, key) === lesson.id;
    const isOfKey = gives(lesson.kind) || LESSON_KINDS.some(gives);
    // A lesson in the person's own words has the key of these words.
    return (
      isAdded(lesson.id!) ||
      (isOfKey &&
        (!key.startsWith(OF_TEXT) || key === first || keys.get(lesson.id!)?.has(key) === true))
    );
  };
}

/**
 * Drops an id that is not the lesson's own, so that no lesson has the id of another one.
 * @param written ids that this home wrote: a person may have changed their words
 */
function withOwnIds(crystal: Crystal, written: Readonly<Record<string, string>>): Crystal {
  const isOwn = ownIds(crystal);
  const settle = (lesson: CrystalLesson): CrystalLesson => {
    if (lesson.id === undefined || Object.hasOwn(written, lesson.id) || isOwn(lesson))
      return lesson;
    const { id: _, key: __, learnt: ___, ...words } = lesson;
    return words;
  };
  return { ...crystal, lessons: crystal.lessons.map(settle), history: crystal.history.map(settle) };
}

/** Removes days, edits and tombstones of the future; a later import adds them again. */
function withoutFuture(crystal: Crystal, newest: string): Crystal {
  const isPast = (time: string): boolean => time.slice(0, 10) <= newest;
  const dated = (lesson: CrystalLesson): CrystalLesson => ({
    ...lesson,
    evidence: lesson.evidence.map((event) => (isPast(event.day) ? event : { ...event, day: '' })),
  });
  return {
    ...crystal,
    as_of: isPast(crystal.as_of) ? crystal.as_of : newest,
    active_days: crystal.active_days.filter(isPast),
    lessons: crystal.lessons.map(dated),
    history: crystal.history.map(dated),
    tombstones: crystal.tombstones.filter(({ at }) => isPast(at)),
    edits: crystal.edits.filter(({ time }) => isPast(time)),
  };
}

/** Days with a known entry; a person's own words are no entry. */
function evidenceDays({ as_of, lessons, history }: Crystal): string[] {
  return [
    as_of.slice(0, 10),
    ...[...lessons, ...history].flatMap(({ evidence }) =>
      evidence.filter(({ agent }) => agent !== PERSON).map(({ day }) => day),
    ),
  ];
}

/**
 * Fields that are taken over unchanged; all other fields are computed from edits and other lessons.
 */
const REMEMBERED = LESSON_FIELDS.filter(
  (name) => !['pinned', 'status', 'superseded_by', 'supersedes', 'learnt'].includes(name),
);

/**
 * The crystal's lessons, live and past, as they were learnt: the edits restore a person's words.
 */
export function rememberedLessons(crystal: Crystal): Lesson[] {
  const project = crystal.project?.id ?? null;
  const all = withOwnEvents(
    [...crystal.lessons, ...crystal.history],
    (lesson) => idOf(lesson, project),
    (lesson) => lesson.superseded_by,
  );
  return all.map((l) => {
    const { fact = null, fields = null, importance = 4, ...words } = l.learnt ?? l;
    const own = { ...l, ...words, fact, fields, importance };
    return blankLesson({
      ...(Object.fromEntries(
        REMEMBERED.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])),
      ) as Lesson),
      id: idOf(l, project),
      scope: project === null ? 'global' : 'project',
      project,
      key: l.key ?? keyOfText(l.text),
      ...datesOf(l.evidence),
    });
  });
}

/** The crystal's edits; a tombstone without an edit counts as an edit. */
export function rememberedEdits(crystal: Crystal): Edit[] {
  const known = new Set(crystal.edits.map((e) => e.lesson));
  const implied = crystal.tombstones
    .filter((t) => !known.has(t.id))
    .map((t): Edit => planForget(t.id, t.at));
  return [...crystal.edits, ...implied];
}
