import { type Db, columnsOf, first } from '../db.js';
import type { EntryFilter } from './entry-filter.js';
import { fetchRanked, type RankedHit } from './search-words.js';
import { textsOf } from '../rows/texts.js';
import { cosineOf, nearestBits, signColumns } from './near-bits.js';
import { readStates, type Signs } from './token-states.js';
import { settleLength } from './vector-model.js';

type VectorOwner = 'entry' | 'lesson';

/** A text without a vector of this fingerprint. */
export interface MissingVector {
  owner: VectorOwner;
  id: string;
  rev: number;
  text: string;
}

/** One part of a text with its vector of unit length; `vector` null: nothing to embed. */
export interface VectorRow {
  owner: VectorOwner;
  id: string;
  rev: number;
  fingerprint: string;
  part: number;
  text: string | null;
  vector: Float32Array | null;
  /** The part's place in vectors.bin. */
  states?: number | null;
}

/**
 * Only roles with prose; calls and results are found by words. Numbers are faster than ids, but
 * older stores have no number for texts with nothing to embed.
 */
const MISSING = `
  SELECT 'lesson' AS owner, l.id, 1 AS rev, l.text, 0 AS place, 0 AS n, 0 AS length
    FROM own.lessons l
  WHERE l.status = 'live'
    AND NOT EXISTS (FROM own.vectors v WHERE v.owner = 'lesson' AND v.id = l.id AND v.fingerprint = $fingerprint
      AND v.text = l.text)
  UNION ALL
  SELECT 'entry', e.id, e.rev, NULL, CASE e.origin WHEN 'user' THEN 1 ELSE 2 END, -e.n, e.length
  FROM own.entries e WHERE e.role IN ('user', 'assistant') AND e.origin <> 'injected'
    AND NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)
    AND e.n NOT IN (SELECT v.n FROM own.vectors v WHERE v.n IS NOT NULL AND v.fingerprint = $fingerprint)
    AND NOT EXISTS (FROM own.vectors v WHERE v.owner = 'entry' AND v.n IS NULL AND v.id = e.id AND v.rev = e.rev
      AND v.fingerprint = $fingerprint)`;

/**
 * Texts without a vector of this model: lessons, then texts of the user, then the newest. Request
 * some hundreds at once.
 */
export async function missingVectors(
  db: Db,
  fingerprint: string,
  limit: number,
): Promise<MissingVector[]> {
  const rows = await db.all<MissingVector & { n: number; length: number }>(
    `SELECT owner, id, rev, text, n, length FROM (${MISSING}) ORDER BY place, n, id LIMIT $limit`,
    { fingerprint, limit },
  );
  const texts = await textsOf(
    db,
    rows.filter(({ owner }) => owner === 'entry').map(({ n, length }) => ({ n: -n, length })),
  );
  return rows.map(({ n, length: _, ...row }) =>
    row.owner === 'entry' ? { ...row, text: texts.get(-n) ?? '' } : row,
  );
}

export async function countMissing(db: Db, fingerprint: string): Promise<number> {
  return (
    (
      await first<{ count: number }>(db, `SELECT count(*) AS count FROM (${MISSING})`, {
        fingerprint,
      })
    )?.count ?? 0
  );
}

/** Stores vectors of one length; replaces all parts of a text together. */
export async function saveVectors(db: Db, rows: VectorRow[]): Promise<void> {
  if (rows.length === 0) return;
  const made = rows.find(({ vector }) => vector !== null);
  const length = made?.vector?.length ?? null;
  if (made !== undefined && length !== null) await settleLength(db, made.fingerprint, length);
  await db.run(
    `DELETE FROM own.vectors v USING (SELECT unnest($owners) AS owner, unnest($ids) AS id, unnest($fingerprints) AS fingerprint) n
     WHERE v.owner = n.owner AND v.id = n.id AND v.fingerprint = n.fingerprint`,
    {
      owners: rows.map((r) => r.owner),
      ids: rows.map((r) => r.id),
      fingerprints: rows.map((r) => r.fingerprint),
    },
  );
  const placed = rows.map(({ states = null, ...row }) => ({
    ...row,
    states: states === null ? null : BigInt(states),
  }));
  const { vector, ...others } = columnsOf(
    placed,
    'owner',
    'id',
    'rev',
    'fingerprint',
    'part',
    'text',
    'vector',
    'states',
  );
  await db.append('own.vectors', {
    ...others,
    vector: vector!,
    ...(await signColumns(db, rows, length)),
  });
}

interface VectorQuery extends EntryFilter {
  vector: Float32Array;
  fingerprint: string;
  limit: number;
  /** File with the states of tokens. */
  states: string;
}

/** One of the nearest windows, with its entry and the signs of its tokens. */
interface NearWindow {
  n: number;
  row: number;
  /** Null: none are stored, or many windows are nearer. */
  signs: Signs | null;
}

/** Entries best first, and the windows nearest to the query, best first. */
export interface NearEntries {
  hits: RankedHit[];
  windows: NearWindow[];
}

/**
 * Parts to fetch for each requested entry, since most of the nearest entries have two or three near
 * parts.
 */
const PARTS_PER_HIT = 4;

/**
 * Entries by the cosine of their best part, without texts; ties by number. `score` is the cosine
 * from the signs of the window's tokens, or of its vector if no tokens are stored.
 */
export async function nearEntries(db: Db, query: VectorQuery): Promise<NearEntries> {
  const { limit } = query;
  for (let wanted = limit * PARTS_PER_HIT; ; wanted *= 8) {
    const { windows, isWhole } = await nearWindows(db, query, wanted);
    const bests = bestOfEach(windows);
    if (bests.length < limit && !isWhole) continue;
    const rowOf = new Map(bests.map(({ n, row }) => [n, row]));
    const found = await fetchRanked(db, bests.slice(0, limit), limit);
    const hits = found.map((hit) => ({ ...hit, part: rowOf.get(hit.n)!, cosine: hit.score }));
    return { hits, windows };
  }
}

interface ScoredWindow extends NearWindow {
  score: number;
}

/** Number of nearest windows to compare by their tokens; the others follow. */
const COMPARED = 400;

/**
 * Windows by their signs, best first.
 * @returns `isWhole`: there are no more windows
 */
async function nearWindows(
  db: Db,
  query: VectorQuery,
  wanted: number,
): Promise<{ windows: ScoredWindow[]; isWhole: boolean }> {
  const { vector, states, ...asked } = query;
  const near = await nearestBits(db, { ...asked, vector, limit: wanted });
  const current = near.flatMap(({ n, ...each }) => (n === null ? [] : [{ ...each, n }]));
  const places = current.slice(0, COMPARED).flatMap(({ place }) => (place > 0 ? [place] : []));
  const known = await readStates(db, states, places);
  const cosines = new Map([...known].map(([place, signs]) => [place, cosineOf(vector, signs)]));
  const least = Math.min(1, ...cosines.values());
  const windows = current.map(({ n, row, place, estimate }) => ({
    ...{ n, row, signs: known.get(place) ?? null },
    score: rounded(cosines.get(place) ?? Math.min(estimate, least)),
  }));
  windows.sort((a, b) => b.score - a.score || a.n - b.n || a.row - b.row);
  return { windows, isWhole: near.length < wanted };
}

/** Texts of these parts, by entry number; call it in the transaction that found them. */
export async function passagesOf(
  db: Db,
  hits: readonly Pick<RankedHit, 'n' | 'part'>[],
): Promise<Map<number, string>> {
  const rows = hits.flatMap(({ part }) => (part === null ? [] : [BigInt(part)]));
  if (rows.length === 0) return new Map();
  const found = await db.all<{ n: number; text: string }>(
    `SELECT n, text FROM own.vectors WHERE rowid IN (${rows.join(', ')}) AND text IS NOT NULL`,
  );
  return new Map(found.map(({ n, text }) => [n, text]));
}

/** Rounds, so that the last bits of a float do not order equal texts. */
function rounded(cosine: number): number {
  return Math.round(cosine * 1e6) / 1e6;
}

function bestOfEach(windows: readonly ScoredWindow[]): ScoredWindow[] {
  const bests = new Map<number, ScoredWindow>();
  for (const each of windows) if (!bests.has(each.n)) bests.set(each.n, each);
  return [...bests.values()];
}
