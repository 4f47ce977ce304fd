/** What memory would have answered at a failure: the facts by signature and form, as they were known at that instant. Pure. */
import { factsOf } from '../../facts/index.js';
import type { FactEvent } from '../../types.js';
import { grouped, type Witnesses } from './replay.js';

/**
 * A fact tells its cure as soon as its template makes a line of the events until then.
 * @param events of all projects, with their project's id, as they were stored
 */
export function momentsOf(events: readonly (FactEvent & { project: string })[]): Witnesses['toldAtMoment'] {
  const byKey = grouped(events, ({ project, fact, key }) => `${project}\0fact:${fact}:${key}`);
  return (asOf, { project, cures }) =>
    cures.some((key) => {
      const known = (byKey.get(`${project}\0${key}`) ?? []).filter(({ knownAt }) => knownAt <= asOf);
      return factsOf(known).length > 0;
    });
}
