/**
 * Decides which entries of a batch are new, and their revisions, so that reading a log again adds
 * nothing. Pure.
 */
import { sessionKey, type Origin, type PreparedEntry } from '../../types.js';

/** One stored row of an entry id. */
export interface KnownRow {
  id: string;
  rev: number;
  hash: string;
  origin: Origin;
  n: number;
  /** Terms in its text, with repeats. */
  length: number;
  /** Another version of the entry counts. */
  superseded: boolean;
  agent: string;
  session: string;
  /** The row's session repeats the entry from another session. */
  copied: boolean;
}

interface Addition {
  entry: PreparedEntry;
  n: number;
  rev: number;
}

export interface Additions {
  rows: Addition[];
  /** n of rows that another version replaces. */
  superseded: number[];
  /** Known entries that occur in another session than the stored one. */
  copies: { entry: PreparedEntry; n: number }[];
  /** Sessions with a copied entry whose other session is found only now; learnt again. */
  outdated: Pick<KnownRow, 'agent' | 'session' | 'n'>[];
  added: number;
  revised: number;
  known: number;
  /** The first unused number. */
  nextN: number;
}

type Place = Pick<KnownRow, 'agent' | 'session' | 'copied'>;

type Version = Pick<KnownRow, 'hash' | 'length' | 'agent' | 'session' | 'origin'>;

interface KnownEntry {
  rev: number;
  n: number;
  /** The version that counts. */
  current: Version;
  hashes: Set<string>;
  /** Every known place of the entry, by `agent\0session`. */
  places: Map<string, Place>;
}

/**
 * An entry is known if its hash is stored under any rev of its id; with another hash it gets the
 * next rev. Purged ids are never stored again.
 *
 * @param known stored rows of the batch's ids
 * @param copied stored copies of the batch's ids
 * @param purged ids that a person had removed
 * @param nextN first free running number
 */
export function planAdditions(
  entries: PreparedEntry[],
  known: KnownRow[],
  copied: readonly (Place & { id: string })[],
  purged: ReadonlySet<string>,
  nextN: number,
): Additions {
  const states = statesOf(known, copied);
  const plan: Additions = {
    rows: [],
    superseded: [],
    copies: [],
    outdated: [],
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
      states.set(entry.id, {
        rev: 1,
        n,
        current: entry,
        hashes: new Set([entry.hash]),
        places: new Map([[place, entry]]),
      });
      continue;
    }
    const isOther = isOthers(entry, state);
    if (state.hashes.has(entry.hash) && !isOther) plan.known++;
    else {
      const n = plan.nextN++;
      plan.rows.push({ entry, n, rev: ++state.rev });
      plan.revised++;
      state.hashes.add(entry.hash);
      if (!isOther && isLess(entry, state)) plan.superseded.push(n);
      else {
        plan.superseded.push(state.n);
        Object.assign(state, { n, current: entry });
      }
    }
    if (!state.places.has(place)) {
      const n = plan.nextN++;
      plan.copies.push({ entry, n });
      for (const { agent, session, copied: isCopied } of state.places.values())
        if (isCopied) plan.outdated.push({ agent, session, n });
      state.places.set(place, entry);
    }
  }
  return plan;
}

/**
 * Whether a prompt's author changed between the person and somebody else, because the log became
 * foreign or no longer is. The newest reading counts.
 */
function isOthers(entry: PreparedEntry, { current }: KnownEntry): boolean {
  const isForeign = (each: Origin): boolean => each === 'external';
  return entry.role === 'user' && isForeign(entry.origin) !== isForeign(current.origin);
}

/**
 * Whether the stored version from another session counts. Within one session the newest reading
 * counts; among several sessions the longest text, then the higher hash, so that the order of
 * reading does not matter.
 */
function isLess(entry: PreparedEntry, { current }: KnownEntry): boolean {
  if (sessionKey(entry.agent, entry.session) === sessionKey(current.agent, current.session))
    return false;
  return (entry.length - current.length || (entry.hash < current.hash ? -1 : 1)) < 0;
}

function statesOf(
  known: KnownRow[],
  copied: readonly (Place & { id: string })[],
): Map<string, KnownEntry> {
  const states = new Map<string, KnownEntry>();
  for (const row of known) {
    const { id, n } = row;
    const state = states.get(id) ?? {
      rev: 0,
      n,
      current: row,
      hashes: new Set(),
      places: new Map(),
    };
    state.rev = Math.max(state.rev, row.rev);
    if (!row.superseded) Object.assign(state, { n, current: row });
    state.hashes.add(row.hash);
    state.places.set(sessionKey(row.agent, row.session), row);
    states.set(row.id, state);
  }
  for (const copy of copied)
    states.get(copy.id)?.places.set(sessionKey(copy.agent, copy.session), copy);
  return states;
}
