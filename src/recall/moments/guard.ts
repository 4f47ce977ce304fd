/** Guards: rules that the person wants checked before each command and edit. */
import { existsSync, readFileSync } from 'node:fs';
import { loadConfig, type Config, type HomePaths } from '../../config.js';
import { neutralise } from '../../context/index.js';
import { ruleOf, splitSentences, wishOf } from '../../parse/index.js';
import { brokenAhead, publishFile, typedIn, type BrokenAhead, type Db } from '../../store/index.js';
import { typedText } from '../../text/typed-lines.js';
import type { StepAhead } from '../../types.js';

/** By the id of the rule. */
export type Guards = Config['hooks']['guard'];

/**
 * As config.yaml has them at this moment, without those that are off in this session: what the person switched off is off at the
 * next command. None when config.yaml is broken.
 * @param session the agent's own id
 */
export function guardsIn(paths: Pick<HomePaths, 'config' | 'guardsOff'>, session: string): Guards {
  try {
    const off = new Set(guardsOff(paths).flatMap((each) => (each.session === session ? [each.rule] : [])));
    return Object.fromEntries(Object.entries(loadConfig(paths.config).hooks.guard).filter(([rule]) => !off.has(rule)));
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

/** A line that a crash or a hand broke switches nothing off and stops no other; the next write leaves it out. */
function offIn(line: string): GuardOff[] {
  try {
    const { agent, session, rule } = JSON.parse(line) as Partial<Record<keyof GuardOff, unknown>>;
    const isOff = typeof agent === 'string' && typeof session === 'string' && typeof rule === 'string';
    return isOff ? [{ agent, session, rule }] : [];
  } catch {
    return [];
  }
}

/** Switches guards off in a session; one line each, since purge takes out lines by their session. */
export async function switchOffIn(
  paths: Pick<HomePaths, 'guardsOff'>,
  { agent, session }: Pick<GuardOff, 'agent' | 'session'>,
  rules: readonly string[],
): Promise<void> {
  await writeOff(paths, [...guardsOff(paths), ...rules.map((rule) => ({ agent, session, rule }))]);
}

/** A guard that is set anew speaks in every session. */
export async function switchOnAgain(paths: Pick<HomePaths, 'guardsOff'>, rule: string): Promise<void> {
  const off = guardsOff(paths);
  if (off.some((each) => each.rule === rule))
    await writeOff(
      paths,
      off.filter((each) => each.rule !== rule),
    );
}

async function writeOff({ guardsOff: path }: Pick<HomePaths, 'guardsOff'>, off: readonly GuardOff[]): Promise<void> {
  await publishFile(path, [...new Set(off.map((each) => `${JSON.stringify(each)}\n`))].join(''));
}

interface Ahead {
  /** Project id; null: every project. */
  project: string | null;
  /** The agent's own id; null: of no session. */
  session: string | null;
  /** Of the command that is about to run. */
  steps: readonly StepAhead[];
  /** The file that is about to be edited, below the project's root. */
  file: string | null;
}

export interface GuardAnswer {
  deny: boolean;
  /** Ids of the rules. */
  rules: string[];
  text: string;
}

/** What the guards say about a command or an edit; while nothing that the person typed is known, nothing is refused. */
export async function guardsMet(db: Db, guards: Guards, ahead: Ahead): Promise<GuardAnswer | null> {
  const { broken, isTyped } = await brokenHere(db, Object.keys(guards), ahead);
  return guardAnswer(broken, guards, isTyped);
}

/**
 * Those of these rules that a command or an edit would break. A rule is off in a session in which the person asked for what it
 * forbids.
 * @returns isTyped: whether anything that they typed there is known
 */
export async function brokenHere(
  db: Db,
  rules: string[],
  { session, ...ahead }: Ahead,
): Promise<{ broken: BrokenAhead[]; isTyped: boolean }> {
  const broken = await brokenAhead(db, { ...ahead, rules });
  if (broken.length === 0 || session === null) return { broken, isTyped: false };
  const typed = (await typedIn(db, [session])).get(session) ?? [];
  return { broken: broken.filter(({ names }) => !isAskedFor(typed, names)), isTyped: typed.length > 0 };
}

/** @param mayDeny false: rules that would deny only warn. Pure. */
function guardAnswer(broken: readonly BrokenAhead[], guards: Guards, mayDeny: boolean): GuardAnswer | null {
  if (broken.length === 0) return null;
  const isDenied = ({ rule }: BrokenAhead): boolean => mayDeny && guards[rule] === 'deny';
  const deny = broken.some(isDenied);
  const lines = broken.map((each) => {
    const said = `${neutralise(each.text)} (id ${each.rule.slice(0, 10)})`;
    return isDenied(each)
      ? `- Refused by a rule of the user: ${said}. Do not look for a way around it; only the user can allow it, by asking for it.`
      : `- This breaks a rule of the user: ${said}`;
  });
  return { deny, rules: broken.map(({ rule }) => rule), text: lines.join('\n') };
}

/**
 * Whether a person asked for one of these commands or paths: a sentence of theirs has each of its words (of a flag without its
 * dashes; `git` may be left out). A sentence that says a rule or a wish is no permission. Pure.
 * @param typed texts of prompts
 */
export function isAskedFor(typed: readonly string[], names: readonly string[]): boolean {
  const sentences = typed
    .flatMap((text) => splitSentences(typedText(text)))
    .filter((sentence) => ruleOf(sentence) === null && wishOf(sentence) === null);
  return sentences.some((sentence) => names.some((name) => wordsOf(name).every((word) => hasWord(sentence, word))));
}

function wordsOf(name: string): string[] {
  const words = name.split(' ').map((word) => word.replace(/^-+/, ''));
  return words[0] === 'git' && words.length > 1 ? words.slice(1) : words;
}

function hasWord(sentence: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(String.raw`(?<![\w@-])${escaped}(?![\w@-])`, 'iu').test(sentence);
}
