/** The shape of a command: one file each, listed in index.ts, run by main.ts. */
import { EXIT, usage, type ExitCode } from '../errors.js';
import type { Io } from '../io.js';

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
