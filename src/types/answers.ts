/** Answers that commands print with `--json` and that the page in the browser shows. */
import type { Hit, Lesson, lessonFields, Outside } from '../types.js';

type AnswerFields = Outside<Pick<Lesson, ReturnType<typeof lessonFields<'answers'>>[number]>>;

/** A lesson; `project` is the slug, or null for what is true everywhere. */
export interface LessonJson extends Omit<AnswerFields, 'first_seen' | 'last_seen' | 'status'> {
  first_seen: string | null;
  last_seen: string | null;
  status: Lesson['status'] | 'withheld';
  /** Why it is withheld. */
  reason: string | null;
}

/** A hit of a search; `passage` is what matched, `text` is longer. */
export type HitJson = Omit<Hit, 'whole' | 'short' | 'origin' | 'tool'> & { passage: string };

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
