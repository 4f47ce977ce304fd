/** Types between a log record and a stored entry, for adapters, reader and store. */
import type { Entry } from './entry.js';

/** Key of a session, unique among all agents. */
export function sessionKey(agent: string, session: string): string {
  return `${agent}\0${session}`;
}

/**
 * What a log says about its whole session. Later values replace earlier ones, but null never does.
 */
export interface SessionFacts {
  session: string;
  parent?: string | null;
  title?: string | null;
  version?: string | null;
  cwd?: string | null;
  branch?: string | null;
  /** Git remote or `host/owner/repo` that the log names for this session's folder. */
  remote?: string | null;
  /** For a worktree, the folder of the repository that it belongs to. */
  original_cwd?: string | null;
  /** A program started this session (headless run, observer, reviewer). */
  machine?: boolean;
  /** The session is a subagent's. */
  subagent?: boolean;
}

/** Tokens of one answer of a model, as the log counts them. */
export interface Usage {
  /**
   * The agent's own id of the answer. Several lines may count one answer; the largest counts are
   * kept.
   */
  native: string;
  time: string | null;
  /** The name in the log; null without one. */
  model: string | null;
  /** Tokens sent that were neither read from a cache nor written to one. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** Tokens of the answer, reasoning included. */
  output: number;
  reasoning: number;
  /** The cost that the log itself gives, in US dollars; null without one. */
  cost: number | null;
}

/** How far a log has been read. */
export interface Checkpoint {
  agent: string;
  path: string;
  /** Device and inode as decimal text (64-bit). */
  device: string;
  inode: string;
  /** Byte offset after the last complete line that was stored, and the number of that line. */
  offset: number;
  line: number;
  head_length: number;
  head_hash: string;
  tail_length: number;
  tail_hash: string;
  size: number;
  mtime_ms: number;
  /** State of the adapter's fold, as JSON. */
  state: string;
  bad_lines: number;
  unknown_types: Record<string, number>;
  session: string | null;
  last_read: string;
}

export interface BadLine {
  path: string;
  line: number;
  offset: number;
  reason: string;
}

/** One committed unit of reading: all of it becomes visible together, or nothing. */
export interface Batch {
  checkpoint: Checkpoint;
  entries: PreparedEntry[];
  sessions: (SessionFacts & { agent: string })[];
  /** Tokens of answers. For a repeated id the largest counts are kept. */
  usage?: (Usage & { session: string })[];
  bad: BadLine[];
}

/**
 * Search terms of one text: signed 64-bit hashes, each once, with their frequencies in an array of
 * the same length.
 */
export interface Terms {
  hashes: BigInt64Array;
  counts: Int32Array;
}

/** An entry with its search terms. */
export interface PreparedEntry extends Entry {
  terms: Terms;
  /** Number of terms in the text. */
  length: number;
}
