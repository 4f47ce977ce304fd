/**
 * From a session's entries to lessons: candidates, evidence, episodes and what a person did to
 * them.
 */
import type { ParsedRows } from './parsed.js';
import type { LessonEvent, FactFields, Lesson } from './shapes.js';
import type { FactName } from './values.js';

/** Whether agents and people are shown a lesson. */
export function isShown({ status }: Pick<Lesson, 'status'>): boolean {
  return status === 'live';
}

/**
 * Opens the tag that names the lesson which a model's claim contradicts and stands for from its day
 * on.
 */
export const INSTEAD_TAG = 'instead of ';
/** Tag of a claim that a model drew from a session. */
export const MODEL_TAG = 'model';
/** Tag of a claim that quotes the person and puts it in other words. */
export const USER_WORDS_TAG = 'the user in other words';
/** Tag of a wish that was asked for once: it comes on the page when a second session shows it. */
export const ONCE_TAG = 'once';
/** Begins the tag that names the command, error or file at which a claim matters. */
export const TRIGGER_TAG = 'at ';

/** Tag of a lesson that an agent forgot, not a person. */
export const FORGOTTEN_BY_AGENT = 'forgotten by an agent';

/** What a lesson has of its candidates as it is. */
type FormedFrom =
  | 'kind'
  | 'scope'
  | 'text'
  | 'key'
  | 'importance'
  | 'said_by'
  | 'worth'
  | 'tags'
  | 'files'
  | 'extractor';

/**
 * A possible lesson before merging: what one session shows. Candidates are stored per session and
 * replaced when it is read again.
 */
export interface Candidate extends Pick<Lesson, FormedFrom> {
  /**
   * Enough by itself (explicit user statement, failure-and-cure pair, successful build/test/lint/…,
   * tied conclusion); otherwise two independent sessions are needed.
   */
  alone: boolean;
  evidence: LessonEvent;
  /** Commands that it would bring into a line, beside those that its text shows. */
  mentions: string[];
  /** Which fact it is an event of, with its fields; absent: a claim. */
  fact?: FactName;
  fields?: FactFields;
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
  next_step: string | null;
}

/** A sentence behind `Remember:` that is no claim. */
export interface DroppedNote {
  entry: string;
  said_by: 'user' | 'agent';
  text: string;
  reason: string;
}

/** All that one session yields. */
export interface Extraction {
  candidates: Candidate[];
  dropped: DroppedNote[];
  episode: Episode | null;
  rows: ParsedRows;
  /**
   * Hash and length of the first prompt, and whether anybody typed later: recognises automated
   * sessions across sessions.
   */
  opening: { hash: string; length: number; typedLater: boolean } | null;
}

/** Who runs a command. */
export type Caller = { kind: 'person' } | { kind: 'agent'; name: string };
