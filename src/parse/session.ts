import type { Entry, SessionFacts } from '../types.js';

/** Everything that one session offers to the extractors. */
export interface SessionInput {
  agent: string;
  session: string;
  facts: SessionFacts;
  /** All entries of the session, in any order. */
  entries: Entry[];
  /** `folders` are absolute; texts and paths are made relative to them. */
  project: { id: string; name: string; folders: string[] };
}

/** Version of the rules in parse/; lessons remember it, a rebuild replaces older ones. */
export const EXTRACTOR_VERSION = 12;

/** Entries in the order of the log. */
export function inOrder(entries: Entry[]): Entry[] {
  return [...entries].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** UTC day of an entry; a log without times has the epoch. */
export function dayOf(entry: { time: string | null }): string {
  return (entry.time ?? '1970-01-01').slice(0, 10);
}

/** A longer silence is a pause: of it only so much counts. */
const LONGEST_GAP_MS = 5 * 60 * 1000;

/**
 * Seconds in which a session was worked in: the gaps between its entries, each counted at most five
 * minutes. From first to last entry it may be days, when it was resumed.
 */
export function activeSeconds(entries: readonly Pick<Entry, 'time'>[]): number {
  const times = entries
    .flatMap(({ time }) => (time === null ? [] : [Date.parse(time)]))
    .sort((a, b) => a - b);
  const ms = times.reduce(
    (sum, time, n) => sum + (n === 0 ? 0 : Math.min(time - times[n - 1]!, LONGEST_GAP_MS)),
    0,
  );
  return Math.round(ms / 1000);
}
