/**
 * Sessions and projects whose learning throws, and fact queries that fail: each is named and
 * skipped, so that the others are learnt. What was learnt from it before stays. It is tried again
 * when it grows, with another extractor, and by each run that a person asks for.
 */
import { EXTRACTOR_VERSION } from '../../parse/index.js';
import { AppError, messageOf, systemError } from '../../errors.js';
import {
  dropMeta,
  faultKind,
  metaValue,
  passOverSession,
  projectSizes,
  setMeta,
  takeUpSessions,
  type Db,
  type PendingSession,
} from '../../store/index.js';
import { FACT_NAMES, type FactName, type Project } from '../../types.js';
import type { JobContext } from '../job.js';
import { maskText } from '../upkeep/mask.js';

/** Its lessons, the files that are made of them, its crystal. */
type ProjectStep = 'project' | 'page' | 'crystal';

export interface Passed {
  /**
   * `session`: name is its id and agent says whose; `fact`: name of its kind and slug; the others:
   * a slug, or `global`.
   */
  kind: 'session' | 'fact' | ProjectStep;
  agent: string;
  name: string;
  error: string;
  since: string;
}

const KEY = 'passed_over';
const ERROR_CHARS = 200;

/**
 * Whether the cause is this session or project alone. A full disk, a lock, a damaged file, a stop
 * and a lack of file handles concern the whole job.
 */
function isTheirs(context: Pick<JobContext, 'signal'>, error: unknown): boolean {
  return (
    !context.signal.aborted &&
    !(error instanceof AppError) &&
    systemError(error) === null &&
    faultKind(error) === 'other'
  );
}

/**
 * Learns the sessions together, and one by one when that throws; those that throw alone are
 * skipped.
 * @param learn returns how many of the first it learnt until another job goes first
 * @returns number of sessions learnt
 */
export async function learnOrPassOver(
  context: JobContext,
  group: readonly PendingSession[],
  learn: (group: readonly PendingSession[]) => Promise<number>,
): Promise<number> {
  try {
    const learnt = await learn(group);
    await forgive(
      context,
      group
        .slice(0, learnt)
        .map(({ agent, session }) => ({ kind: 'session', agent, name: session })),
    );
    return learnt;
  } catch (error) {
    if (!isTheirs(context, error)) throw error;
    const [one, ...others] = group;
    if (one !== undefined && others.length === 0) {
      await passOver(
        context,
        { kind: 'session', agent: one.agent, name: one.session },
        error,
        (db) => passOverSession(db, one, EXTRACTOR_VERSION),
      );
      return 0;
    }
    let learnt = 0;
    for (const each of group) {
      learnt += await learnOrPassOver(context, [each], learn);
      if (!(await context.turn())) break;
    }
    return learnt;
  }
}

/** Projects, or null: what is true everywhere, which is alone in its group. */
export type ProjectGroup = readonly (Project | null)[];

/**
 * Planning the statements of a step costs the same for many small projects as for one; their rows
 * wait in memory together.
 */
const TOGETHER = { projects: 50, entries: 4000 };

/** Projects whose step is done together, in the order given. */
export async function inProjectGroups(
  { store }: Pick<JobContext, 'store'>,
  projects: ProjectGroup,
): Promise<ProjectGroup[]> {
  const sizes = projects.length < 2 ? new Map<string, number>() : await store.read(projectSizes);
  const groups: (Project | null)[][] = [];
  let entries = 0;
  for (const project of projects) {
    const last = groups.at(-1);
    const size = sizes.get(project?.id ?? '') ?? 0;
    entries += size;
    if (last?.[0] && last.length < TOGETHER.projects && entries <= TOGETHER.entries)
      last.push(project);
    else {
      groups.push([project]);
      entries = size;
    }
  }
  return groups;
}

/**
 * One step of projects together, and one by one when that throws; null for one that throws alone:
 * its lessons and files stay as they are, and the next run tries it again.
 * @param work gives a result for each
 * @param failed takes what was thrown
 */
export async function stepOrPassOver<T>(
  context: JobContext,
  kind: ProjectStep,
  group: ProjectGroup,
  work: (group: ProjectGroup) => Promise<T[]>,
  failed: (error: unknown) => void = () => {},
): Promise<(T | null)[]> {
  const named = group.map((project) => ({ kind, agent: '', name: project?.slug ?? 'global' }));
  try {
    const results = await work(group);
    await forgive(context, named);
    return results;
  } catch (error) {
    // Files of the home that cannot be read at all show at what is true everywhere.
    const isOfHome = kind === 'project' && group[0] === null;
    if (!isTheirs(context, error) && (isOfHome || !isOfItsFiles(context, error))) throw error;
    const results: (T | null)[] = [];
    if (group.length > 1)
      for (const each of group)
        results.push(...(await stepOrPassOver(context, kind, [each], work, failed)));
    else {
      failed(error);
      await passOver(context, named[0]!, error, () => Promise.resolve());
      results.push(null);
    }
    return results;
  }
}

/**
 * A folder of the project that may not be written, or a file where a folder should be. That the
 * whole home is so shows when no project succeeds.
 */
function isOfItsFiles({ signal }: Pick<JobContext, 'signal'>, error: unknown): boolean {
  return (
    !signal.aborted &&
    !(error instanceof AppError) &&
    systemError(error) === null &&
    ['not-writable', 'no-store'].includes(faultKind(error))
  );
}

/**
 * The same step of several projects, until another job goes first.
 * @param projects by their ids, what is true everywhere first
 * @param from where it gave way before
 * @param others projects that need no step: they count as done
 * @returns what each gave, null for skipped ones; `next`: where it continues. @throws
 * the last error when none succeeded
 */
export async function stepOfAll<T>(
  context: JobContext,
  kind: ProjectStep,
  projects: ProjectGroup,
  work: (group: ProjectGroup) => Promise<T[]>,
  from = '',
  others = 0,
): Promise<{ results: (T | null)[]; next?: { from: string } }> {
  const [results, errors]: [(T | null)[], unknown[]] = [[], []];
  const left = projects.filter((project) => (project?.id ?? '') >= from);
  for (const group of await inProjectGroups(context, left)) {
    if (context.signal.aborted) break;
    // While all fail it continues: it must show that this is so in the whole home.
    if (others + results.length > errors.length && !(await context.turn()))
      return { results, next: { from: group[0]?.id ?? '' } };
    results.push(
      ...(await stepOrPassOver(context, kind, group, work, (error) => errors.push(error))),
    );
  }
  if (from === '' && errors.length > 0 && errors.length === others + results.length)
    throw errors.at(-1);
  return { results };
}

/**
 * Kinds of facts whose query failed for projects: their last events stay. Those that answered again
 * are named no more.
 */
export async function noteFactFaults(
  context: JobContext,
  projects: readonly Pick<Project, 'slug'>[],
  faults: readonly { fact: FactName; error: string }[],
): Promise<void> {
  const named = (fact: FactName) =>
    projects.map(({ slug }) => ({ kind: 'fact' as const, agent: '', name: `${fact} of ${slug}` }));
  for (const { fact, error } of faults)
    for (const which of named(fact))
      await passOver(context, which, new Error(error), () => Promise.resolve());
  await forgive(
    context,
    FACT_NAMES.filter((fact) => !faults.some((fault) => fault.fact === fact)).flatMap(named),
  );
}

/** Skipped sessions are pending again. */
export function takeUpAgain({ store }: JobContext): Promise<void> {
  return store.write(async (db) => {
    const passed = (await loadPassed(db)).filter(({ kind }) => kind === 'session');
    if (passed.length > 0)
      await takeUpSessions(
        db,
        passed.map(({ agent, name }) => ({ agent, session: name })),
      );
  });
}

async function passOver(
  context: JobContext,
  which: Pick<Passed, 'kind' | 'agent' | 'name'>,
  cause: unknown,
  mark: (db: Db) => Promise<unknown>,
): Promise<void> {
  // An engine's error may quote the text that caused it.
  const error = await maskText(context, messageOf(cause).split('\n')[0]!.slice(0, ERROR_CHARS));
  context.log.error({ ...which, error }, 'it throws and is skipped');
  await context.store.write(async (db) => {
    const passed = await loadPassed(db);
    const known = passed.find((each) => isSame(each, which));
    await mark(db);
    await save(db, [
      ...passed.filter((each) => each !== known),
      { ...which, error, since: known?.since ?? context.clock.now().toISOString() },
    ]);
  });
}

async function forgive(
  { store }: JobContext,
  which: readonly Pick<Passed, 'kind' | 'agent' | 'name'>[],
): Promise<void> {
  const passed = await store.read(loadPassed);
  if (passed.length === 0) return;
  const left = passed.filter((each) => !which.some((other) => isSame(each, other)));
  if (left.length < passed.length) await store.write((db) => save(db, left));
}

function isSame(
  a: Pick<Passed, 'kind' | 'agent' | 'name'>,
  b: Pick<Passed, 'kind' | 'agent' | 'name'>,
): boolean {
  return a.kind === b.kind && a.agent === b.agent && a.name === b.name;
}

/** What was skipped, oldest first. */
export async function loadPassed(db: Db): Promise<Passed[]> {
  return JSON.parse((await metaValue(db, KEY)) ?? '[]') as Passed[];
}

async function save(db: Db, passed: readonly Passed[]): Promise<unknown> {
  return passed.length === 0 ? dropMeta(db, KEY) : setMeta(db, KEY, JSON.stringify(passed));
}
