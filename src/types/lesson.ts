/** Types from a session's entries to lessons: candidates, evidence and episodes. */
import type { ParsedRows } from './parsed.js';
import type { LessonEvent, FactFields, Lesson } from './shapes.js';
import type { FactName } from './values.js';

/** Whether agents and people see a lesson. */
export function isShown({ status }: Pick<Lesson, 'status'>): boolean {
  return status === 'live';
}

/** Begins a model's tag with the id of the lesson that its claim contradicts and replaces. */
export const INSTEAD_TAG = 'instead of ';
/** Tag of a claim that a model found in a session. */
export const MODEL_TAG = 'model';
/** Tag of a claim that quotes the person and rewords the quote. */
export const USER_WORDS_TAG = 'the user in other words';
/** Tag of a wish from one session; the page shows it after a second session. */
export const ONCE_TAG = 'once';
/** Begins the tag with the command, error or file at which a claim matters. */
export const TRIGGER_TAG = 'at ';

/** Tag of a lesson that an agent, not a person, removed. */
export const FORGOTTEN_BY_AGENT = 'forgotten by an agent';

/** Fields that a lesson takes from its candidates unchanged. */
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
 * A possible lesson that one session shows, before merging. If the session is read again, its
 * stored candidates are replaced.
 */
export interface Candidate extends Pick<Lesson, FormedFrom> {
  /**
   * Enough by itself (explicit user statement, failure with its cure, successful build, test or
   * lint, tied conclusion); otherwise two independent sessions are needed.
   */
  alone: boolean;
  evidence: LessonEvent;
  /** Commands that the lesson would add to a line, besides those in its text. */
  mentions: string[];
  /** Name and fields of the fact that the event belongs to; absent for a claim. */
  fact?: FactName;
  fields?: FactFields;
}

/** What each relation leads from and to. */
export const RELATION_ENDS = {
  tested_by: ['file', 'command'],
  built_by: ['file', 'command'],
  edited_with: ['file', 'file'],
  depends_on: ['project', 'tool'],
  deployed_via: ['project', 'command'],
  cured_by: ['error', 'command'],
} as const;

export interface Relation {
  from: string;
  rel: keyof typeof RELATION_ENDS;
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
  /** Name of the signal that gives the outcome. */
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

/** A sentence after `Remember:` that is no claim. */
export interface DroppedNote {
  entry: string;
  said_by: 'user' | 'agent';
  text: string;
  reason: string;
}

/** Everything that one session yields. */
export interface Extraction {
  candidates: Candidate[];
  dropped: DroppedNote[];
  episode: Episode | null;
  rows: ParsedRows;
  /**
   * Hash and length of the first prompt, and whether anybody typed later, to recognise automated
   * sessions: their first prompts are alike.
   */
  opening: { hash: string; length: number; typedLater: boolean } | null;
}

/** Who runs a command. */
export type Caller = { kind: 'person' } | { kind: 'agent'; name: string };
