/** The last text that the person typed before an entry in its session. */
import type { Db } from '../db.js';
import { isAmong, nearNumbers } from './numbers.js';
import type { TextKey } from '../rows/texts.js';

/**
 * Limit on rows before an entry. Rows are in the order of their logs, so few other sessions are
 * between.
 */
const REACH = 8192;
/** Ranges per statement; row groups are skipped by their minimum and maximum. */
const RANGES = 20;

interface Row extends TextKey {
  agent: string;
  session: string;
  seq: number;
}

/** The key of the text before each entry, by the entry's number; none for typed entries. */
export async function typedBefore(
  db: Db,
  wanted: readonly number[],
): Promise<Map<number, TextKey>> {
  const own = await answering(db, wanted);
  const rows: Row[] = [];
  for (let at = 0; at < own.length; at += RANGES)
    rows.push(...(await lookBack(db, own.slice(at, at + RANGES))));
  const typed = own.flatMap(({ n, agent, session, seq }): [number, TextKey][] => {
    const isBefore = (row: Row): boolean => row.n <= n && row.n >= n - REACH && row.seq < seq;
    const before = rows.filter(
      (row) => row.agent === agent && row.session === session && isBefore(row),
    );
    const last = before.sort((a, b) => b.seq - a.seq || b.n - a.n)[0];
    return last === undefined ? [] : [[n, last]];
  });
  return new Map(typed);
}

/** The entries that the person did not type. */
async function answering(db: Db, wanted: readonly number[]): Promise<Omit<Row, 'length'>[]> {
  if (wanted.length === 0) return [];
  const rows = await db.all<Omit<Row, 'length'> & { typed: boolean }>(
    `SELECT n, agent, session, seq, role = 'user' AND origin = 'user' AS typed FROM own.entries WHERE ${isAmong('n', wanted)}`,
  );
  return rows.filter(({ typed }) => !typed);
}

/** Typed texts in the rows before entries. One query together with `answering` would be slower. */
function lookBack(db: Db, wanted: readonly { n: number }[]): Promise<Row[]> {
  const near = nearNumbers(
    wanted.map(({ n }) => n),
    REACH,
  );
  // Each part takes time to plan, so adjacent ranges are joined.
  const ranges = near.map(
    (numbers) =>
      `SELECT e.n, e.agent, e.session, e.seq, e.length FROM own.entries e
       WHERE e.n BETWEEN ${BigInt(numbers[0]! - REACH)} AND ${BigInt(numbers.at(-1)!)} AND e.role = 'user' AND e.origin = 'user'`,
  );
  return db.all<Row>(
    `SELECT r.* FROM (${ranges.join(' UNION ALL ')}) r WHERE NOT EXISTS (FROM own.superseded o WHERE o.n = r.n)`,
  );
}
