/** Guards: rules that the person wants checked before each command and edit. */
import { existsSync, readFileSync } from 'node:fs';
import { loadConfig, type Config, type HomePaths } from '../../config.js';
import { neutralise } from '../../context/index.js';
import { publishFile } from '../../store/index.js';
import type { Lesson } from '../../types.js';
import { brokenHere, type Ahead } from './broken.js';

/** By the id of the rule. */
export type Guards = Config['hooks']['guard'];

/**
 * As config.yaml has them at this moment, without those that are off in this session: what the
 * person switched off is off at the next command. None when config.yaml is broken.
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

/**
 * A line that a crash or a hand broke switches nothing off and stops no other; the next write
 * leaves it out.
 */
function offIn(line: string): GuardOff[] {
  try {
    const { agent, session, rule } = JSON.parse(line) as Partial<Record<keyof GuardOff, unknown>>;
    const isOff =
      typeof agent === 'string' && typeof session === 'string' && typeof rule === 'string';
    return isOff ? [{ agent, session, rule }] : [];
  } catch {
    return [];
  }
}

/**
 * Switches guards off in a session; one line each, since purge takes out lines by their session.
 */
export async function switchOffIn(
  paths: Pick<HomePaths, 'guardsOff'>,
  { agent, session }: Pick<GuardOff, 'agent' | 'session'>,
  rules: readonly string[],
): Promise<void> {
  await writeOff(paths, [...guardsOff(paths), ...rules.map((rule) => ({ agent, session, rule }))]);
}

/** A guard that is set anew speaks in every session. */
export async function switchOnAgain(
  paths: Pick<HomePaths, 'guardsOff'>,
  rule: string,
): Promise<void> {
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

export interface GuardAnswer {
  deny: boolean;
  /** Ids of the rules. */
  rules: string[];
  text: string;
}

/**
 * What the guards say about a command or an edit. Pure.
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
    const said = `${neutralise(each.text)} (id ${each.id.slice(0, 10)})`;
    return isDenied(each)
      ? `- Refused by a rule of the user: ${said}. ${ONLY_THE_USER}`
      : `- This breaks a rule of the user: ${said}`;
  });
  return { deny, rules: broken.map(({ id }) => id), text: lines.join('\n') };
}

const ONLY_THE_USER =
  'Do not look for a way around it; only the user can lift it, with ' +
  '`dripstone rules guard off --session` in a terminal of theirs.';
