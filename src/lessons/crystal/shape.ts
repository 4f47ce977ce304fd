/**
 * The shape of crystal.json (format version 1). Parsed loosely: unknown fields pass through and are written again. Others can
 * write such a file (a shared folder, a team's repository, an archive), so each known field is bounded.
 */

import { z } from 'zod';
import { FACT_NAMES, LESSON_KINDS, MOST_LESSON_CHARS, type Edit } from '../../types.js';

export const CRYSTAL_VERSION = 1;

const LessonKindShape = z.enum(LESSON_KINDS);
const ScopeShape = z.enum(['project', 'global']);
const ImportanceShape = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]);
const SaidByShape = z.enum(['user', 'observed', 'agent']);
/** Names, ids of others' sessions and entries. */
const Name = z.string().max(500);
const Names = z.array(Name).max(5000);
/** Keys hold a form or an error line beside the words. */
const Key = z.string().max(4 * MOST_LESSON_CHARS);
const Text = z.string().max(MOST_LESSON_CHARS);
const ID = /^[0-9a-z]{16}$/;
const Id = z.string().regex(ID, 'no id of a lesson');
/** What names no lesson is left out. */
const Ids = Names.transform((ids) => ids.filter((id) => ID.test(id)));
const Time = z
  .string()
  .max(40)
  .refine((time) => /^\d{4}-\d\d-\d\d/.test(time) && !Number.isNaN(Date.parse(time)), 'no time');
/** It stands in heads and lines: what is no day is none. */
const Day = z.string().transform((day) => /^\d{4}-\d\d-\d\d(?=T|$)/.exec(day)?.[0] ?? '');
/** A list that is parsed item by item. */
const List = z.array(z.unknown()).max(50_000).default([]);
const FactShape = z.enum([...FACT_NAMES, 'own']);

/** Fields of a fact, as its query names them. */
const Fields = z
  .record(Name, z.union([Text, z.number(), z.boolean(), Names, z.null()]))
  .refine((fields) => Object.keys(fields).length <= 20, 'too many fields');

const EvidenceShape = z.object({
  agent: Name.default('unknown'),
  session: Name,
  entry: Name.nullable().default(null),
  day: Day.default(''),
  trust: z.number().min(0).max(1),
  supports: z.boolean().default(true),
  quote: Text.default(''),
});

/** A lesson as a person may leave it: a bare `{kind, text}` is enough. */
export const LessonShape = z.looseObject({
  /** One that its project, kind and key do not give is not taken: see parse.ts. */
  id: Name.min(1).optional(),
  kind: LessonKindShape,
  scope: ScopeShape.optional(),
  text: z.string().trim().min(1).max(MOST_LESSON_CHARS),
  importance: ImportanceShape.optional(),
  tags: Names.default([]),
  files: Names.default([]),
  said_by: SaidByShape.default('user'),
  pinned: z.boolean().default(false),
  evidence: z.array(EvidenceShape).max(1000).default([]),
  supersedes: Ids.default([]),
  conflicts_with: Ids.default([]),
  key: Key.optional(),
  worth: z.number().min(0).max(1).default(1),
  extractor: z.number().default(0),
  /** Which fact it is, with its fields; absent for a claim. */
  fact: FactShape.optional(),
  fields: Fields.optional(),
  /** Of the fields as we wrote them. */
  fields_hash: Name.optional(),
  /** What was learnt, under a person's own wording. */
  learnt: z
    .object({
      ...{ kind: LessonKindShape, text: Text, importance: ImportanceShape, said_by: SaidByShape },
      ...{ fact: FactShape.optional(), fields: Fields.optional() },
    })
    .optional(),
  /** In `history` only. */
  status: z.enum(['faded', 'superseded']).optional(),
  superseded_by: Id.nullable().optional().catch(null),
});

export const EditShape = z.object({
  lesson: Id,
  action: z.enum(['add', 'edit', 'pin', 'unpin', 'forget', 'apart', 'undo']),
  text: Text.nullable().default(null),
  kind: LessonKindShape.nullable().default(null),
  scope: ScopeShape.nullable().default(null),
  time: Time,
  author: Name.min(1).optional(),
});

/** `sources`: entries that it was learnt from, with the hash of the sentence there; older files have none. */
const Sources = z.array(z.object({ entry: Name, quote_hash: Name })).max(1000);
export const TombstoneShape = z.looseObject({ id: Id, at: Time, text_hash: Name.default(''), sources: Sources.optional() });
export const RelationShape = z.looseObject({ from: Text, rel: Name, to: Text, sessions: Names.default([]) });
export const EntityShape = z.looseObject({ name: Text, type: Name.default('') });
const ProjectShape = z.looseObject({
  id: z.string().regex(/^[\w.-]{1,64}$/, 'no id of a project'),
  // It stands in heads and lists: one line, whatever it was.
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

/** The file as a whole; lists are parsed item by item, so that one bad item does not cost the others. */
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
  /** Sorted. Of a file without them: the days that its evidence names. */
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
