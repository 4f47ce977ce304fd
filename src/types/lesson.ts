/** From a session's entries to lessons: candidates, evidence, episodes and what a person did to them. */
import type { Origin } from './entry.js';
import type { FactFields, FactName } from './fact.js';
import type { ParsedRows } from './parsed.js';

export const LESSON_KINDS = ['command', 'preference', 'correction', 'decision', 'gotcha', 'fact'] as const;
export type LessonKind = (typeof LESSON_KINDS)[number];
export type Kind = LessonKind | 'episode';
/** Kinds that say what a person wants. */
export const WILL_KINDS: readonly LessonKind[] = ['preference', 'correction', 'decision'];
export type Scope = 'project' | 'global';
export type SaidBy = 'user' | 'observed' | 'agent';
export type Status = 'live' | 'faded' | 'superseded' | 'forgotten' | 'conflict';

/**
 * The longest text of a lesson, wherever it comes from. What is longer is refused, not cut: half a statement may say the
 * opposite.
 */
export const MOST_LESSON_CHARS = 2000;

/** Whether agents and people are shown a lesson. */
export function isShown({ status }: Pick<Lesson, 'status'>): boolean {
  return status === 'live' || status === 'conflict';
}

/** One event for or against a lesson. */
export interface Evidence {
  agent: string;
  session: string;
  /** Entry id, or null when a person edited a file. */
  entry: string | null;
  /** Day of the entry. */
  day: string;
  trust: number;
  supports: boolean;
  /** Verbatim words of the user or agent, a command, or an error signature; at most 300 characters. */
  quote: string;
}

/** Opens the tag that names the lesson which a model's claim contradicts and stands for from its day on. */
export const INSTEAD_TAG = 'instead of ';

/** Tag of a lesson that an agent forgot, not a person. */
export const FORGOTTEN_BY_AGENT = 'forgotten by an agent';

/**
 * A possible lesson before merging: what one session shows. Candidates are stored per session and replaced when it is read again.
 */
export interface Candidate {
  kind: LessonKind;
  scope: Scope;
  /** One self-contained statement, at most 200 characters. */
  text: string;
  /** Exact key: candidates with the same kind, scope and key are one lesson. */
  key: string;
  importance: 1 | 2 | 3 | 4 | 5;
  saidBy: SaidBy;
  /**
   * Enough by itself (explicit user statement, failure-and-cure pair, successful build/test/lint/…, tied conclusion); otherwise
   * two independent sessions are needed.
   */
  alone: boolean;
  /**
   * How much this statement looks worth remembering, 0..1. Lines are chosen by it; it says nothing about whether it is true.
   */
  worth: number;
  evidence: Evidence;
  tags: string[];
  files: string[];
  /** Commands, packages and URLs that the text would make an agent use (normalised); checked against tainted ones. */
  mentions: string[];
  /** Version of the extractor that made it. */
  extractor: number;
  /** Which fact it is an event of, with its fields; absent: a claim. */
  fact?: FactName;
  fields?: FactFields;
}

/** First sight of a command, package or URL in a session, per origin: what taint is decided from. */
export interface Sighting {
  token: string;
  origin: Origin;
  time: string;
  /** Place in the session's record; null when it was stored without. */
  seq?: number | null;
  /** Whose session it was; filled in by the store. */
  agent?: string;
  session?: string;
  project?: string;
}

export interface Relation {
  from: string;
  rel: 'tested_by' | 'built_by' | 'edited_with' | 'depends_on' | 'deployed_via' | 'cured_by';
  to: string;
}

/** What a session did and how it ended. */
export interface Episode {
  agent: string;
  session: string;
  title: string;
  summary: string;
  day: string;
  outcome: 'success' | 'partial' | 'abandoned' | 'unknown';
  /** The named signal that the outcome rests on. */
  signal: string;
  problem: string | null;
  solution: string | null;
  lesson: string | null;
  files: string[];
  commands: string[];
  commits: string[];
  unfinished: boolean;
  nextStep: string | null;
}

/** All that one session yields. */
export interface Extraction {
  candidates: Candidate[];
  sightings: Sighting[];
  relations: Relation[];
  episode: Episode | null;
  rows: ParsedRows;
  /**
   * Hash and length of the first prompt, hash of its frame if it has one, and whether anybody typed later: recognises
   * machine-made sessions across sessions.
   */
  opening: { hash: string; length: number; frame: string | null; typedLater: boolean } | null;
}

/** Who runs a command. */
export type Caller = { kind: 'person' } | { kind: 'agent'; name: string };

/**
 * What a person, or an agent within its limits, did to a lesson, through the CLI or by editing a file. Insert-only; the newest
 * wins.
 */
export interface Edit {
  /** Lesson id. */
  lesson: string;
  action: 'add' | 'edit' | 'pin' | 'unpin' | 'forget' | 'apart' | 'undo';
  /** Its words; of `apart` the id of the lesson beside which it holds. */
  text: string | null;
  kind: LessonKind | null;
  scope: Scope | null;
  time: string;
  /** Name of the agent that made it; absent: a person. */
  author?: string;
  /** Below the home: the file or folder in which it was found; a log that is read later may show that an agent wrote there. */
  place?: string;
}

/** One thing worth remembering. */
export interface Lesson {
  /** 16 lower-case base-36 characters from project (or `global`), kind and key. */
  id: string;
  kind: LessonKind;
  scope: Scope;
  /** Project id, null for a global lesson. */
  project: string | null;
  text: string;
  key: string;
  importance: 1 | 2 | 3 | 4 | 5;
  saidBy: SaidBy;
  pinned: boolean;
  status: Status;
  tags: string[];
  files: string[];
  worth: number;
  evidence: Evidence[];
  /** Derived from evidence at the project clock; never stored in the crystal. */
  confidence: number;
  sessions: number;
  firstSeen: string;
  lastSeen: string;
  supersedes: string[];
  supersededBy: string | null;
  conflictsWith: string[];
  uses: number;
  extractor: number;
  /** Which fact it is, with its fields; null for a claim. */
  fact: FactName | null;
  fields: FactFields | null;
  /** What was learnt, while a person's own wording stands over it. */
  learnt?: {
    kind: LessonKind;
    text: string;
    importance: 1 | 2 | 3 | 4 | 5;
    saidBy: SaidBy;
    /** Of a fact; absent: a claim. */
    fact?: FactName;
    fields?: FactFields;
  };
}

/** What a model proposes about lessons of one project; it holds as long as their texts are those that the model was shown. */
export interface Proposal {
  /** They say the same, in one line; or they cannot both hold. */
  what: 'same' | 'contradict';
  /** Ids. */
  lessons: string[];
  /** Their texts, in the same order. */
  before: string[];
  /** The one line, or the reason. */
  text: string;
}

/** A lesson that a model was offered for context.md. */
export interface Offered {
  lesson: string;
  /** Its text then; when it changed since, the line that it stands in holds no more. */
  before: string;
  /** Words of its line; the lesson's own when they are `before`. */
  text: string;
  /** Place of its line on the page, from 0; lessons that one line stands for share it. Null: passed over. */
  line: number | null;
}
