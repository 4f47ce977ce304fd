/**
 * What the server tells its pages beside the answers that the commands give: the shapes of `GET
 * /view/…`. Types alone.
 */
import type { EditLine, LessonEvent, Lesson, Outside, SessionLine, WindowEntry } from '../types.js';
import type { LessonJson } from './answers.js';

export type { Hit, StatusFacts } from '../types.js';
export type {
  LessonJson as LessonRow,
  Problem,
  UsageAnswer,
  UsageLine,
  WishJson as WishRow,
} from './answers.js';

/**
 * `GET /view/start`: every project with what changed in the last seven days, the one worked in last
 * first.
 */
export interface StartView {
  now: string;
  /**
   * Who an edit on this page counts as: `person`, or the agent inside which the page was opened.
   */
  by: string;
  /** New lessons to look through, over all projects. */
  waiting: number;
  projects: {
    slug: string;
    name: string;
    folders: string[];
    sessions: number;
    entries: number;
    /** Live lessons and conflicts. */
    lessons: number;
    last_seen: string | null;
    week: { sessions: number; entries: number; lessons: number };
    /** The three weightiest lessons. */
    top: string[];
    /** The session that a person led last. */
    last: { agent: string; session: string; title: string | null } | null;
  }[];
}

/** `GET /view/sessions?project=&before=&limit=`: newest first. */
export interface SessionsView {
  sessions: SessionRow[];
  /** What to pass as `before` for the next page; null at the end. */
  next: string | null;
}

export type SessionRow = SessionLine;

/**
 * `GET /view/session?agent=&session=&from=0&limit=200`, or with `&entry=ID`: a window of one, in
 * the order of the log.
 */
export interface SessionView {
  session: SessionRow;
  /** Entries of the session, and the place of the first one here. */
  total: number;
  from: number;
  /** Texts to 8,000 characters, `/show/ID` has the whole. */
  entries: WindowEntry[];
  /** The command that takes it up again in its own agent, and the folder in which it does. */
  resume: string | null;
  folder: string | null;
}

/**
 * `GET /view/found?agent=&session=&words=`: entries with all of the words, in the order of the log;
 * `place` counts from 0.
 */
export interface FoundView {
  entries: { id: string; place: number }[];
}

/** `GET /view/learnt?agent=&session=`: lessons that rest on this session. */
export interface LearntView {
  lessons: LessonJson[];
}

/** `GET /view/markdown?agent=&session=`: as `dripstone sessions show --markdown` prints it. */
export interface MarkdownView {
  text: string;
}

/** `GET /view/context?project=`: context.md line by line, and what just missed the cut. */
export interface ContextView {
  project: string | null;
  path: string;
  /** Tokens of the page and the most that it may have. */
  tokens: number;
  budget: number;
  lines: { text: string; tokens: number; /** Ids of the lessons behind it. */ lessons: string[] }[];
  /** The next ones by worth, with the reason why each is not in. */
  missed: { id: string; text: string; worth: number; reason: string }[];
}

/**
 * `GET /view/lesson?id=`: one lesson with its evidence in its places, and the arithmetic.
 */
export interface LessonView {
  lesson: LessonJson & Pick<Outside<Lesson>, 'supersedes' | 'conflicts_with'>;
  /** With the title of its session. */
  evidence: (LessonEvent & { title: string | null })[];
  /** As `dripstone lessons why` prints it. */
  why: string[];
  /** Others that it contradicts, replaced, or was replaced by. */
  related: LessonJson[];
  /** Edits that a person or an agent made to it, newest first. */
  edits: EditLine[];
}

/** `GET /view/nights?limit=14`: runs of background jobs, newest first. */
export interface NightsView {
  runs: {
    job: string;
    started: string;
    ms: number | null;
    outcome: string;
    counts: Record<string, number>;
    error: string | null;
  }[];
}
