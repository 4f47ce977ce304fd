/**
 * Schemas of what leaves the process or comes into it. Loading zod takes as long as a short
 * command: import types from types.ts.
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

// Others can write what we read (a shared folder, a team's repository, an archive), so each field
// is bounded.

/** Names, ids of others' sessions and entries. */
export const Name = z.string().max(500);
export const Names = z.array(Name).max(5000);
export const Text = z.string().max(MOST_LESSON_CHARS);
/** Of a lesson: 16 lower-case base-36 characters from project (or `global`), kind and key. */
export const Id = z.string().regex(/^[0-9a-z]{16}$/, 'no id of a lesson');
/** UTC, `YYYY-MM-DD`; empty: unknown. */
const Day = z.string().regex(/^(?:\d{4}-\d\d-\d\d)?$/, 'no day');
export const Time = z
  .string()
  .max(40)
  .refine((time) => /^\d{4}-\d\d-\d\d/.test(time) && !Number.isNaN(Date.parse(time)), 'no time');
/** Keys contain a form or an error line beside the words. */
const Key = z.string().max(4 * MOST_LESSON_CHARS);
const Share = z.number().min(0).max(1);
const Count = z.number().int().min(0);

/** One event for or against a lesson. */
export const eventShape = z.object({
  agent: Name,
  session: Name,
  /** Entry id, or null when a person edited a file. */
  entry: Name.nullable(),
  /** Day of the entry. */
  day: Day,
  trust: Share,
  supports: z.boolean(),
  /**
   * Verbatim words of the user or agent, a command, or an error signature; at most 300 characters
   * of our own making.
   */
  quote: Text,
});
export type LessonEvent = z.infer<typeof eventShape>;

/** Fields of a fact, as its query names them; an event that contradicts may have none. */
const fieldsShape = z
  .record(Name, z.union([Text, z.number(), z.boolean(), Names.readonly(), z.null()]))
  .refine((fields) => Object.keys(fields).length <= 20, 'too many fields')
  .readonly();
export type FactFields = z.infer<typeof fieldsShape>;

/** One row of a fact query: an event for or against a fact. */
export const factEventShape = eventShape.omit({ trust: true }).extend({
  fact: z.enum(FACT_NAMES),
  /** Events of one fact and key are one fact. */
  key: Key,
  fields: fieldsShape,
  entry: Name,
  /** ISO 8601 UTC: when the last row that it needs happened. */
  known_at: z.string(),
});
export type FactEvent = z.infer<typeof factEventShape>;

const importance = z.literal([1, 2, 3, 4, 5]);

/** What was learnt, while a person's own wording stands over it. */
export const learntShape = z.object({
  kind: z.enum(LESSON_KINDS),
  text: Text,
  importance,
  said_by: z.enum(SAID_BY),
  /** Of a fact; absent: a claim. */
  fact: factEventShape.shape.fact.optional(),
  fields: fieldsShape.optional(),
});

/** One thing worth remembering. The order is that of crystal.json. */
export const lessonShape = z.object({
  id: Id,
  kind: z.enum(LESSON_KINDS),
  scope: z.enum(SCOPES),
  /** Project id, null for a global lesson. */
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
   * How much it looks worth remembering, 0..1: lines are chosen by it; it says nothing about
   * whether it is true.
   */
  worth: Share,
  /** Version of the extractor that made it. */
  extractor: z.number(),
  /** Which fact it is, with its fields; null for a claim. */
  fact: factEventShape.shape.fact.nullable(),
  fields: fieldsShape.nullable(),
  learnt: learntShape.optional(),
  status: z.enum(LESSON_STATUSES),
  superseded_by: Id.nullable(),
  /** Derived from evidence at the project clock; never stored in the crystal. */
  confidence: Share,
  sessions: Count,
  /** Days; empty: unknown. */
  first_seen: z.string(),
  last_seen: z.string(),
  uses: Count,
});
export type Lesson = z.infer<typeof lessonShape>;

/**
 * What a person, or an agent within its limits, did to a lesson, through the CLI or by editing a
 * file. Insert-only; the newest wins.
 */
export const editShape = z.object({
  /** Lesson id. */
  lesson: Id,
  action: z.enum(EDIT_ACTIONS),
  /** Its words; of `apart` the id of the lesson beside which it is true, of `never` what it forbids. */
  text: Text.nullable(),
  kind: z.enum(LESSON_KINDS).nullable(),
  scope: z.enum(SCOPES).nullable(),
  time: Time,
  /** Name of the agent that made it; absent: a person. */
  author: Name.min(1).optional(),
  /**
   * Below the home: the file or folder in which it was found; a log that is read later may show
   * that an agent wrote there.
   */
  place: z.string().optional(),
});
export type Edit = z.infer<typeof editShape>;

/** What `status` says. Counts of a store that cannot be read are null. */
export interface StatusFacts {
  daemon: { pid: number; version: string; started: string; heartbeat: string } | null;
  agents: {
    agent: string;
    places: { path: string; exists: boolean; readable: boolean }[];
    logs: number;
    /** When its newest log changed last. */
    newest: string | null;
    /** The agent deletes its logs after so many days; null: it keeps them. */
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
  /** The first bad lines, and paths that are no logs (`line` and `offset` are null). */
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
   * Lessons that the person has not looked at, sentences of theirs that `review` offers, and rules
   * that so many sessions broke.
   */
  review: {
    waiting: number | null;
    wishes: number | null;
    guards: { id: string; text: string; broken: number }[] | null;
  };
  /** Sentences behind `Remember:` that are no lesson; `lessons list --withheld` has them. */
  notes: { left_out: number | null };
  /**
   * Moments at which hooks showed something in the last 30 days, and of the last seven the failure
   * that had cost most before.
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
  /** What a model was asked and what it cost; null when no model is used. */
  llm: {
    provider: string;
    model: string;
    tokens_today: number;
    tokens_month: number;
    daily_cap: number;
    monthly_cap: number;
    calls: number;
    /** Answers that were no JSON. */
    unusable: number;
    tokens: number;
    /** Claims that became evidence. */
    kept: number;
    /** Claims that were dropped, by reason. */
    dropped: Record<string, number>;
    /** Sessions to be asked about. */
    waiting: number;
    /** Sessions of other vendors' agents, which it is not sent. */
    withheld: number;
    /** No call is made before, after failures. */
    resting_until: string | null;
    error: string | null;
  } | null;
  /** What needs attention, and what to do about it. */
  degraded: { code: string; since: string | null; text: string; cure: string }[];
}
