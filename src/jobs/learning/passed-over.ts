/**
 * Records and skips sessions and projects whose learning throws, so that the others are learnt. The
 * earlier lessons stay. A skipped item is tried again when it grows, with a new extractor, and by
 * each run of a person.
 */
import { EXTRACTOR_VERSION } from '../../parse/index.js';
import { AppError, messageOf, systemError } from '../../errors.js';
import {
  faultKind,
  forgetPassed,
  loadPassed,
  passOverSession,
  projectSizes,
  savePassed,
  type PassedKey,
  type PendingSession,
  type ProjectStep,
} from '../../store/index.js';
import type { Project } from '../../types.js';
import { inGroups } from '../in-groups.js';
import type { JobContext } from '../job.js';
import { maskText } from '../upkeep/mask.js';

type Item = PendingSession | Project | null;

const ERROR_CHARS = 200;

function nameOf(kind: PassedKey['kind'], item: Item): PassedKey {
  return item !== null && 'session' in item
    ? { kind, agent: item.agent, name: item.session }
    : { kind, agent: '', name: item?.slug ?? 'global' };
}

/**
 * Whether only these sessions or projects cause the error. A full disk, a lock, a damaged file, a
 * stop and a lack of file handles concern the whole job. So does a file that cannot be written,
 * unless it belongs to a project; if all projects fail, the home cannot be written.
 */
function isTheirs(kind: PassedKey['kind'], of: Item, error: unknown): boolean {
  const fault = faultKind(error);
  // A large project may need more memory than the engine has.
  if (fault === 'memory') return true;
  if (error instanceof AppError || systemError(error) !== null) return false;
  const hasFiles = kind !== 'session' && (kind !== 'project' || of !== null);
  return fault === 'other' || (hasFiles && ['not-writable', 'no-store'].includes(fault));
}

/**
 * Works on all items together. After an error it works on them one by one, and skips each that
 * throws.
 * @param work returns a result for each item, or only for the first ones if another job takes over
 * @param failed receives each error
 * @returns null for each skipped item
 */
export async function eachOrPassOver<I extends Item, T>(
  context: JobContext,
  kind: PassedKey['kind'],
  group: readonly I[],
  work: (group: readonly I[]) => Promise<T[]>,
  failed: (error: unknown) => void = () => {},
): Promise<(T | null)[]> {
  try {
    const results = await work(group);
    const done = group.slice(0, results.length).map((item) => nameOf(kind, item));
    if ((await context.store.read(loadPassed)).length > 0)
      await context.store.write((db) => forgetPassed(db, done));
    return results;
  } catch (error) {
    const [first = null] = group;
    if (context.signal.aborted || !isTheirs(kind, first, error)) throw error;
    if (group.length === 1) {
      failed(error);
      await passOver(context, nameOf(kind, first), first, error);
      return [null];
    }
    const results: (T | null)[] = [];
    for (const each of group)
      results.push(...(await eachOrPassOver(context, kind, [each], work, failed)));
    return results;
  }
}

/** Projects; null stands for the global lessons, which are a group of their own. */
export type ProjectGroup = readonly (Project | null)[];

/** Runs a step for groups of projects, in the given order. */
export async function inProjectGroups(
  { store }: Pick<JobContext, 'store'>,
  projects: ProjectGroup,
): Promise<ProjectGroup[]> {
  const sizes = projects.length < 2 ? new Map<string, number>() : await store.read(projectSizes);
  const rowsOf = (each: Project | null) => (each === null ? Infinity : (sizes.get(each.id) ?? 0));
  return inGroups(projects, (each) => ({ rows: rowsOf(each) }), { items: 50, rows: 4000 });
}

/**
 * Runs a step for several projects, until another job takes over.
 * @param projects in the order of their ids, the global lessons first
 * @param from where the step stopped before
 * @param others number of projects that need no step: they count as done
 * @returns the result of each, null for skipped ones; `next`: where the step continues.
 * @throws the last error if none succeeded
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
    // While every project fails, the step goes on, to find out whether all fail.
    if (others + results.length > errors.length && !(await context.turn()))
      return { results, next: { from: group[0]?.id ?? '' } };
    results.push(
      ...(await eachOrPassOver(context, kind, group, work, (error) => errors.push(error))),
    );
  }
  if (from === '' && errors.length > 0 && errors.length === others + results.length)
    throw errors.at(-1);
  return { results };
}

async function passOver(
  context: JobContext,
  key: PassedKey,
  item: Item,
  cause: unknown,
): Promise<void> {
  const { store, log, clock } = context;
  // An engine's error may quote the text that caused it.
  const error = await maskText(context, messageOf(cause).split('\n')[0]!.slice(0, ERROR_CHARS));
  log.error({ ...key, error }, 'it throws and is skipped');
  await store.write(async (db) => {
    if (item !== null && 'session' in item) await passOverSession(db, item, EXTRACTOR_VERSION);
    await savePassed(db, { ...key, error, since: clock.now().toISOString() });
  });
}
