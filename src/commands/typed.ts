/**
 * What several commands have in common: options, exit codes, verbs, and standard input as a whole.
 */
import { EXIT, type ExitCode, usage } from '../errors.js';
import { type Arguments } from './command.js';
import type { Io } from '../io.js';

export const PROJECT = {
  type: 'string',
  value: 'P',
  help: 'folder, slug, name or `all`; default: the project of this folder',
} as const;

/** Of commands that ask the memory. */
export const ASKING = {
  [EXIT.noStore]: 'no memory yet',
  [EXIT.busy]: 'the store is in use by another process',
};
/** Of commands that change what was learnt. */
export const EDITING = { ...ASKING, [EXIT.notWritable]: 'the home cannot be written' };
/** Of commands that do the daemon's work. */
export const WORKING = {
  [EXIT.busy]: 'another process writes to this home or holds the store',
  [EXIT.notWritable]: 'the home cannot be written',
  [EXIT.interrupted]: 'interrupted; run it again',
};

/** What the first word of a command chooses. */
export interface Verb {
  run(io: Io, args: Arguments, words: string[]): Promise<ExitCode>;
  /** The verb with what follows it. */
  usage: string;
  /** How many words may follow it. */
  words: [least: number, most: number];
}

/**
 * Runs the verb that was typed first, else `list`.
 * @throws AppError (usage) for a verb that is not in the table, or one with too few or too many
 * words
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
 * The one word of a command. @param problem that there is none, or more; @param example of what
 * could be typed
 */
export function oneWord({ words }: Arguments, problem: string, example: string): string {
  if (words.length !== 1) throw usage(problem, `type \`${example}\``);
  return words[0]!;
}

/** For a command without words. */
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
