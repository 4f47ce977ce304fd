/** Answers that only the page gets; other answers are as with `--json`. */
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
  /** Author of edits on this page: `person`, or the agent that opened it. */
  by: string;
  /** Lessons and sentences in all projects that nobody has reviewed. */
  waiting: number;
  /** The project of the newest session is first. */
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
  /** Number of entries of the session, and the place of the first one here. */
  total: number;
  from: number;
  /** Each text is cut to 30,000 characters; `GET /show/{id}` has all of it. */
  entries: WindowEntry[];
  /** The command to resume the session in its agent, and its folder. */
  resume: string | null;
  folder: string | null;
  /** Lessons with evidence from this session. */
  lessons: LessonJson[];
}

/** `GET /context`: context.md line by line, and the next lessons. */
export interface ContextAnswer {
  project: string | null;
  path: string;
  /** Tokens of the page, and its limit. */
  tokens: number;
  budget: number;
  lines: { text: string; tokens: number; /** Ids of the lessons behind it. */ lessons: string[] }[];
  /** The next lessons by worth, each with the reason why it is not on the page. */
  missed: { id: string; text: string; worth: number; reason: string }[];
}

/** `GET /lessons/{id}` */
export interface LessonAnswer {
  lesson: LessonJson & Pick<Lesson, 'supersedes'>;
  /** Each with the title of its session. */
  evidence: (LessonEvent & { title: string | null })[];
  /** As printed by `dripstone lessons why`. */
  why: string[];
  /** Lessons that it replaced or that replaced it. */
  related: LessonJson[];
  /** Newest first. */
  edits: EditLine[];
}

/** `GET /review` */
export interface Review {
  wishes: WishJson[];
  waiting: LessonJson[];
  /** The most broken rules first. */
  rules: RuleJson[];
}

/** Tokens and cost in US dollars under one key, as far as the page shows them. */
export interface UsageLine {
  key: string | null;
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
  /** Null if the price of one of the models is unknown. */
  cost: number | null;
  known_cost: number;
}

/** `GET /usage` */
export interface Usage {
  prices: { date: string };
  rows: UsageLine[];
  total: UsageLine;
}
