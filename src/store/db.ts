/**
 * What the rooms above a connection may do with it: statements, rows as plain objects, bulk columns. No DuckDB type leaves
 * `duckdb.ts`.
 */

/**
 * A value that may be bound to a statement or appended to a column. Times go in and come out as ISO 8601 UTC text, days as
 * `YYYY-MM-DD`.
 */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly string[]
  | readonly number[]
  | readonly bigint[]
  | Float32Array;

/** Values by name: `$name` in the statement. Every name must occur in it. */
export type Params = Record<string, Value>;

/** Columns of equal length by name; a column of the table that is left out becomes NULL. */
export type Columns = Record<string, readonly Value[] | BigInt64Array | Int32Array>;

export interface Db {
  /** Runs one statement and returns the number of rows that it changed. */
  run(sql: string, params?: Params): Promise<number>;
  /** All rows as plain objects: BIGINT is a number when it is safe, else a bigint; lists are arrays; NULL is null. */
  all<T = Record<string, unknown>>(sql: string, params?: Params): Promise<T[]>;
  /** Adds rows in bulk through DuckDB's appender. `table` is `name` or `schema.name`. */
  append(table: string, columns: Columns): Promise<void>;
}

/** First row or null. */
export async function first<T>(db: Db, sql: string, params?: Params): Promise<T | null> {
  return (await db.all<T>(sql, params))[0] ?? null;
}

/** Adds rows given as objects; a key that a row lacks becomes NULL. */
export async function appendRows(db: Db, table: string, rows: Record<string, Value>[]): Promise<void> {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  await db.append(table, Object.fromEntries([...names].map((name) => [name, rows.map((row) => row[name] ?? null)])));
}

/**
 * JSON for a VARCHAR column that is asked with `->>`. Half of a surrogate pair (a text that was cut within an emoji) is good
 * JSON to
 * JavaScript and malformed to the engine, where one such row failed the query over all of them.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part));
}

/** A field of a stored candidate; null when an older version stored a payload that the engine cannot parse. */
export function fieldOf(payload: string, path: string): string {
  return `TRY(${payload}->>'$.${path}')`;
}

/** The entry that a stored candidate rests on, also of a payload that cannot be parsed: a purge must find it. */
export function entryOf(payload: string): string {
  return `coalesce(${fieldOf(payload, 'evidence.entry')}, regexp_extract(${payload}, '"entry":"([^"]*)"', 1))`;
}
