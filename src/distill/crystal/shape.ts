/** The shape of crystal.json (format version 1). Parsed loosely: unknown fields pass through and are written again. */

import { z } from 'zod';
import { LESSON_KINDS, type Edit } from '../../types.js';

export const CRYSTAL_VERSION = 1;

const LessonKindShape = z.enum(LESSON_KINDS);
const ScopeShape = z.enum(['project', 'global']);
const ImportanceShape = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]);
const SaidByShape = z.enum(['user', 'observed', 'agent']);
const Strings = z.array(z.string());

const EvidenceShape = z.object({
  agent: z.string().default('unknown'),
  session: z.string(),
  entry: z.string().nullable().default(null),
  day: z.string().default(''),
  trust: z.number().min(0).max(1),
  supports: z.boolean().default(true),
  quote: z.string().default(''),
});

/** A lesson as a person may leave it: a bare `{kind, text}` is enough. */
export const LessonShape = z.looseObject({
  id: z.string().min(1).optional(),
  kind: LessonKindShape,
  scope: ScopeShape.optional(),
  text: z.string().trim().min(1),
  importance: ImportanceShape.optional(),
  tags: Strings.default([]),
  files: Strings.default([]),
  said_by: SaidByShape.default('user'),
  pinned: z.boolean().default(false),
  evidence: z.array(EvidenceShape).default([]),
  supersedes: Strings.default([]),
  conflicts_with: Strings.default([]),
  key: z.string().optional(),
  subject: z.string().nullable().default(null),
  value: z.string().nullable().default(null),
  worth: z.number().min(0).max(1).default(1),
  extractor: z.number().default(0),
  /** What was learnt, under a person's own wording. */
  learnt: z.object({ kind: LessonKindShape, text: z.string(), importance: ImportanceShape, said_by: SaidByShape }).optional(),
  /** In `history` only. */
  status: z.enum(['faded', 'superseded']).optional(),
  superseded_by: z.string().nullable().optional(),
});

export const EditShape = z.object({
  lesson: z.string(),
  action: z.enum(['add', 'edit', 'pin', 'unpin', 'forget', 'apart', 'undo']),
  text: z.string().nullable().default(null),
  kind: LessonKindShape.nullable().default(null),
  scope: ScopeShape.nullable().default(null),
  time: z.string(),
  author: z.string().min(1).optional(),
});

/** `sources`: entries that it was learnt from, with the hash of the sentence there; older files have none. */
const Sources = z.array(z.object({ entry: z.string(), quote_hash: z.string() }));
export const TombstoneShape = z.looseObject({
  id: z.string(),
  at: z.string(),
  text_hash: z.string().default(''),
  sources: Sources.optional(),
});
export const RelationShape = z.looseObject({ from: z.string(), rel: z.string(), to: z.string(), sessions: Strings.default([]) });
export const EntityShape = z.looseObject({ name: z.string(), type: z.string().default('') });
const ProjectShape = z.looseObject({
  id: z.string(),
  name: z.string().default(''),
  remote: z.string().optional(),
  aliases: Strings.default([]),
});

/** The file as a whole; lists are parsed item by item, so that one bad item does not cost the others. */
export const FileShape = z.looseObject({
  version: z.literal(CRYSTAL_VERSION),
  project: ProjectShape.nullable().default(null),
  as_of: z.string().default(''),
  active_days: z.array(z.unknown()).optional(),
  lessons: z.array(z.unknown()).default([]),
  written: z.record(z.string(), z.string()).default({}),
  entities: z.array(z.unknown()).default([]),
  relations: z.array(z.unknown()).default([]),
  history: z.array(z.unknown()).default([]),
  tombstones: z.array(z.unknown()).default([]),
  edits: z.array(z.unknown()).default([]),
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
