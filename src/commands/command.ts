/** The shape of a command: one file each, listed in index.ts, run by main.ts. */
import type { App } from '../app.js';
import type { ComputePool } from '../jobs/learning/compute-pool.js';
import type { ReaderThreads } from '../jobs/reading/reader.js';
import type { Environment } from '../config.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import type { Caller, Clock } from '../types.js';

interface Option {
  type: 'string' | 'boolean';
  /** Shown after a string option in the help, e.g. `FOLDER`. */
  value?: string;
  help: string;
}

/** The words and options after the command's name. */
export interface Arguments {
  words: string[];
  flag(name: string): boolean;
  text(name: string): string | null;
  /** A whole number of at least `least`; otherwise a usage error. */
  count(name: string, fallback: number, least?: number): number;
}

/** A key as Node names it (`up`, `return`, `c` with Ctrl), with the sign that it types, if any. */
export interface Key {
  name: string;
  text: string;
  ctrl: boolean;
  meta: boolean;
}

/** A key, or the new size of the terminal. */
export type Typed = Key | { columns: number; rows: number };

/** What a command may use of the process; tests pass their own. */
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
  /** Shows a long text page by page; false when there is no pager. */
  page?(text: string): Promise<boolean>;
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
   * Each key at once, and each new size of the terminal, until the returned function is called. No
   * echo. Absent as `key`.
   */
  typing?(on: (typed: Typed) => void): () => void;
  /**
   * One line from a person's keyboard, which begins with `text`; null when they cancel it (Ctrl-C,
   * Ctrl-D). Absent as `key`.
   */
  ask?(question: string, text: string): Promise<string | null>;
  /** Runs another command line: the daemon does that for other processes. */
  run?: (argv: readonly string[], io: Io) => Promise<ExitCode>;
  /** See AppOptions. */
  compute?: ComputePool;
  readerThreads?: ReaderThreads;
  lend?: () => Promise<App>;
  embedder?: App['embedder'];
}

export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** What follows the name, e.g. `"QUERY" [options]`. */
  usage: string;
  options: Record<string, Option>;
  /** Exit codes beyond 0, 1, 2, 13 and 70, with their meaning here. */
  exits: Partial<Record<ExitCode, string>>;
  /** Lines for the end of the help: examples. */
  examples?: string[];
  run(io: Io, args: Arguments): Promise<ExitCode>;
}

const EVERYWHERE: Partial<Record<ExitCode, string>> = {
  [EXIT.done]: 'done',
  [EXIT.error]: 'an error; the message names the next step',
  [EXIT.usage]: 'wrong usage',
  [EXIT.config]: 'config.yaml is invalid, or the store was written by a newer version',
  [EXIT.internal]: 'an internal fault',
};

/** All exit codes of a command, by number. */
export function exitsOf(command: Command): [number, string][] {
  return Object.entries({ ...EVERYWHERE, ...command.exits })
    .map(([code, text]): [number, string] => [Number(code), text])
    .sort((a, b) => a[0] - b[0]);
}

/** The text of `dripstone NAME --help`. */
export function renderHelp(command: Command): string {
  const rows = Object.entries({
    ...command.options,
    help: { type: 'boolean', help: 'show this text' } as Option,
  }).map(([name, option]): [string, string] => [
    `--${name}${option.type === 'string' ? ` ${option.value ?? 'TEXT'}` : ''}`,
    option.help,
  ]);
  return [
    `dripstone ${command.name}: ${command.summary}`,
    '',
    `usage: dripstone ${command.name} ${command.usage}`.trimEnd(),
    '',
    'options:',
    ...columns(rows),
    '',
    'exit codes:',
    ...columns(exitsOf(command).map(([code, text]) => [String(code), text])),
    ...(command.examples ? ['', 'examples:', ...command.examples.map((line) => `  ${line}`)] : []),
    '',
  ].join('\n');
}

/** Two columns, indented by two. */
export function columns(rows: [string, string][]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}

/** Whether a text is a day of the calendar as `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * A day as a person types it: `2026-11-20`, `today`, `yesterday`, or days or weeks ago as `7d` or
 * `2w`. Days are in UTC, as everywhere. Null for anything else. Pure.
 */
export function dayFrom(text: string, now: Date): string | null {
  const word = text.trim().toLowerCase();
  if (isDay(word)) return word;
  const [, count, unit] = /^(\d{1,4})([dw])$/.exec(word) ?? [];
  const back =
    count === undefined
      ? ['today', 'yesterday'].indexOf(word)
      : Number(count) * (unit === 'w' ? 7 : 1);
  return back < 0 ? null : new Date(now.getTime() - back * 86_400_000).toISOString().slice(0, 10);
}

/**
 * The day from which on `--since` looks, `YYYY-MM-DD`; null: everything (`all`).
 * @throws AppError (usage) for a text that names no day
 */
export function sinceIn(typed: string, now: Date): string | null {
  const day = typed === 'all' ? null : dayFrom(typed, now);
  if (day === null && typed !== 'all')
    throw usage(`--since ${typed} is no day`, 'for example 2026-11-20, 30d, 2w or all');
  return day;
}

/** The typed options and words as the command receives them. @param values of options, by name */
export function argumentsOf(
  command: Command,
  values: Record<string, unknown>,
  words: string[],
): Arguments {
  return {
    words,
    flag: (name) => values[name] === true,
    text: (name) => (typeof values[name] === 'string' ? (values[name] as string) : null),
    count(name, fallback, least = 1) {
      const text = values[name];
      if (text === undefined) return fallback;
      const number = Number(text);
      if (!Number.isInteger(number) || number < least) {
        throw usage(
          `--${name} takes a whole number of at least ${least}, not ${String(text)}`,
          `see \`dripstone ${command.name} --help\``,
        );
      }
      return number;
    },
  };
}

/** A usage error: exit 2. */
export function usage(message: string, hint: string): AppError {
  return new AppError('USAGE', message, { hint, exitCode: EXIT.usage });
}

/** Prints one JSON object as data. */
export function printJson(io: Io, value: Record<string, unknown>): void {
  return io.out(`${JSON.stringify({ version: 1, ...value })}\n`);
}

/** Asks a person at a terminal; no answer means no. */
export async function isYes(io: Pick<Io, 'err' | 'lines'>, question: string): Promise<boolean> {
  io.err(question);
  for await (const line of io.lines()) return /^\s*y(?:es)?\s*$/i.test(line);
  return false;
}
