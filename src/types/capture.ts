/** From a log record to a stored entry: what adapters, reader and store hand to each other. */
import type { Entry } from './entry.js';

/** One session among those of all agents. */
export function sessionKey(agent: string, session: string): string {
  return `${agent}\0${session}`;
}

/**
 * What a log says about its session as a whole; later facts win over earlier ones, null never
 * overwrites.
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
  /** The folder that a worktree belongs to. */
  original_cwd?: string | null;
  /** A program started this session (headless run, observer, reviewer). */
  machine?: boolean;
  /** The session is a subagent's. */
  subagent?: boolean;
}

/** Tokens of one answer of a model, as the log counts them. */
export interface Usage {
  /**
   * The agent's own id of the answer: several lines about one answer are one, and the largest
   * counts stand.
   */
  native: string;
  time: string | null;
  /** As the log names it; null when it does not. */
  model: string | null;
  /** Tokens sent that were neither read from a cache nor written to one. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** Tokens of the answer, reasoning included. */
  output: number;
  reasoning: number;
  /** What the log itself says it cost, in US dollars; null when it does not. */
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
  /** The adapter's fold state, JSON. */
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

/** One committed unit of reading: everything in it becomes visible together, or nothing. */
export interface Batch {
  checkpoint: Checkpoint;
  entries: PreparedEntry[];
  sessions: (SessionFacts & { agent: string })[];
  /**
   * Tokens of answers; an id that comes again is the same answer, and the largest counts are kept.
   */
  usage?: (Usage & { session: string })[];
  bad: BadLine[];
}

/**
 * Search terms of one text: signed 64-bit hashes, each once, and how often each occurs. Both arrays
 * have the same length.
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
