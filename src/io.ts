/** What a command, the HTTP server or the MCP server may use of the process; tests pass their own. */
import type { App } from './app.js';
import type { Environment } from './config.js';
import type { ExitCode } from './errors.js';
import type { ComputePool } from './jobs/compute-pool.js';
import type { Caller, Clock } from './types.js';

export interface Io {
  env: Environment;
  cwd: string;
  clock: Clock;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** Writes data. */
  out(text: string): void;
  /** Writes everything else. */
  err(text: string): void;
  /**
   * Writes our own drawing to a terminal, escapes included; `out` and `err` make every escape
   * visible.
   */
  draw?(text: string): void;
  /**
   * Writes text that may contain our own escapes to standard output; foreign text in it has passed
   * `visible`.
   */
  paint?(text: string): void;
  /** As in AppOptions. */
  lockWaitMs?: number;
  /** How long a daemon may be silent; tests wait less. */
  silentMs?: number;
  /** Runs a program in this terminal until it ends, without a shell. @returns its exit status */
  runProgram?(program: string, args: readonly string[]): Promise<number>;
  /** Standard error is a terminal: progress may be drawn. */
  terminal: boolean;
  /** Standard output is a terminal: a table is drawn instead of JSON lines. */
  outIsTerminal?: boolean;
  /** Present width of the terminal on standard error. */
  columns?(): number;
  /** Size of the terminal on standard output; absent if it is not one. */
  screen?: { columns: number; rows: number };
  /** Who runs the command, a person or an agent; looked up on demand. */
  caller(): Caller;
  /** Standard input, line by line. */
  lines(): AsyncIterable<string>;
  /**
   * One key from a person's keyboard, without Enter; null at the end of input. Absent if input is
   * not a terminal.
   */
  key?(): Promise<string | null>;
  /**
   * One line from a person's keyboard, which begins with `text`; null when they cancel it (Ctrl-C,
   * Ctrl-D). Absent as `key`.
   */
  ask?(question: string, text: string): Promise<string | null>;
  /** Runs another command line: the daemon does that for other processes. */
  run?: (argv: readonly string[], io: Io) => Promise<ExitCode>;
  /** See AppOptions. */
  compute?: ComputePool;
  lend?: () => Promise<App>;
  embedder?: App['embedder'];
}
