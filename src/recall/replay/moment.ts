/** What memory would have answered at a failure, as it was at that instant. */
import { factsOf } from '../../facts/index.js';
import type { Db, RepeatRow } from '../../store/index.js';
import type { FactEvent } from '../../types.js';
import { followedThen } from '../moments/followed.js';
import { grouped, type Failure, type Witnesses } from './replay.js';

/**
 * A fact tells its cure as soon as its template makes a line of the events until then. Pure.
 * @param events of all projects, with their project's id, as they were stored
 * @param followed failures at which recall tells what an earlier session did next, by {@link
 * failureKey}
 */
export function momentsOf(
  events: readonly (FactEvent & { project: string })[],
  followed: ReadonlySet<string> = new Set(),
): Witnesses['toldAtMoment'] {
  const byKey = grouped(events, ({ project, fact, key }) => `${project}\0fact:${fact}:${key}`);
  return (asOf, failure) =>
    followed.has(failureKey(failure)) ||
    failure.cures.some((key) => {
      const known = (byKey.get(`${failure.project}\0${key}`) ?? []).filter(
        ({ knownAt }) => knownAt <= asOf,
      );
      return factsOf(known).length > 0;
    });
}

/** Failures of errors that an earlier session got past, at which recall tells how. */
export async function followedOf(db: Db, rows: readonly RepeatRow[]): Promise<Set<string>> {
  const asked = rows.flatMap(({ command, error, wasCured, ...row }) =>
    wasCured && command !== null && error !== null ? [{ ...row, command, error }] : [],
  );
  return new Set((await followedThen(db, asked)).map(failureKey));
}

function failureKey({ project, entry, form }: Omit<Failure, 'cures'>): string {
  return [project, entry, form].join('\0');
}
