/** Shapes of answers that the page alone gets; the other answers are those of `--json`. */
import type { EditLine, Lesson, LessonEvent, SessionLine, WindowEntry } from '../types.js';
import type { LessonJson, RuleJson, WishJson } from '../types/answers.js';

export type {
  HitJson,
  LessonJson as LessonRow,
  RuleJson as RuleRow,
  WishJson as WishRow,
} from '../types/answers.js';
export type { SessionLine as SessionRow, StatusFacts } from '../types.js';

export interface Problem {
  error: { code: string; message: string; next: string };
}

/** `GET /start` */
export interface Start {
  now: string;
  /** Who an edit on this page counts as: `person`, or the agent that opened the page. */
  by: string;
  /** Lessons and sentences that nobody reviewed, over all projects. */
  waiting: number;
  /** The project of the newest session first. */
  projects: { slug: string; name: string }[];
}

/** `GET /sessions`: newest first. */
export interface Sessions {
  sessions: SessionLine[];
  /** `before` of the next part; null at the end. */
  next: string | null;
}

/** `GET /session`: one session in the order of its log. */
export interface SessionAnswer {
  session: SessionLine;
  /** Entries of the session, and the place of the first one here. */
  total: number;
  from: number;
  /** Texts up to 30,000 characters; `GET /show/{id}` has the whole. */
  entries: WindowEntry[];
  /** The command that resumes it in its agent, and the folder for it. */
  resume: string | null;
  folder: string | null;
  /** Lessons with evidence from this session. */
  lessons: LessonJson[];
}

/** `GET /context`: context.md line by line, and what just missed it. */
export interface ContextAnswer {
  project: string | null;
  path: string;
  /** Tokens of the page, and the most that it may have. */
  tokens: number;
  budget: number;
  lines: { text: string; tokens: number; /** Ids of the lessons behind it. */ lessons: string[] }[];
  /** The next ones by worth, each with the reason why it is not on the page. */
  missed: { id: string; text: string; worth: number; reason: string }[];
}

/** `GET /lessons/{id}` */
export interface LessonAnswer {
  lesson: LessonJson & Pick<Lesson, 'supersedes'>;
  /** Each with the title of its session. */
  evidence: (LessonEvent & { title: string | null })[];
  /** As `dripstone lessons why` prints it. */
  why: string[];
  /** Lessons that it replaced, or was replaced by. */
  related: LessonJson[];
  /** Newest first. */
  edits: EditLine[];
}

/** `GET /review` */
export interface Review {
  wishes: WishJson[];
  waiting: LessonJson[];
  /** Those that were broken most come first. */
  rules: RuleJson[];
}

/** Tokens under one key, and what they cost in US dollars, as far as the page shows it. */
export interface UsageLine {
  key: string | null;
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
  /** Null when the price of a model among them is unknown. */
  cost: number | null;
  known_cost: number;
}

/** `GET /usage` */
export interface Usage {
  prices: { date: string };
  rows: UsageLine[];
  total: UsageLine;
}
