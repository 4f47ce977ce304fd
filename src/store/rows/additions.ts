/**
 * Which entries of a batch are new, and under which revision. Pure; this makes reading a log again
 * harmless.
 */
import { sessionKey, type Origin, type PreparedEntry } from '../../types.js';

/** One stored row of an entry id. */
export interface KnownRow {
  id: string;
  rev: number;
  hash: string;
  origin: Origin;
  n: number;
  agent: string;
  session: string;
}

interface Addition {
  entry: PreparedEntry;
  n: number;
  rev: number;
}

export interface Additions {
  rows: Addition[];
  /** n of rows that a higher rev replaces. */
  superseded: number[];
  /** Known entries that occur in another session than the stored one. */
  copies: { entry: PreparedEntry; n: number }[];
  added: number;
  revised: number;
  known: number;
  /** First number that was not used. */
  nextN: number;
}

interface KnownEntry {
  rev: number;
  n: number;
  origin: Origin;
  hashes: Set<string>;
  /** `agent\0session` of every place where the entry is known already. */
  places: Set<string>;
}

/**
 * An id with a hash that is stored under any rev is known; with another hash it gets the next rev;
 * purged ids never come back.
 *
 * @param known stored rows of the batch's ids
 * @param copied stored copies of the batch's ids
 * @param purged ids that a person had removed
 * @param nextN first free running number
 */
export function planAdditions(
  entries: PreparedEntry[],
  known: KnownRow[],
  copied: { id: string; agent: string; session: string }[],
  purged: ReadonlySet<string>,
  nextN: number,
): Additions {
  const states = statesOf(known, copied);
  const plan: Additions = {
    rows: [],
    superseded: [],
    copies: [],
    added: 0,
    revised: 0,
    known: 0,
    nextN,
  };
  for (const entry of entries) {
    if (purged.has(entry.id)) {
      plan.known++;
      continue;
    }
    const state = states.get(entry.id);
    const place = sessionKey(entry.agent, entry.session);
    if (!state) {
      const n = plan.nextN++;
      plan.rows.push({ entry, n, rev: 1 });
      plan.added++;
      const { origin, hash } = entry;
      states.set(entry.id, {
        rev: 1,
        n,
        origin,
        hashes: new Set([hash]),
        places: new Set([place]),
      });
      continue;
    }
    if (state.hashes.has(entry.hash) && !isOthers(entry, state)) plan.known++;
    else {
      const n = plan.nextN++;
      plan.superseded.push(state.n);
      plan.rows.push({ entry, n, rev: ++state.rev });
      plan.revised++;
      Object.assign(state, { n, origin: entry.origin });
      state.hashes.add(entry.hash);
    }
    if (!state.places.has(place)) {
      plan.copies.push({ entry, n: plan.nextN++ });
      state.places.add(place);
    }
  }
  return plan;
}

/**
 * Whether a prompt is another's now: the person's before the log was called foreign, or the other
 * way round. The newest reading counts.
 */
function isOthers(entry: PreparedEntry, { origin }: KnownEntry): boolean {
  const isForeign = (each: Origin): boolean => each === 'external';
  return entry.role === 'user' && isForeign(entry.origin) !== isForeign(origin);
}

function statesOf(
  known: KnownRow[],
  copied: { id: string; agent: string; session: string }[],
): Map<string, KnownEntry> {
  const states = new Map<string, KnownEntry>();
  for (const row of known) {
    const { id, rev, n, origin } = row;
    const state = states.get(id) ?? { rev: 0, n, origin, hashes: new Set(), places: new Set() };
    if (rev > state.rev) Object.assign(state, { rev, n, origin });
    state.hashes.add(row.hash);
    state.places.add(sessionKey(row.agent, row.session));
    states.set(row.id, state);
  }
  for (const { id, agent, session } of copied)
    states.get(id)?.places.add(sessionKey(agent, session));
  return states;
}
