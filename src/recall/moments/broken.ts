/** Which rules of the person a command or an edit would break: for guards, and at any moment. */
import type { FactFields, Lesson, StepAhead } from '../../types.js';
import { str } from './names.js';

export interface Ahead {
  /** Of the command that is about to run. */
  steps: readonly StepAhead[];
  /** The file that is about to be edited, below the project's root. */
  file: string | null;
}

/** Those of these lessons that are rules of the person which a command or an edit would break. */
export function brokenHere<L extends Lesson>(lessons: readonly L[], { steps, file }: Ahead): L[] {
  return lessons.filter((lesson) => isBroken(lesson, steps, file));
}

function isBroken(
  { saidBy, fields }: Lesson,
  steps: readonly StepAhead[],
  file: string | null,
): boolean {
  if (saidBy !== 'user' || fields?.['polarity'] !== 'never') return false;
  const instead = str(fields, 'instead');
  return (
    listIn(fields, 'commands').some((command) =>
      steps.some((step) => breaksCommand(step, command, instead)),
    ) ||
    (file !== null && listIn(fields, 'paths').some((path) => breaksPath(file, path)))
  );
}

function listIn(fields: FactFields, name: string): readonly string[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

// As facts/breaks.sql compares what was done, for which a test holds the two together: a guard must
// not wait for the database.

const SHOWS = setOf('--help -h help --version --dry-run --dry_run --whatif');
const DRY_WITH_N = setOf('push clean add rm mv fetch');
const LOOKS = setOf(
  'list ls show view info status search outdated config whoami version why log diff pop apply drop',
);

/** `does_work` and `breaks_command`. @param instead '' for none */
export function breaksCommand(
  { words: run, shown }: StepAhead,
  command: string,
  instead: string,
): boolean {
  const wanted = command.split(' ');
  const [bare, order] = [run, wanted].map((each) =>
    each.filter((word) => !word.startsWith('-')),
  ) as [string[], string[]];
  const program = baseName(run[0]!);
  const isDry =
    run.includes('-n') &&
    (/^(?:g?make|rsync)$/.test(program) || bare[1] === undefined || DRY_WITH_N.has(bare[1]));
  const isThere = (word: string): boolean =>
    run.some((each) => each === word || each.endsWith(`:${word}`));
  return (
    (shown || run.length > 1) &&
    !run.some((word) => SHOWS.has(word)) &&
    !isDry &&
    program === baseName(wanted[0]!) &&
    (order.length < 2 || bare[1] === order[1]) &&
    wanted.slice(1).every(isThere) &&
    !(instead !== '' && instead.split(' ').every((word) => run.includes(word))) &&
    !LOOKS.has(bare[order.length] ?? '')
  );
}

/** `breaks_path`: a path of a rule has `*` alone, which stands for folders, too. */
export function breaksPath(file: string, path: string): boolean {
  const isName = !path.includes('/');
  if (file === path || file.startsWith(`${path}/`) || (isName && file.endsWith(`/${path}`)))
    return true;
  const glob = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return (
    glob.length > 1 && new RegExp(`^${isName ? '(?:.*/)?' : ''}${glob.join('.*')}$`, 's').test(file)
  );
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

function setOf(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
