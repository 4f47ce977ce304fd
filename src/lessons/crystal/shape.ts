/**
 * The shape of crystal.json (format version 1). Unknown fields are kept and written again. Each
 * known field has a limit, since others can write such a file.
 */

import { z } from 'zod';
import {
  editShape,
  eventShape,
  Id,
  learntShape,
  lessonShape,
  Name,
  Names,
  Text,
  Time,
} from '../../types/shapes.js';
import type { Edit } from '../../types.js';

export const CRYSTAL_VERSION = 1;

const ID = /^[0-9a-z]{16}$/;
/** A text that is no lesson's id is left out. */
const Ids = Names.transform((ids) => ids.filter((id) => ID.test(id)));
/** A day is printed in one line, so any other text becomes ''. */
const Day = z.string().transform((day) => /^\d{4}-\d\d-\d\d(?=T|$)/.exec(day)?.[0] ?? '');
/** A list that is parsed item by item. */
const List = z.array(z.unknown()).max(50_000).default([]);

const EvidenceShape = eventShape.extend({
  agent: eventShape.shape.agent.default('unknown'),
  entry: eventShape.shape.entry.default(null),
  day: Day.default(''),
  supports: eventShape.shape.supports.default(true),
  quote: eventShape.shape.quote.default(''),
});

/** The project is that of the file, and the other omitted fields are computed from events. */
const writtenShape = lessonShape.omit({
  ...{ project: true, confidence: true, sessions: true },
  ...{ first_seen: true, last_seen: true, uses: true },
});
const { shape: written } = writtenShape;

/** A lesson as a person may write it: `{kind, text}` is enough. */
export const LessonShape = writtenShape
  .partial()
  .extend({
    /** parse.ts drops an id that is not computed from project, kind and key. */
    id: Name.min(1).optional(),
    kind: written.kind,
    text: written.text,
    tags: written.tags.default([]),
    files: written.files.default([]),
    said_by: written.said_by.default('user'),
    pinned: written.pinned.default(false),
    evidence: z.array(EvidenceShape).max(1000).default([]),
    supersedes: Ids.default([]),
    worth: written.worth.default(1),
    extractor: written.extractor.default(0),
    /** Missing for a claim. */
    fact: written.fact.unwrap().optional(),
    fields: written.fields.unwrap().optional(),
    learnt: learntShape.optional().catch(undefined),
    /** In `history` only. */
    status: z.enum(['faded', 'superseded']).optional(),
    superseded_by: written.superseded_by.optional().catch(null),
    /** Hash of the fields as we wrote them. */
    fields_hash: Name.optional(),
  })
  .loose();

/** Fields in the order of the file. */
export const LESSON_FIELDS = Object.keys(writtenShape.shape) as (keyof typeof writtenShape.shape)[];
export const EVENT_FIELDS = Object.keys(eventShape.shape) as (keyof typeof eventShape.shape)[];

export const EditShape = editShape
  .omit({ place: true })
  .extend({
    text: editShape.shape.text.default(null),
    kind: editShape.shape.kind.default(null),
    scope: editShape.shape.scope.default(null),
  });
export const EDIT_FIELDS = Object.keys(EditShape.shape) as (keyof typeof EditShape.shape)[];

/**
 * `sources`: entries from which the lesson was learnt, with the hash of the sentence; older files
 * have none.
 */
const Sources = z.array(z.object({ entry: Name, quote_hash: Name })).max(1000);
export const TombstoneShape = z.looseObject({
  id: Id,
  at: Time,
  text_hash: Name.default(''),
  sources: Sources.optional(),
});
export const RelationShape = z.looseObject({
  from: Text,
  rel: Name,
  to: Text,
  sessions: Names.default([]),
});
export const EntityShape = z.looseObject({ name: Text, type: Name.default('') });
const ProjectShape = z.looseObject({
  id: z.string().regex(/^[\w.-]{1,64}$/, 'no id of a project'),
  // The name is printed in lists, so it is made one line.
  name: z
    .string()
    .default('')
    .transform((name) =>
      name
        .replace(/[\s\p{C}\u2028\u2029]+/gu, ' ')
        .trim()
        .slice(0, 200),
    ),
  remote: Name.optional(),
  aliases: Names.default([]),
});

/** The whole file; lists are parsed item by item, so that a bad item does not remove the others. */
export const FileShape = z.looseObject({
  version: z.literal(CRYSTAL_VERSION),
  project: ProjectShape.nullable().default(null),
  as_of: Day.default(''),
  active_days: z.array(z.unknown()).max(50_000).optional(),
  lessons: List,
  written: z.record(z.string(), z.string()).default({}),
  entities: List,
  relations: List,
  history: List,
  tombstones: List,
  edits: List,
});

export type CrystalLesson = z.infer<typeof LessonShape>;
export type Tombstone = z.infer<typeof TombstoneShape>;
export type CrystalRelation = z.infer<typeof RelationShape>;
export type CrystalEntity = z.infer<typeof EntityShape>;

/** crystal.json in memory, lists in the order of the file. */
export interface Crystal {
  version: typeof CRYSTAL_VERSION;
  project: z.infer<typeof ProjectShape> | null;
  as_of: string;
  /** Sorted. If the file has none: the days of its evidence. */
  active_days: string[];
  lessons: CrystalLesson[];
  written: Record<string, string>;
  entities: CrystalEntity[];
  relations: CrystalRelation[];
  history: CrystalLesson[];
  tombstones: Tombstone[];
  edits: Edit[];
  /** Fields of the file that we do not know. */
  extra: Record<string, unknown>;
}
