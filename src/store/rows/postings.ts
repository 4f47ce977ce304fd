/**
 * Postings are stored in runs that are sorted by hash, so that a search skips most groups of rows.
 * New postings are appended after the runs; many of them become a run.
 */
import { first, type Db } from '../db.js';
import type { Additions } from './additions.js';
import { metaValue, setMeta } from './meta.js';

/** Number of rows in runs. */
export const SORTED = 'postings_sorted';
/** The rows after the runs, as a `Tail`; absent without such rows. */
export const TAIL = 'postings_tail';

interface Tail {
  /** Lowest entry number. */
  from: number;
  rows: number;
}

/** Limit, since a search reads all rows after the runs. */
const MOST_LOOSE = 6_000_000;
/** Rows of a run: few enough to sort in a short pause and in a commit's memory. */
const RUN_ROWS = 2_000_000;

export async function appendPostings(db: Db, { rows, nextN }: Additions): Promise<void> {
  const size = rows.reduce((sum, { entry }) => sum + entry.terms.counts.length, 0);
  if (size === 0) return;
  const hash = new BigInt64Array(size);
  const n = new BigInt64Array(size);
  const count = new Int32Array(size);
  let at = 0;
  for (const row of rows) {
    const { hashes, counts } = row.entry.terms;
    hash.set(hashes, at);
    count.set(counts, at);
    n.fill(BigInt(row.n), at, at + counts.length);
    at += counts.length;
  }
  await db.append('own.postings', { hash, n, count });
  const known = await metaValue(db, TAIL);
  const tail: Tail = known === null ? { from: rows[0]!.n, rows: 0 } : JSON.parse(known);
  const grown = { ...tail, rows: tail.rows + size };
  await setMeta(
    db,
    TAIL,
    JSON.stringify(grown.rows > MOST_LOOSE ? await sortRun(db, grown, nextN) : grown),
  );
}

/** Sorts the first rows of the tail. @returns the rest */
async function sortRun(db: Db, { from, rows }: Tail, nextN: number): Promise<Tail> {
  const next = from + Math.ceil(((nextN - from) * RUN_ROWS) / rows);
  const run = `n >= ${BigInt(from)} AND n < ${BigInt(next)}`;
  const { last, left } = (await first<{ last: bigint | number; left: number }>(
    db,
    `SELECT coalesce(max(rowid) FILTER (${run}), 0) AS last, count(*) FILTER (n >= ${BigInt(next)}) AS "left"
     FROM own.postings WHERE n >= ${BigInt(from)}`,
  ))!;
  const sorted = await db.run(
    `INSERT INTO own.postings FROM own.postings WHERE ${run} ORDER BY hash, n`,
  );
  await db.run(`DELETE FROM own.postings WHERE ${run} AND rowid <= ${BigInt(last)}`);
  await setMeta(db, SORTED, String(Number((await metaValue(db, SORTED)) ?? 0) + sorted));
  return { from: next, rows: left };
}
