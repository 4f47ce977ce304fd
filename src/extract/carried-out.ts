/**
 * Which requests of a person the agent carried out before they spoke again: such a sentence was a task, not a standing wish.
 */
import type { Entry } from '../types.js';
import { changesOf } from './commands/runs.js';
import { namesOn } from './agent-texts.js';
import { entityKeys } from './sentences/entities.js';
import type { Turn } from './user-turns.js';

/** What the agent did between one message of the person and the next. */
interface Done {
  /** Files that it changed, by path and by last part, and names on the lines that it changed. */
  names: ReadonlySet<string>;
  commands: readonly string[];
}

/** Longer shell texts are taken for scripts and not searched. */
const LONGEST_COMMAND = 2000;

function doneBy(entries: readonly Entry[], roots: string[]): Done {
  const names = new Set<string>();
  for (const { file, entry } of changesOf([...entries], roots)) {
    const path = file.toLowerCase();
    names.add(path).add(path.split('/').at(-1)!);
    for (const sign of ['+', '-'] as const) for (const name of namesOn(sign, entry.text)) names.add(name);
  }
  const commands = entries.flatMap(({ role, command, copied }) =>
    role === 'tool_call' && command !== null && !copied ? [` ${command.slice(0, LONGEST_COMMAND).toLowerCase()} `] : [],
  );
  return { names, commands };
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
function runs(name: string, { commands }: Done): boolean {
  const whole = new RegExp(`(?<![\\w./-])${escaped(name)}(?![\\w-])`);
  return commands.some((command) => whole.test(command));
}

/**
 * For each typed message: whether a sentence of it names something that the agent changed or ran before the person spoke again.
 * Entries must be in order.
 */
export function carriedOut(
  entries: readonly Entry[],
  turns: readonly Turn[],
  roots: string[],
): (turn: Turn, text: string) => boolean {
  const at = new Map(entries.map((entry, index) => [entry.id, index] as const));
  const starts = turns.map(({ entry }) => at.get(entry.id)!);
  const known = new Map<Turn, Done>();
  const doneAfter = (turn: Turn): Done => {
    const from = at.get(turn.entry.id)!;
    const done =
      known.get(turn) ?? doneBy(entries.slice(from + 1, starts.find((start) => start > from) ?? entries.length), roots);
    known.set(turn, done);
    return done;
  };
  return (turn, text) => {
    const names = [...entityKeys(text)];
    if (names.length === 0) return false;
    const done = doneAfter(turn);
    return names.some((name) => done.names.has(name) || runs(name, done));
  };
}
