/** The type of a command. Each command has its own file; index.ts lists them, main.ts runs them. */
import { EXIT, usage, type ExitCode } from './errors.js';
import type { Io } from './io.js';

interface Option {
  type: 'string' | 'boolean';
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
  /** The text after the name in the help, e.g. `"QUERY" [options]`. */
  usage: string;
  options: Record<string, Option>;
  /** Exit codes besides 0, 1, 2, 13 and 70, with their meaning for this command. */
  exits: Partial<Record<ExitCode, string>>;
  /** Examples at the end of the help. */
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
  const rows = Object.entries({ ...command.options, help: flag('show this text') }).map(
    ([name, option]): [string, string] => [
      `--${name}${option.value === undefined ? '' : ` ${option.value}`}`,
      option.help,
    ],
  );
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

/** The typed options and words in the form for `run`. @param values values of options, by name */
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
export function printJson(io: Io, value: object): void {
  return io.out(`${JSON.stringify({ version: 1, ...value })}\n`);
}

/** Prints JSON with `--json`, else the text. */
export function print(io: Io, args: Arguments, json: object, text: string): ExitCode {
  if (args.flag('json')) printJson(io, json);
  else io.out(text);
  return EXIT.done;
}

/** Asks a person at a terminal; no answer means no. */
export async function isYes(io: Pick<Io, 'err' | 'lines'>, question: string): Promise<boolean> {
  io.err(question);
  for await (const line of io.lines()) return /^\s*y(?:es)?\s*$/i.test(line);
  return false;
}

// Parts that several commands share: options, exit codes, verbs, and reading all of standard input.

/** An option that is on or off. */
export function flag(help: string): Option {
  return { type: 'boolean', help };
}

/** An option with a text. @param value name of the text in the help, such as `FOLDER` */
export function value(value: string, help: string): Option {
  return { type: 'string', value, help };
}

export const PROJECT = value(
  'P',
  'folder, slug, name or `all`; default: the project of this folder',
);

/** Exit codes of commands that read the memory. */
export const ASKING = {
  [EXIT.noStore]: 'no memory yet',
  [EXIT.busy]: 'the store is in use by another process',
};
/** Exit codes of commands that change lessons. */
export const EDITING = { ...ASKING, [EXIT.notWritable]: 'the home cannot be written' };
/** Exit codes of commands that do the daemon's work. */
export const WORKING = {
  [EXIT.busy]: 'another process writes to this home or has the store open',
  [EXIT.notWritable]: 'the home cannot be written',
  [EXIT.interrupted]: 'interrupted; run it again',
};

/** What the first word of a command chooses. */
export interface Verb {
  run(io: Io, args: Arguments, words: string[]): Promise<ExitCode>;
  /** The verb with what follows it. */
  usage: string;
  /** How many words may follow the verb. */
  words: [least: number, most: number];
}

/**
 * Runs the typed verb, else `list`.
 * @throws AppError (usage) for an unknown verb, or too few or too many words
 */
export function runVerb(
  command: string,
  verbs: Record<string, Verb>,
  io: Io,
  args: Arguments,
): Promise<ExitCode> {
  const [name = 'list', ...words] = args.words;
  if (!Object.hasOwn(verbs, name))
    throw usage(`${command} has no ${name}`, `use one of ${Object.keys(verbs).join(', ')}`);
  const { run, usage: form, words: range } = verbs[name]!;
  if (words.length < range[0] || words.length > range[1])
    throw usage(
      `${command} ${name} does not take ${words.length} words`,
      `type \`dripstone ${command} ${form}\``,
    );
  return run(io, args, words);
}

/**
 * The only word of a command.
 * @param problem the message if there is no word or more than one
 * @param example what a person can type
 */
export function oneWord({ words }: Arguments, problem: string, example: string): string {
  if (words.length !== 1) throw usage(problem, `type \`${example}\``);
  return words[0]!;
}

/** Refuses words after a command that takes none. */
export function refuseWords(command: string, { words }: Arguments): void {
  if (words.length > 0)
    throw usage(`${command} takes no words`, `see \`dripstone ${command} --help\``);
}

/** All of standard input. */
export async function readInput(io: Io): Promise<string> {
  const lines: string[] = [];
  for await (const line of io.lines()) lines.push(line);
  return lines.join('\n');
}
