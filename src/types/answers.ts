/** Answers that commands print with `--json` and that the page in the browser shows. */
import type { Origin, Role } from './entry.js';
import type { lessonFields } from './columns.js';
import type { Lesson } from './shapes.js';
import type { HitType, Status } from './values.js';

type AnswerFields = Pick<Lesson, ReturnType<typeof lessonFields<'answers'>>[number]>;

/** A lesson; `project` is the slug, or null for a lesson of all projects. */
export interface LessonJson extends Omit<AnswerFields, 'first_seen' | 'last_seen' | 'status'> {
  first_seen: string | null;
  last_seen: string | null;
  status: Lesson['status'] | 'withheld';
  /** Why the lesson is withheld. */
  reason: string | null;
}

/** What a search found. */
export interface Hit {
  type: HitType;
  id: string;
  score: number;
  /** The matching passage: at most 600 characters for the first three hits, else 400. */
  passage: string;
  /** At most 2,000 characters around the passage. */
  text: string;
  /** Where words of the query are in `passage`, in UTF-16 units: start and end. */
  matches: [start: number, end: number][];
  /**
   * What the person typed last before the hit in its session, at most 80 characters; null without
   * it.
   */
  question: string | null;
  /** Hits with nearly the same text, folded into this one. */
  similar: { id: string; path: string | null; line: number | null }[];
  agent: string | null;
  session: string | null;
  /** Slug. */
  project: string | null;
  /** ISO 8601 UTC; midnight if only the day is known. */
  at: string | null;
  role: Role | null;
  origin: Origin | null;
  tool: string | null;
  /** Only for a lesson: `faded` and `superseded` are history, which is not on the page. */
  status: Status | null;
  path: string | null;
  line: number | null;
  citation: string;
  /** Entries around the hit, if requested: -1 is just before it, 1 just after it. */
  context?: (Pick<Hit, 'id' | 'at' | 'text'> & {
    place: number;
    role: Role;
    path: string;
    line: number;
  })[];
}

/** As `search --json` prints it. */
export type HitJson = Omit<Hit, 'origin' | 'tool'>;

/** A sentence that the person typed and that may become a rule. */
export interface WishJson {
  id: string;
  text: string;
  /** Slug. */
  project: string;
  day: string;
  agent: string;
  session: string;
  path: string | null;
  line: number | null;
}

/** A rule of the person, and how often sessions kept or broke it. */
export interface RuleJson {
  id: string;
  text: string;
  /** Slug; null for a rule of all projects. */
  project: string | null;
  /** What the rule forbids; only a rule with a command or a path is counted. */
  commands: string[];
  paths: string[];
  instead: string | null;
  /** How often and when the person said it. */
  told: number;
  first_told: string | null;
  last_told: string | null;
  /** Numbers of sessions. */
  kept: number;
  broken: number;
  last_broken: string | null;
  agents: string[];
  guard: 'warn' | 'deny' | null;
  /** Oldest first. */
  breaks: {
    time: string;
    agent: string;
    session: string;
    what: string;
    path: string | null;
    line: number | null;
  }[];
}
