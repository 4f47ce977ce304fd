/** Access of commands, HTTP server and MCP server to the process; tests pass their own. */
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
  /** Writes data to standard output. */
  out(text: string): void;
  /** Writes messages to standard error. */
  err(text: string): void;
  /** Draws on a terminal with escapes of dripstone; `out` and `err` make every escape visible. */
  draw?(text: string): void;
  /**
   * Writes text to standard output with our own escapes; others' text must have passed `visible`.
   */
  paint?(text: string): void;
  /** As in AppOptions. */
  lockWaitMs?: number;
  /** How long a daemon may send nothing; shorter in tests. */
  silentMs?: number;
  /** Runs a program in this terminal until it ends, without a shell. @returns its exit status */
  runProgram?(program: string, args: readonly string[]): Promise<number>;
  /** Standard error is a terminal: progress may be drawn. */
  terminal: boolean;
  /** Standard output is a terminal: a table is drawn instead of JSON lines. */
  outIsTerminal?: boolean;
  /** Current width of the terminal on standard error. */
  columns?(): number;
  /** Size of the terminal on standard output; absent if it is not one. */
  screen?: { columns: number; rows: number };
  /** Who runs the command, a person or an agent; looked up on demand. */
  caller(): Caller;
  /** Standard input, line by line. */
  lines(): AsyncIterable<string>;
  /** One key without Enter; null at the end of input. Absent if input is no terminal. */
  key?(): Promise<string | null>;
  /**
   * One line from a person's keyboard, with `text` as its start; null if cancelled (Ctrl-C,
   * Ctrl-D). Absent if input is no terminal.
   */
  ask?(question: string, text: string): Promise<string | null>;
  /** Runs another command line, as the daemon does for other processes. */
  run?: (argv: readonly string[], io: Io) => Promise<ExitCode>;
  /** See AppOptions. */
  compute?: ComputePool;
  lend?: () => Promise<App>;
  embedder?: App['embedder'];
}
