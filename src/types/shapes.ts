/**
 * Schemas of data that the process writes or reads. Loading zod takes as long as a short command,
 * so import the types from types.ts.
 */
import { z } from 'zod';
import {
  EDIT_ACTIONS,
  FACT_NAMES,
  LESSON_KINDS,
  LESSON_STATUSES,
  MOST_LESSON_CHARS,
  SAID_BY,
  SCOPES,
} from './values.js';

// Others can write these files (a shared folder, a team's repository, an archive), so each field
// has a limit.

/** Names, and ids of sessions and entries. */
export const Name = z.string().max(500);
export const Names = z.array(Name).max(5000);
export const Text = z.string().max(MOST_LESSON_CHARS);
/**
 * Id of a lesson: 16 lower-case base-36 characters, computed from project (or `global`), kind and
 * key.
 */
export const Id = z.string().regex(/^[0-9a-z]{16}$/, 'no id of a lesson');
/** UTC, `YYYY-MM-DD`; empty: unknown. */
const Day = z.string().regex(/^(?:\d{4}-\d\d-\d\d)?$/, 'no day');
export const Time = z
  .string()
  .max(40)
  .refine((time) => /^\d{4}-\d\d-\d\d/.test(time) && !Number.isNaN(Date.parse(time)), 'no time');
/** A key contains a form or an error line besides the words. */
const Key = z.string().max(4 * MOST_LESSON_CHARS);
const Share = z.number().min(0).max(1);
const Count = z.number().int().min(0);

/** One event for or against a lesson. */
export const eventShape = z.object({
  agent: Name,
  session: Name,
  /** Id of the entry, or null if a person edited a file. */
  entry: Name.nullable(),
  /** Day of the entry. */
  day: Day,
  trust: Share,
  supports: z.boolean(),
  /**
   * Exact words of the user or agent, a command, or an error signature; at most 300 characters if
   * dripstone made it.
   */
  quote: Text,
});
export type LessonEvent = z.infer<typeof eventShape>;

/** Fields of a fact, as its query names them; an event against a fact may have none. */
const fieldsShape = z
  .record(Name, z.union([Text, z.number(), z.boolean(), Names.readonly(), z.null()]))
  .refine((fields) => Object.keys(fields).length <= 20, 'too many fields')
  .readonly();
export type FactFields = z.infer<typeof fieldsShape>;

/** One row of a fact query: an event for or against a fact. */
export const factEventShape = eventShape.omit({ trust: true }).extend({
  fact: z.enum(FACT_NAMES),
  /** Events with the same fact and key are about one fact. */
  key: Key,
  fields: fieldsShape,
  entry: Name,
  /** ISO 8601 UTC: when the last row that the event depends on happened. */
  known_at: z.string(),
});
export type FactEvent = z.infer<typeof factEventShape>;

const importance = z.literal([1, 2, 3, 4, 5]);

/** The original lesson, kept while a person's wording replaces it. */
export const learntShape = z.object({
  kind: z.enum(LESSON_KINDS),
  text: Text,
  importance,
  said_by: z.enum(SAID_BY),
  /** Only for a fact, not for a claim. */
  fact: factEventShape.shape.fact.optional(),
  fields: fieldsShape.optional(),
});

/** One lesson. The fields have the order of crystal.json. */
export const lessonShape = z.object({
  id: Id,
  kind: z.enum(LESSON_KINDS),
  scope: z.enum(SCOPES),
  /** Project id; null for a global lesson. */
  project: z.string().nullable(),
  text: z.string().trim().min(1).max(MOST_LESSON_CHARS),
  importance,
  tags: Names,
  files: Names,
  said_by: z.enum(SAID_BY),
  pinned: z.boolean(),
  evidence: z.array(eventShape).max(1000),
  supersedes: z.array(Id).max(5000),
  /** Exact key: candidates with the same kind, scope and key are one lesson. */
  key: Key,
  /**
   * How useful it looks, 0..1. The page selects lines by it; it is not the likelihood that the
   * lesson is true.
   */
  worth: Share,
  /** Version of the extractor that made it. */
  extractor: z.number(),
  /** Name of the fact, with its fields; null for a claim. */
  fact: factEventShape.shape.fact.nullable(),
  fields: fieldsShape.nullable(),
  learnt: learntShape.optional(),
  status: z.enum(LESSON_STATUSES),
  superseded_by: Id.nullable(),
  /** Computed from evidence and the project clock; never stored in the crystal. */
  confidence: Share,
  sessions: Count,
  /** Days; empty: unknown. */
  first_seen: z.string(),
  last_seen: z.string(),
  uses: Count,
});
export type Lesson = z.infer<typeof lessonShape>;

/**
 * A change of a lesson by a person, or by an agent within its limits, in a command or a file. Rows
 * are only inserted; the newest counts.
 */
export const editShape = z.object({
  /** Lesson id. */
  lesson: Id,
  action: z.enum(EDIT_ACTIONS),
  /**
   * The new words; for `apart` the id of a lesson that is also true, for `never` what is forbidden.
   */
  text: Text.nullable(),
  kind: z.enum(LESSON_KINDS).nullable(),
  scope: z.enum(SCOPES).nullable(),
  time: Time,
  /** Name of the agent that made the edit; absent for a person. */
  author: Name.min(1).optional(),
  /**
   * Path below the home of the file or folder with the edit. A log that is read later may show that
   * an agent wrote there.
   */
  place: z.string().optional(),
});
export type Edit = z.infer<typeof editShape>;

/** Result of `status`. Counts are null if the store cannot be read. */
export interface StatusFacts {
  daemon: { pid: number; version: string; started: string; heartbeat: string } | null;
  agents: {
    agent: string;
    places: { path: string; exists: boolean; readable: boolean }[];
    logs: number;
    /** When the agent's newest log last changed. */
    newest: string | null;
    /** After how many days the agent deletes its logs; null: never. */
    deletes_after_days: number | null;
  }[];
  sources: {
    agent: string;
    files: number;
    entries: number;
    bad_lines: number;
    unknown_types: Record<string, number>;
    last_read: string | null;
  }[];
  /** The first bad lines, and paths that are not logs (`line` and `offset` are null). */
  skipped: { path: string; line: number | null; offset: number | null; reason: string }[];
  pending: Record<'files' | 'embeddings' | 'sessions' | 'tiers', number | null>;
  jobs: {
    name: string;
    last_run: string | null;
    last_ok: string | null;
    next_run: string | null;
    error: string | null;
  }[];
  store: { bytes: number; entries: number | null; lessons: number | null };
  /**
   * Lessons that the person has not reviewed, the person's sentences that `review` offers, and
   * rules that many sessions broke.
   */
  review: {
    waiting: number | null;
    wishes: number | null;
    guards: { id: string; text: string; broken: number }[] | null;
  };
  /** Sentences after `Remember:` that are not lessons; `lessons list --withheld` prints them. */
  notes: { left_out: number | null };
  /**
   * Number of hook answers in the last 30 days, and the most expensive failure that hooks answered
   * in the last seven.
   */
  receipts: {
    month: number | null;
    best: {
      time: string;
      form: string;
      cured: boolean;
      seconds: number | null;
      cost_day: string | null;
      path: string | null;
      line: number | null;
    } | null;
  };
  retention: {
    /** Day of the oldest text in the database. */
    oldest_text: string | null;
    /** Unused bytes in the database file; null when it cannot be read. */
    store_free_bytes: number | null;
    home_bytes: number;
  };
  /** Calls of the model and their cost; null without a model. */
  llm: {
    provider: string;
    model: string;
    tokens_today: number;
    tokens_month: number;
    daily_cap: number;
    monthly_cap: number;
    calls: number;
    /** Answers that were not JSON. */
    unusable: number;
    tokens: number;
    /** Claims that became evidence. */
    kept: number;
    /** Claims that were dropped, by reason. */
    dropped: Record<string, number>;
    /** Sessions for which the model is not called yet. */
    waiting: number;
    /** Sessions of other vendors' agents, which are not sent to the model. */
    withheld: number;
    /** After failures, no call is made before this time. */
    resting_until: string | null;
    error: string | null;
  } | null;
  /** Problems, and how to solve them. */
  degraded: { code: string; since: string | null; text: string; cure: string }[];
}
