/**
 * Sessions and projects whose learning throws: each is named and left aside, so that one of them never keeps the others from being learnt.
 * What was learnt from it before stays. It is tried again when it grows, with another extractor, and by each run that a person asks for.
 */
import { AppError, messageOf, systemError } from '../errors.js';
import { dropMeta, faultKind, metaValue, passOverSession, setMeta, takeUpSessions, type Db, type PendingSession } from '../store/index.js';
import { counted } from './amounts.js';
import type { Degraded } from './degraded.js';
import type { JobContext } from './job.js';
import { extractorVersion } from './judge-weights.js';
import { maskText } from './mask.js';

interface Passed {
  /** `session`: name is its id and agent says whose; `project`: name is its slug. */
  kind: 'session' | 'project';
  agent: string;
  name: string;
  error: string;
  since: string;
}

const KEY = 'passed_over';
const ERROR_CHARS = 200;
const NAMED = 3;

/** Whether what was thrown lies in the material: a disk, a lock, a damaged file, a stop and a lack of files concern the whole job. */
const isTheirs = (context: Pick<JobContext, 'signal'>, error: unknown): boolean =>
  !context.signal.aborted && !(error instanceof AppError) && systemError(error) === null && faultKind(error) === 'other';

/** Learns the sessions together, and one by one when that throws; those that throw alone are passed over. @returns number of sessions learnt */
export const learnOrPassOver = async (context: JobContext, group: readonly PendingSession[], learn: (group: readonly PendingSession[]) => Promise<void>): Promise<number> => {
  try {
    await learn(group);
    await forgive(context, group.map(({ agent, session }) => ({ kind: 'session', agent, name: session })));
    return group.length;
  } catch (error) {
    if (!isTheirs(context, error)) throw error;
    const [one, ...others] = group;
    if (one !== undefined && others.length === 0) {
      await passOver(context, { kind: 'session', agent: one.agent, name: one.session }, error, (db) => passOverSession(db, one, extractorVersion()));
      return 0;
    }
    let learnt = 0;
    for (const each of group) learnt += await learnOrPassOver(context, [each], learn);
    return learnt;
  }
};

/** Computes the lessons of one project; null when that throws: its lessons and files stay as they are, and the next extraction tries it again. */
export const computeOrPassOver = async <T>(context: JobContext, slug: string, compute: () => Promise<T>): Promise<T | null> => {
  try {
    const result = await compute();
    await forgive(context, [{ kind: 'project', agent: '', name: slug }]);
    return result;
  } catch (error) {
    if (!isTheirs(context, error)) throw error;
    await passOver(context, { kind: 'project', agent: '', name: slug }, error, () => Promise.resolve());
    return null;
  }
};

/** Sessions that were passed over are pending again. */
export const takeUpAgain = ({ store }: JobContext): Promise<void> =>
  store.write(async (db) => {
    const passed = (await loadPassed(db)).filter(({ kind }) => kind === 'session');
    if (passed.length > 0) await takeUpSessions(db, passed.map(({ agent, name }) => ({ agent, session: name })));
  });

const passOver = async (context: JobContext, which: Pick<Passed, 'kind' | 'agent' | 'name'>, cause: unknown, mark: (db: Db) => Promise<unknown>): Promise<void> => {
  // What an engine throws may quote the text that it stumbled over.
  const error = await maskText(context, messageOf(cause).split('\n')[0]!.slice(0, ERROR_CHARS));
  context.log.error({ ...which, error }, 'it could not be learnt from and is passed over');
  await context.store.write(async (db) => {
    const passed = await loadPassed(db);
    const known = passed.find((each) => isSame(each, which));
    await mark(db);
    await save(db, [...passed.filter((each) => each !== known), { ...which, error, since: known?.since ?? context.clock.now().toISOString() }]);
  });
};

const forgive = async ({ store }: JobContext, which: readonly Pick<Passed, 'kind' | 'agent' | 'name'>[]): Promise<void> => {
  const passed = await store.read(loadPassed);
  const left = passed.filter((each) => !which.some((other) => isSame(each, other)));
  if (left.length < passed.length) await store.write((db) => save(db, left));
};

const isSame = (a: Pick<Passed, 'kind' | 'agent' | 'name'>, b: Pick<Passed, 'kind' | 'agent' | 'name'>): boolean => a.kind === b.kind && a.agent === b.agent && a.name === b.name;

const loadPassed = async (db: Db): Promise<Passed[]> => JSON.parse((await metaValue(db, KEY)) ?? '[]') as Passed[];

const save = async (db: Db, passed: readonly Passed[]): Promise<unknown> => (passed.length === 0 ? dropMeta(db, KEY) : setMeta(db, KEY, JSON.stringify(passed)));

/** What was passed over, for `status` and `doctor`. */
export const findPassedOver = async (db: Db): Promise<Degraded[]> => {
  const passed = await loadPassed(db);
  const told = (kind: Passed['kind'], code: string): Degraded[] => {
    const some = passed.filter((each) => each.kind === kind);
    if (some.length === 0) return [];
    const names = some.slice(0, NAMED).map(({ agent, name, error }) => `${name}${agent === '' ? '' : ` (${agent})`}: ${error}`).join('; ');
    return [{ code, since: some[0]!.since, text: `${counted(some.length, kind)} could not be learnt from and ${some.length === 1 ? 'is' : 'are'} passed over: ${names}` }];
  };
  return [...told('session', 'SESSION_UNLEARNT'), ...told('project', 'PROJECT_UNLEARNT')];
};
