/** Conditions on running numbers of rows, by which the engine skips row groups. */

import type { Db } from '../db.js';

/** Rows of a group; a statement reads whole columns of a group. */
const GROUP_ROWS = 122_880;

/** Splits numbers, in order, where two of them differ by more than `gap`. Pure. */
export function nearNumbers(numbers: readonly number[], gap: number): number[][] {
  const parts: number[][] = [];
  for (const n of [...new Set(numbers)].sort((a, b) => a - b)) {
    const part = parts.at(-1);
    if (part === undefined || n - part.at(-1)! > gap) parts.push([n]);
    else part.push(n);
  }
  return parts;
}

/**
 * Within a group of rows single numbers are faster than a list, but each part of a statement takes
 * time to plan.
 */
const EACH = 6;
const MOST_PARTS = 40;

/**
 * SELECT of these rows of own.entries, which is ordered by `n`. A list of numbers reads all groups
 * of rows, so this reads a few numbers one by one.
 */
export function selectRows(columns: string, numbers: readonly number[]): string {
  const from = `SELECT ${columns} FROM own.entries`;
  const parts = nearNumbers(numbers, GROUP_ROWS / 2).flatMap((near) =>
    near.length > EACH
      ? [`${from} WHERE ${isAmong('n', near)}`]
      : near.map((n) => `${from} WHERE n = ${BigInt(n)}`),
  );
  return parts.length > MOST_PARTS
    ? `${from} WHERE ${isAmong('n', numbers)}`
    : parts.join(' UNION ALL ');
}

/**
 * Cost of planning a range, compared with a number in a list. Each row is also compared with all
 * ranges.
 */
const RANGE_COST = 4;
const MOST_RANGES = 100;

/**
 * The condition that a column has one of these numbers. Numbers that are close together become
 * ranges, which are faster than a list.
 */
export function isAmong(column: string, numbers: readonly number[]): string {
  const runs = nearNumbers(numbers, 1);
  const [first, last] = [runs[0]![0]!, runs.at(-1)!.at(-1)!];
  const whole = `${column} ${between(first, last)}`;
  if (runs.length === 1) return whole;
  const each =
    runs.length > Math.min(MOST_RANGES, numbers.length / RANGE_COST)
      ? `${column} IN (${numbers.map((n) => BigInt(n)).join(', ')})`
      : runs.map((run) => `${column} ${between(run[0]!, run.at(-1)!)}`).join(' OR ');
  return `${whole} AND (${each})`;
}

/** Numbers of all versions of entries with these ids. */
export async function numbersOf(db: Db, ids: readonly string[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const sql = 'SELECT n FROM own.entries WHERE id IN (SELECT unnest($ids))';
  return (await db.all<{ n: number }>(sql, { ids: [...ids] })).map(({ n }) => n);
}

/**
 * Rows of these ids from a view that joins entries with other tables. First finds the numbers in
 * the entries alone, since the view would join all entries to find an id.
 * @param select statement up to WHERE, with the entries as `e`
 */
export async function rowsById<Row>(
  db: Db,
  select: string,
  ids: readonly string[],
): Promise<Row[]> {
  const list = await numbersOf(db, ids);
  return list.length === 0 ? [] : db.all<Row>(`${select} WHERE ${isAmong('e.n', list)}`);
}

/** Running numbers; both ends inclusive. */
export interface NumberRange {
  from: number;
  to: number;
}

/**
 * Joins ranges at most `gap` apart, in order; joins all into one if they are too many for a
 * statement. Pure.
 */
export function joinRanges(ranges: readonly NumberRange[], gap: number): NumberRange[] {
  const joined: NumberRange[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || from - last.to > gap) joined.push({ from, to });
    else last.to = Math.max(last.to, to);
  }
  return joined.length <= MOST_PARTS
    ? joined
    : [{ from: joined[0]!.from, to: Math.max(...joined.map(({ to }) => to)) }];
}

/** The condition after the column's name. */
export function between(from: number, to: number): string {
  return `BETWEEN ${BigInt(from)} AND ${BigInt(to)}`;
}

/** Both are null for an entry that is not in the database. */
interface Place {
  path: string | null;
  line: number | null;
}

/** Adds to each row the place of its entry; fetches by ids, which is faster than a join. */
export async function withPlaces<Row extends { entry: string }>(
  db: Db,
  rows: readonly Row[],
): Promise<(Row & Place)[]> {
  const found = await rowsById<Place & { id: string }>(
    db,
    'SELECT e.id, e.path, e.line::INTEGER AS line FROM own.current_entries e',
    [...new Set(rows.map(({ entry }) => entry))],
  );
  const places = new Map(found.map(({ id, path, line }) => [id, { path, line }]));
  return rows.map((row) => ({ ...row, ...(places.get(row.entry) ?? { path: null, line: null }) }));
}
