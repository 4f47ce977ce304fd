/** crystal.json from text: what can be read is read, and every item that cannot is named. */

import type { z } from 'zod';
import { messageOf } from '../../errors.js';
import type { Edit, Lesson } from '../../types.js';
import {
  EditShape,
  EntityShape,
  FileShape,
  LessonShape,
  RelationShape,
  TombstoneShape,
  type Crystal,
  type CrystalLesson,
} from './shape.js';
import { uniteDays } from '../days.js';
import { PERSON } from '../edits.js';
import { blankLesson, datesOf } from '../forming.js';
import { keyOfText, lessonId } from '../identity.js';

interface ParsedCrystal {
  /** null when the text is no crystal at all: it must be kept aside, not overwritten. */
  crystal: Crystal | null;
  /** What could not be read, one line each; not empty means that the file must be kept aside before it is rewritten. */
  problems: string[];
}

const KNOWN = new Set(Object.keys(FileShape.shape));

function parseList<T>(shape: z.ZodType<T>, name: string, items: readonly unknown[], problems: string[]): T[] {
  return items.flatMap((item, i) => {
    const parsed = shape.safeParse(item);
    if (parsed.success) return [parsed.data];
    const issue = parsed.error.issues[0];
    problems.push(`${name}[${i}]: ${issue?.path.join('.') || 'item'}: ${issue?.message ?? 'not understood'}`);
    return [];
  });
}

/** Id of a crystal lesson; one that a person added without an id gets it from kind and text. */
export function idOf(lesson: CrystalLesson, project: string | null): string {
  return lesson.id ?? lessonId(project, lesson.kind, keyOfText(lesson.text));
}

/** Reads crystal.json. Never throws. */
export function parseCrystal(text: string): ParsedCrystal {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { crystal: null, problems: [`not JSON: ${messageOf(error)}`] };
  }
  const file = FileShape.safeParse(value);
  if (!file.success) {
    const issue = file.error.issues[0];
    return { crystal: null, problems: [`${issue?.path.join('.') || 'file'}: ${issue?.message ?? 'not understood'}`] };
  }
  const problems: string[] = [];
  const data = file.data;
  const crystal: Crystal = {
    version: data.version,
    project: data.project,
    as_of: data.as_of,
    active_days: [],
    written: data.written,
    lessons: parseList(LessonShape, 'lessons', data.lessons, problems),
    entities: parseList(EntityShape, 'entities', data.entities, problems),
    relations: parseList(RelationShape, 'relations', data.relations, problems),
    history: parseList(LessonShape, 'history', data.history, problems),
    tombstones: parseList(TombstoneShape, 'tombstones', data.tombstones, problems),
    edits: parseList(EditShape, 'edits', data.edits, problems),
    extra: Object.fromEntries(Object.entries(data).filter(([key]) => !KNOWN.has(key))),
  };
  crystal.active_days = uniteDays(data.active_days?.filter((day) => typeof day === 'string') ?? evidenceDays(crystal));
  return { crystal, problems };
}

/** Days on which something is known to have been logged; a person's own words are no entry. */
function evidenceDays({ as_of, lessons, history }: Crystal): string[] {
  return [
    as_of.slice(0, 10),
    ...[...lessons, ...history].flatMap(({ evidence }) => evidence.filter(({ agent }) => agent !== PERSON).map(({ day }) => day)),
  ];
}

/** The lessons that the crystal remembers, live and past, as learnt (a person's wording comes back through the edits). */
export function rememberedLessons(crystal: Crystal): Lesson[] {
  const project = crystal.project?.id ?? null;
  return [...crystal.lessons, ...crystal.history].map((l) => {
    const id = idOf(l, project);
    const scope = project === null ? 'global' : 'project';
    return blankLesson({
      id,
      kind: l.learnt?.kind ?? l.kind,
      scope,
      project,
      text: l.learnt?.text ?? l.text,
      key: l.key ?? keyOfText(l.text),
      importance: l.learnt?.importance ?? l.importance ?? 4,
      saidBy: l.learnt?.said_by ?? l.said_by,
      tags: l.tags,
      files: l.files,
      subject: l.subject,
      value: l.value,
      worth: l.worth,
      evidence: l.evidence,
      extractor: l.extractor,
      ...datesOf(l.evidence),
    });
  });
}

/** The edits that the crystal remembers; a tombstone without its edit stands for one. */
export function rememberedEdits(crystal: Crystal): Edit[] {
  const known = new Set(crystal.edits.map((e) => e.lesson));
  const implied = crystal.tombstones
    .filter((t) => !known.has(t.id))
    .map((t): Edit => ({ lesson: t.id, action: 'forget', text: null, kind: null, scope: null, time: t.at }));
  return [...crystal.edits, ...implied];
}
