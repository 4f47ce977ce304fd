/** Guards: rules that the person wants checked before each command and edit. */
import { existsSync, readFileSync } from 'node:fs';
import { loadConfig, type Config, type HomePaths } from '../../config.js';
import { editConfig, withOption } from '../../config-file.js';
import { neutralise } from '../../context/index.js';
import { publishFile } from '../../store/index.js';
import type { Clock, Lesson, FactFields, StepAhead } from '../../types.js';
import { str } from './names.js';
import { list, parse } from '../../text/fields.js';

/** Guards by the id of their rule. */
export type Guards = Config['hooks']['guard'];

/**
 * The present guards of config.yaml without those that are off in this session; read each time, so
 * that a change applies to the next command. None if config.yaml is broken.
 * @param session the agent's own id
 */
export function guardsIn(paths: Pick<HomePaths, 'config' | 'guardsOff'>, session: string): Guards {
  try {
    const off = new Set(
      guardsOff(paths).flatMap((each) => (each.session === session ? [each.rule] : [])),
    );
    return Object.fromEntries(
      Object.entries(loadConfig(paths.config).hooks.guard).filter(([rule]) => !off.has(rule)),
    );
  } catch {
    return {};
  }
}

/** A guard that is off in one session. */
interface GuardOff {
  agent: string;
  session: string;
  rule: string;
}

function guardsOff({ guardsOff: path }: Pick<HomePaths, 'guardsOff'>): GuardOff[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').flatMap(offIn) : [];
}

/** A broken line switches nothing off; the next write removes it. */
function offIn(line: string): GuardOff[] {
  const { agent, session, rule } = parse(line);
  const isOff =
    typeof agent === 'string' && typeof session === 'string' && typeof rule === 'string';
  return isOff ? [{ agent, session, rule }] : [];
}

/** Switches guards off in a session; one line each, since purge removes lines by session. */
export async function switchOffIn(
  paths: Pick<HomePaths, 'guardsOff'>,
  { agent, session }: Pick<GuardOff, 'agent' | 'session'>,
  rules: readonly string[],
): Promise<void> {
  await writeOff(paths, [...guardsOff(paths), ...rules.map((rule) => ({ agent, session, rule }))]);
}

/** The setting with the guards. */
export const GUARDS = ['hooks', 'guard'];

/** Guards a rule in every session. */
export async function guardRule(
  paths: HomePaths,
  clock: Clock,
  rule: string,
  guard: 'warn' | 'deny',
): Promise<Config> {
  const config = await editConfig(paths, clock, (text) =>
    withOption(text, [...GUARDS, rule], guard),
  );
  await switchOnAgain(paths, rule);
  return config;
}

async function switchOnAgain(paths: Pick<HomePaths, 'guardsOff'>, rule: string): Promise<void> {
  const off = guardsOff(paths);
  if (off.some((each) => each.rule === rule))
    await writeOff(
      paths,
      off.filter((each) => each.rule !== rule),
    );
}

async function writeOff(
  { guardsOff: path }: Pick<HomePaths, 'guardsOff'>,
  off: readonly GuardOff[],
): Promise<void> {
  await publishFile(path, [...new Set(off.map((each) => `${JSON.stringify(each)}\n`))].join(''));
}

interface GuardAnswer {
  deny: boolean;
  /** Ids of the rules. */
  rules: string[];
  text: string;
}

/**
 * The warnings and refusals of guards for a command or an edit. Pure.
 * @param lessons of the project and the person
 */
export function guardsMet(
  lessons: readonly Lesson[],
  guards: Guards,
  ahead: Ahead,
): GuardAnswer | null {
  const guarded = lessons.filter(({ id }) => Object.hasOwn(guards, id));
  const broken = brokenHere(guarded, ahead);
  if (broken.length === 0) return null;
  const isDenied = ({ id }: Lesson): boolean => guards[id] === 'deny';
  const deny = broken.some(isDenied);
  const lines = broken.map((each) => {
    const quoted = `${neutralise(each.text)} (id ${each.id.slice(0, 10)})`;
    return isDenied(each)
      ? `- Refused by a rule of the user: ${quoted}. ${ONLY_THE_USER}`
      : `- This breaks a rule of the user: ${quoted}`;
  });
  return { deny, rules: broken.map(({ id }) => id), text: lines.join('\n') };
}

const ONLY_THE_USER =
  'Do not look for a way around it; only the user can lift it, with ' +
  '`dripstone rules guard off --session` in a terminal of theirs.';

// Finds the rules of the person that a command or an edit would break: for guards and moments.

interface Ahead {
  /** The steps of the next command. */
  steps: readonly StepAhead[];
  /** The file of the next edit, below the project's root. */
  file: string | null;
}

/** The lessons that are rules of the person and that a command or edit would break. */
export function brokenHere<L extends Lesson>(lessons: readonly L[], { steps, file }: Ahead): L[] {
  return lessons.filter((lesson) => isBroken(lesson, steps, file));
}

function isBroken(
  { said_by, fields }: Lesson,
  steps: readonly StepAhead[],
  file: string | null,
): boolean {
  if (said_by !== 'user' || fields?.['polarity'] !== 'never') return false;
  const instead = str(fields, 'instead');
  return (
    listIn(fields, 'commands').some((command) =>
      steps.some((step) => breaksCommand(step, command, instead)),
    ) ||
    (file !== null && listIn(fields, 'paths').some((path) => breaksPath(file, path)))
  );
}

function listIn(fields: FactFields, name: string): readonly string[] {
  return list(fields[name]) as string[];
}

// Repeats facts/breaks.sql in code, since a guard must not wait for the database; a test compares
// both.

const SHOWS = setOf('--help -h help --version --dry-run --dry_run --whatif');
const DRY_WITH_N = setOf('push clean add rm mv fetch');
const LOOKS = setOf(
  'list ls show view info status search outdated config whoami version why log diff pop apply drop',
);

/**
 * Like `does_work` and `breaks_command`.
 * @param instead '' for none
 */
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

/** Like `breaks_path`: in a rule's path only `*` is special, and matches folders, too. */
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
