/**
 * Rows that a person looks at: the store reads them, a page shows them unchanged. Times are ISO
 * 8601 UTC.
 */
import type { Edit } from './shapes.js';
import type { Mode } from './values.js';

/** A session in a list. */
export interface SessionLine {
  agent: string;
  session: string;
  project: string | null;
  title: string | null;
  parent: string | null;
  branch: string | null;
  started: string | null;
  ended: string | null;
  entries: number;
  active_seconds: number | null;
  machine: boolean;
  subagent: boolean;
  outcome: 'success' | 'partial' | 'abandoned' | 'unknown' | null;
  unfinished: boolean | null;
}

/** An edit of a lesson; the author is `person` or an agent's name. */
export interface EditLine extends Pick<Edit, 'action' | 'text'> {
  at: string;
  by: string;
}

/** An entry as a reader of its session sees it. */
export interface WindowEntry {
  id: string;
  role: 'user' | 'assistant' | 'thinking' | 'tool_call' | 'tool_result' | 'system';
  origin: string;
  tool: string | null;
  /** Beginning of the text; null without text. */
  text: string | null;
  /** Characters of the whole text. */
  length: number;
  command: string | null;
  exit: number | null;
  outcome: 'ok' | 'failed' | 'rejected' | 'interrupted' | null;
  files: string[];
  time: string | null;
  path: string;
  line: number;
  call: string | null;
}

/** What a search asks for. */
export interface SearchOptions {
  query: string;
  /** Project id, or null for all. */
  project: string | null;
  limit: number;
  mode: Mode;
  agent: string | null;
  /** A hit type or a kind of lesson. */
  kind: string | null;
  role: string | null;
  /** Only entries that touched a file whose path contains this. */
  file?: string | null;
  /** Days, both inclusive. */
  since: string | null;
  until: string | null;
}
