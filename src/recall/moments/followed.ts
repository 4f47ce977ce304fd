/**
 * What earlier sessions did next after the same error: at a moment now, and at the failures of a
 * history.
 */
import {
  aftermathOf,
  failuresLike,
  failuresOf,
  type Aftermath,
  type Db,
} from '../../store/index.js';
import { untilThen, whatFollowed } from './aftermath.js';
import { withoutTaint } from './clean.js';
import type { Moment, RecallItem } from './moment.js';

/** Earlier failures that are looked at, newest first. */
const SAME_ERRORS = 8;

/**
 * What the newest session that got past this error did next: one item, or none. @param asOf ISO
 * 8601: nothing later is used
 */
export async function followedBefore(
  db: Db,
  moment: Moment,
  errors: readonly string[],
  asOf?: string,
): Promise<RecallItem[]> {
  if (errors.length === 0) return [];
  const reach = {
    project: moment.project,
    session: moment.session,
    ...(asOf === undefined ? {} : { asOf }),
  };
  for (const failure of await failuresLike(db, errors, reach, SAME_ERRORS)) {
    const told = whatFollowed(
      failure,
      untilThen(await aftermathOf(db, failure), asOf),
      moment.text,
      errors[0]!,
    );
    const { id, agent, session, time } = failure;
    if (told !== null)
      return [{ kind: 'entry', id, ...told, day: time?.slice(0, 10) ?? null, agent, session }];
  }
  return [];
}

/** A failure of the person's history. */
export interface PastFailure {
  project: string;
  session: string;
  command: string;
  /** Its signature. */
  error: string;
  /** ISO 8601 UTC. */
  time: string;
}

/**
 * Those of a history's failures at which recall would have told what an earlier session did next,
 * as memory was then. The earlier failures come by one query, and what followed each is read once:
 * one question a failure took 9 ms where nothing was found.
 */
export async function followedThen<F extends PastFailure>(
  db: Db,
  failures: readonly F[],
): Promise<F[]> {
  const known = await failuresOf(db, failures);
  const after = new Map<string, Aftermath>();
  const told: F[] = [];
  for (const one of failures) {
    const earlier = known.filter(
      ({ project, error, session, time }) =>
        project === one.project &&
        error === one.error &&
        session !== one.session &&
        time !== null &&
        time < one.time,
    );
    for (const failure of earlier.slice(0, SAME_ERRORS)) {
      if (!after.has(failure.id)) after.set(failure.id, await aftermathOf(db, failure));
      const text = whatFollowed(
        failure,
        untilThen(after.get(failure.id)!, one.time),
        one.command,
        one.error,
      )?.text;
      if (text === undefined) continue;
      if (await isClean(db, { ...failure, text })) told.push(one);
      break;
    }
  }
  return told;
}

async function isClean(
  db: Db,
  item: Pick<RecallItem, 'id' | 'agent' | 'session' | 'path' | 'line' | 'text'>,
) {
  const known = { exact: [{ ...item, kind: 'entry' as const, day: null }], ranked: [], seen: 0 };
  return (await withoutTaint(db, known)).exact.length > 0;
}
