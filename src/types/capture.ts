/** From a log record to a stored entry: what adapters, reader and store hand to each other. */
import type { Entry, Origin, Outcome, Role } from './entry.js';

/** One session among those of all agents. */
export function sessionKey(agent: string, session: string): string {
  return `${agent}\0${session}`;
}

/** What an adapter makes of one block of a log record, before redaction. */
export interface RawEntry {
  /** The agent's own record id plus the block's index in it, or null when the record has none. */
  native: string | null;
  time: string | null;
  role: Role;
  origin: Origin;
  /** Tool name for tool_call and tool_result. */
  tool: string | null;
  /**
   * The text as the person, agent or tool wrote it: for a tool_call its command or main argument;
   * for an edit path and changed lines.
   */
  text: string;
  /** Joins a tool_call with its tool_result (agent's own call id). */
  call: string | null;
  /**
   * The shell command of a tool_call, or of the call that this tool_result answers; whole and not
   * normalised.
   */
  command: string | null;
  /** Exit status of a tool_result, when the log tells it. */
  exit: number | null;
  outcome: Outcome | null;
  /** Files that the call names as path arguments (absolute, or relative to cwd). */
  files: string[];
  /** Working folder at that moment. */
  cwd: string | null;
  branch: string | null;
  /**
   * The record repeats what an earlier session said (resume, fork): kept for search, never evidence
   * of its own.
   */
  copied?: boolean;
  /**
   * Structural marks the extractor needs: `interrupt` (user stopped the agent), `rejection`,
   * `compaction`, `plan`, `subagent`, `question` (agent asked, user chose), `final` (last text of a
   * turn), `todo`, `unsandboxed` (the agent asked to run a command outside its sandbox), `running`
   * (a result so far: its command goes on).
   */
  marks?: string[];
  /**
   * Without a record id: equal texts of two sessions are two entries, since no fork or resume
   * repeats one in another session.
   */
  bySession?: true;
  /**
   * A tool_result may show what these calls printed, too: a secret file among it keeps its content
   * out of the store.
   */
  among?: string[];
  /**
   * Where it stands in its session, in place of its line: some agents write each record into a file
   * of its own.
   */
  order?: number;
}

/**
 * Whether a field of a raw entry is masked; its text always is. What is not masked is hashed, one
 * of a few words, or joins records. A new field does not compile until it stands here.
 */
export const IS_MASKED: Readonly<Record<Exclude<keyof RawEntry, 'text'>, boolean>> = {
  native: false,
  time: false,
  role: false,
  origin: false,
  tool: true,
  call: false,
  command: true,
  exit: false,
  outcome: false,
  files: true,
  cwd: true,
  branch: true,
  copied: false,
  marks: false,
  bySession: false,
  among: false,
  order: false,
};

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
