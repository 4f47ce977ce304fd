/** crystal.json from text: what can be read is read, and every item that cannot is named. */

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
  /** null when the text is no crystal at all: it must be kept aside, not overwritten. */
  crystal: Crystal | null;
  /**
   * What could not be read, one line each; not empty means that the file must be kept aside before
   * it is rewritten.
   */
  problems: string[];
}

const KNOWN = new Set(Object.keys(FileShape.shape));
const FACTS: ReadonlySet<unknown> = new Set(FACT_NAMES);

/** False for a fact of a kind that no query proves any more. */
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

/** Id of a crystal lesson; one that a person added without an id gets it from kind and text. */
export function idOf(lesson: CrystalLesson, project: string | null): string {
  return lesson.id ?? lessonId(project, lesson.kind, keyOfText(lesson.text));
}

/**
 * Fields that we do not know are written again, by functions that call themselves: deeper ones
 * would end the stack.
 */
const MOST_DEPTH = 50;

/**
 * Reads crystal.json. Never throws.
 * @param newest of a file that others wrote: the last day that counts. A date of the future would win over every later word, and
 *   age all that others know. Absent: the home's own file
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
  // Without its hash a fact that is left out does not look like one that the person removed.
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

/**
 * Whether the id is what the project and the lesson's key give; its kind may have been changed
 * since.
 */
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
    // A person's own words are their key.
    return (
      isAdded(lesson.id!) ||
      (isOfKey &&
        (!key.startsWith(OF_TEXT) || key === first || keys.get(lesson.id!)?.has(key) === true))
    );
  };
}

/**
 * Drops an id that is not the lesson's own, so that no lesson has the id of another one.
 * @param written ids that this home wrote: a person may change the words under them
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

/** Takes the day from events of the future; a later file brings later edits again. */
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

/** Days on which something is known to have been logged; a person's own words are no entry. */
function evidenceDays({ as_of, lessons, history }: Crystal): string[] {
  return [
    as_of.slice(0, 10),
    ...[...lessons, ...history].flatMap(({ evidence }) =>
      evidence.filter(({ agent }) => agent !== PERSON).map(({ day }) => day),
    ),
  ];
}

/**
 * Fields that are remembered unchanged; the others follow from edits and from the other lessons.
 */
const REMEMBERED = LESSON_FIELDS.filter(
  (name) => !['pinned', 'status', 'superseded_by', 'supersedes', 'learnt'].includes(name),
);

/**
 * The lessons that the crystal remembers, live and past, as learnt (a person's wording comes back
 * through the edits).
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

/** The edits that the crystal remembers; a tombstone without an edit counts as one. */
export function rememberedEdits(crystal: Crystal): Edit[] {
  const known = new Set(crystal.edits.map((e) => e.lesson));
  const implied = crystal.tombstones
    .filter((t) => !known.has(t.id))
    .map((t): Edit => planForget(t.id, t.at));
  return [...crystal.edits, ...implied];
}
