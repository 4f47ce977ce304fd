/** A first prompt that was typed again because the session before it came to nothing is one piece of work. */

import type { Episode } from '../types.js';

/** An episode with its session's newest time and the hash of its first prompt. */
export type Opened = Episode & { newest: string | null; opening: string | null };

const cameToNothing = (e: Episode): boolean =>
  (e.outcome === 'abandoned' || e.outcome === 'unknown') && e.files.length === 0 && e.commits.length === 0;

/** Leaves out aborted starts whose first prompt a later session takes up again; the order stays. */
export function foldAborted<E extends Opened>(episodes: readonly E[]): E[] {
  const latest = new Map<string, string>();
  const timeOf = (e: Opened): string => `${e.newest ?? e.day}\u0000${e.session}`;
  for (const e of episodes) if (e.opening !== null && timeOf(e) > (latest.get(e.opening) ?? '')) latest.set(e.opening, timeOf(e));
  return episodes.filter((e) => e.opening === null || !cameToNothing(e) || timeOf(e) === latest.get(e.opening));
}
