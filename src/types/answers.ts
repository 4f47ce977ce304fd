/** Answers that commands print with `--json` and that the page in the browser shows. */
import type { Origin, Role } from './entry.js';
import type { lessonFields } from './columns.js';
import type { Lesson } from './shapes.js';
import type { HitType, Status } from './values.js';

type AnswerFields = Pick<Lesson, ReturnType<typeof lessonFields<'answers'>>[number]>;

/** A lesson; `project` is the slug, or null for what is true everywhere. */
export interface LessonJson extends Omit<AnswerFields, 'first_seen' | 'last_seen' | 'status'> {
  first_seen: string | null;
  last_seen: string | null;
  status: Lesson['status'] | 'withheld';
  /** Why it is withheld. */
  reason: string | null;
}

/** What a search found. */
export interface Hit {
  type: HitType;
  id: string;
  score: number;
  /** What matches: 400 characters, 600 of the first three. */
  passage: string;
  /** At most 2,000 characters around it. */
  text: string;
  /** Where words of the query are in `passage`, in UTF-16 units: start and end. */
  matches: [start: number, end: number][];
  /**
   * What the person had typed last before it in its session, at most 80 characters; null when
   * there is nothing.
   */
  question: string | null;
  /** Hits that say nearly the same, folded into this one. */
  similar: { id: string; path: string | null; line: number | null }[];
  agent: string | null;
  session: string | null;
  /** Slug. */
  project: string | null;
  /** ISO 8601 UTC; midnight of what has a day alone. */
  at: string | null;
  role: Role | null;
  origin: Origin | null;
  tool: string | null;
  /**
   * Of a lesson: `faded` and `superseded` are history, which no page shows; null for other hits.
   */
  status: Status | null;
  path: string | null;
  line: number | null;
  citation: string;
  /** Entries around it, where they were asked for: -1 is just before it, 1 just after it. */
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

/** A rule of the person, and what kept or broke it since it was said. */
export interface RuleJson {
  id: string;
  text: string;
  /** Slug; null for a rule of all projects. */
  project: string | null;
  /** What it forbids; it is counted if there is a command or a path. */
  commands: string[];
  paths: string[];
  instead: string | null;
  /** How often and when it was said. */
  told: number;
  first_told: string | null;
  last_told: string | null;
  /** Sessions. */
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
