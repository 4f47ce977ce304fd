/**
 * Which rules of the person a command or an edit would break, and what lifts them: for guards, and
 * at any moment.
 */
import { ruleOf } from '../../parse/rules.js';
import { splitSentences } from '../../parse/sentences/split.js';
import { typedIn, type Db } from '../../store/index.js';
import { typedText } from '../../text/typed-lines.js';
import { hasPolarity, isDenied, STOP_WORDS } from '../../text/words.js';
import type { FactFields, Lesson, StepAhead } from '../../types.js';
import { str } from './names.js';

export interface Ahead {
  /** The agent's own id; null: of no session. */
  session: string | null;
  /** Of the command that is about to run. */
  steps: readonly StepAhead[];
  /** The file that is about to be edited, below the project's root. */
  file: string | null;
}

/** What the person typed in a session, by the agent's own id; none: nothing is known. */
export type TypedOf = (session: string) => Promise<readonly string[]>;

/** As the database has it. */
export function typedFrom(db: Db): TypedOf {
  return async (session) => (await typedIn(db, [session])).get(session) ?? [];
}

/**
 * Those of these lessons that are rules of the person which a command or an edit would break. A
 * rule is off in a session in which the person asked for what it forbids.
 * @returns isTyped: whether anything that they typed there is known
 */
export async function brokenHere(
  lessons: readonly Lesson[],
  { session, steps, file }: Ahead,
  typedOf: TypedOf,
): Promise<{ broken: Lesson[]; isTyped: boolean }> {
  const broken = lessons.filter((lesson) => isBroken(lesson, steps, file));
  if (broken.length === 0 || session === null) return { broken, isTyped: false };
  const typed = await typedOf(session);
  return {
    broken: broken.filter((rule) => !isAskedFor(typed, namesIn(rule))),
    isTyped: typed.length > 0,
  };
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

function namesIn({ fields }: Lesson): string[] {
  return fields === null ? [] : [...listIn(fields, 'commands'), ...listIn(fields, 'paths')];
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

/**
 * Whether a person asked for one of these commands or paths: a clause of theirs has each of its
 * words (of a flag without its dashes), or begins with those behind `git`. What says a rule or a
 * wish, denies, asks or tells is no permission: when in doubt the guard speaks. Pure.
 * @param typed texts of prompts
 */
export function isAskedFor(typed: readonly string[], names: readonly string[]): boolean {
  const clauses = typed
    .flatMap((text) => splitSentences(typedText(text)))
    .filter(
      (text) =>
        !/[?？]["')\s]*$/u.test(text) &&
        !isDenied(text) &&
        !hasPolarity(text) &&
        ruleOf(text) === null,
    )
    .flatMap((sentence) =>
      sentence.split(BETWEEN_CLAUSES).map((clause) => clause.trim().replace(OPENING, '')),
    )
    .filter((clause) => !TELLS.test(clause));
  return clauses.some((clause) => names.some((name) => isAskedIn(clause, name)));
}

const BETWEEN_CLAUSES = /[,;:.!…—–]\s+|\s+(?:(?:and|then|but|or|und|dann)\s+|(?=why\s))/iu;
/** What may stand before an order. */
const OPENING = new RegExp(
  String.raw`^(?:(?:please|pls|bitte|ok(?:ay)?|yes|sure|now|just|also|then|so|go|let['’]?s` +
    String.raw`|(?:you|we) (?:can|may|should)|i want you to)[\s,]+)*`,
  'iu',
);
/**
 * Ahead of a clause these make a statement or a question of it: a subject, or a verb before its
 * subject.
 */
const TELLS = new RegExp(
  String.raw`^(?:i|you|he|she|it|we|they|th(?:is|at|ese|ose|ere|e)|an?|my|your|our` +
    String.raw`|why|what|who|how|can|could|did|does|is|are|was|were|has|have|had)(?!\p{L})`,
  'iu',
);

const BE = String.raw`(?:is|are|was|were|has|had|does|did|will|would)(?![\p{L}])`;
const IS = new RegExp(`^${BE}`, 'u');

function isAskedIn(clause: string, name: string): boolean {
  const words = name.split(' ').map((word) => word.replace(/^-+/, ''));
  const said = clause
    .split(/\s+/)
    .map((word) => word.toLowerCase().replace(/^[^\p{L}\d]+|[^\p{L}\d]+$/gu, ''));
  const at = said.findIndex((word) => !words.includes(word));
  const [next, after] = at === -1 ? [] : said.slice(at);
  const has = (word: string): boolean => hasWord(clause, word);
  const isOpen = (word: string): boolean => word === 'now' || STOP_WORDS.has(word);
  const isVerb = (word = ''): boolean =>
    IS.test(word) || (/..(?:[^s]s|ed)$/.test(word) && !isOpen(word));
  // "npm install fails": what a clause begins with is its subject when a verb follows.
  if (words.every(has)) return at === 0 || !(isVerb(next) || isVerb(after));
  // "push it" is an order, "push notifications" none.
  return (
    words[0] === 'git' &&
    words.slice(1).every(has) &&
    at !== 0 &&
    (next === undefined || isOpen(next))
  );
}

/**
 * Whether it has this word, but neither as "the push" nor as "push is …": those tell of it. Of
 * paths one says "the" as well.
 */
function hasWord(clause: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const before = /[./]/.test(word)
    ? ''
    : String.raw`(?<!(?<!\p{L})(?:the|an?|this|that|my|your|our)\s+["'\x60]?)`;
  return new RegExp(
    String.raw`${before}(?<![\w@-])-{0,2}${escaped}(?![\w@-])(?!\S*\s+${BE})`,
    'iu',
  ).test(clause);
}
