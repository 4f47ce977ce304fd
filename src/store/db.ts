/**
 * The interface of a database connection: statements, rows as plain objects, bulk columns. No
 * DuckDB type leaves `duckdb.ts`.
 */
import type { Column } from '../types.js';

/**
 * A value that may be bound to a statement or appended to a column. Times are ISO 8601 UTC text,
 * days are `YYYY-MM-DD`.
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

/** Values by name. The statement must contain each of them as `$name`. */
export type Params = Record<string, Value>;

/** Columns of equal length by name; a missing column of the table becomes NULL. */
export type Columns = Record<string, readonly Value[] | BigInt64Array | Int32Array>;

export interface Db {
  /** Runs one statement and returns the number of rows that it changed. */
  run(sql: string, params?: Params): Promise<number>;
  /**
   * All rows as plain objects: BIGINT is a number when it is safe, else a bigint; lists are arrays;
   * NULL is null.
   */
  all<T = Record<string, unknown>>(sql: string, params?: Params): Promise<T[]>;
  /** Adds rows in bulk through DuckDB's appender. `table` is `name` or `schema.name`. */
  append(table: string, columns: Columns): Promise<void>;
}

export interface DatabaseOptions {
  readOnly?: boolean;
  /** A writer has one thread, to save memory; a reader has two, since a person waits for it. */
  threads?: number;
  /**
   * Limit on DuckDB's whole memory, its cache of tables included. Larger work spills to files
   * beside the database.
   */
  memoryLimitMb?: number;
  /** Limit on the temporary files beside the database. */
  spillMb?: number;
  /**
   * The next commit folds a larger WAL into the file. This rewrites the unfinished last part of
   * each table, so a small value makes reading slow.
   */
  checkpointMb?: number;
}

/**
 * Default `memoryLimitMb` of a writer; with less, clipping thousands of the longest texts fails.
 */
export const WRITER_MB = 448;

/** An open database file. */
export interface Database {
  connect(): Promise<Connection>;
  /** Disconnects everything and frees the lock. A WAL stays; the next opener replays it. */
  close(): void;
  /** Folds the WAL into the file, on a DuckDB thread. On a full disk the WAL simply stays. */
  fold(): Promise<void>;
  /** Frees cached tables on a DuckDB thread, since `close` would free them on ours. */
  dropCache(): Promise<void>;
}

/**
 * Columns and rows of one statement. The second of two equal column names becomes `name:1`;
 * integers beyond 2^53 are bigints.
 */
export interface Answer {
  columns: string[];
  rows: unknown[][];
}

export interface Connection extends Db {
  /**
   * Runs `sql` if the prepared statement is exactly one SELECT or EXPLAIN; otherwise returns null.
   * @param most rows to read; default: all
   */
  select(sql: string, params: Params, most?: number): Promise<Answer | null>;
  /** Stops the statement that runs now; it throws. */
  interrupt(): void;
}

/** First row or null. */
export async function first<T>(db: Db, sql: string, params?: Params): Promise<T | null> {
  return (await db.all<T>(sql, params))[0] ?? null;
}

/** Columns of the table `of`, for a SELECT. */
export function fieldsOf(of: string, names: readonly string[]): string {
  return names.map((name) => `${of}."${name}"`).join(', ');
}

/** Turns rows into columns, one for each field. */
export function columnsOf<K extends string>(
  rows: readonly Record<NoInfer<K>, Value>[],
  ...names: readonly K[]
): Columns {
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
}

/**
 * Adds rows given as objects; a missing field becomes NULL. A list of keys for each row would be
 * slower.
 */
export async function appendRows(
  db: Db,
  table: string,
  rows: readonly Record<string, Value>[],
): Promise<void> {
  const names = new Set<string>();
  for (const row of rows) for (const name in row) names.add(name);
  await db.append(table, columnsOf(rows, ...names));
}

// One statement reads rows of several projects, since planning takes longer than reading most
// projects.

/** Ids of projects; null: all projects together, under the id ''. */
export type Owners = readonly string[] | null;

/** Parts of a statement: the owner of a row, and the condition for the rows. */
export function among(
  owners: Owners,
  column: string,
): { of: string; where: string; params: Params } {
  return owners === null
    ? { of: `'' AS of`, where: 'true', params: {} }
    : {
        of: `${column} AS of`,
        where: `${column} IN (SELECT unnest($owners::VARCHAR[]))`,
        params: { owners },
      };
}

/**
 * @param sql selects the owner of each row as `of`. @returns the rows of an owner (null: all), in
 * their order
 */
export async function byOwner<T>(
  db: Db,
  sql: string,
  params: Params = {},
): Promise<(owner: string | null) => T[]> {
  const isNone = Array.isArray(params['owners']) && params['owners'].length === 0;
  const rows = isNone ? [] : await db.all<T & { of?: string }>(sql, params);
  const found = grouped(rows, ({ of }) => of!);
  for (const row of rows) delete row.of;
  return (owner) => found.get(owner ?? '') ?? [];
}

/** Groups rows by a key; keeps their order. */
export function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const list = found.get(key);
    if (list === undefined) found.set(key, [row]);
    else list.push(row);
  }
  return found;
}

// Rows whose columns are in a list (src/types/columns.ts).

type ColumnList = Readonly<Record<string, Column>>;

/**
 * The list's columns of the table, view or macro `of`, for a SELECT. `fromRow` turns each row into
 * an object.
 */
export function listed(of: string, list: ColumnList): string {
  return Object.entries(list)
    .map(([field, { unknown, isJson }]) => {
      const column = `${of}."${field}"`;
      const value =
        unknown === '' || unknown === false
          ? `coalesce(${column}, ${unknown === '' ? `''` : 'false'})`
          : column;
      return `${isJson ? `${column}::VARCHAR` : value} AS "${field}"`;
    })
    .join(', ');
}

/** Turns a row that `listed` selected back into the stored object. Changes the row itself. */
export function fromRow<T>(list: ColumnList): (row: T) => T {
  const special = Object.entries(list).filter(([, { isJson, isOptional }]) => isJson ?? isOptional);
  return (row) => {
    const fields = row as Record<string, unknown>;
    for (const [field, { isOptional }] of special) {
      const value = fields[field] as string | null;
      if (value !== null) fields[field] = list[field]!.isJson ? JSON.parse(value) : value;
      else if (isOptional) delete fields[field];
    }
    return row;
  };
}

/** Turns objects into columns, one for each field. */
export function toColumns<Field extends string>(
  rows: readonly { readonly [Each in NoInfer<Field>]?: unknown }[],
  list: Readonly<Record<Field, Column>>,
): Columns {
  const valueOf = (value: unknown, { isJson }: Column): Value =>
    value === null || value === undefined ? null : isJson ? toJson(value) : (value as Value);
  const columns = Object.entries<Column>(list) as [Field, Column][];
  return Object.fromEntries(
    columns.map(([field, column]) => [field, rows.map((row) => valueOf(row[field], column))]),
  );
}

/**
 * JSON for a VARCHAR column that queries read with `->>`. JavaScript accepts half of a surrogate
 * pair, but on it the engine fails the whole query.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.toWellFormed() : part,
  );
}

/**
 * A day or an instant. Other text is bound: it may be a secret, and the engine's messages quote the
 * statement.
 */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z)?$/;

/**
 * Writes NULL, numbers and times into the statement, since the engine plans a statement twice if a
 * bound value has an unexpected type.
 * @returns the statement, and the values still to bind
 */
export function withPlain(sql: string, params: Params): [sql: string, left: Params] {
  const literals = new Map(
    Object.entries(params).flatMap(([name, value]) => literalOf(name, value)),
  );
  if (literals.size === 0) return [sql, params];
  return [
    sql.replace(/\$(\w+)/g, (found, name: string) => literals.get(name) ?? found),
    Object.fromEntries(Object.entries(params).filter(([name]) => !literals.has(name))),
  ];
}

function literalOf(name: string, value: Value): [name: string, literal: string][] {
  if (value === null) return [[name, 'NULL']];
  if (typeof value === 'string') return TIME.test(value) ? [[name, `'${value}'`]] : [];
  if (typeof value === 'boolean') return [[name, String(value)]];
  return typeof value === 'number' && Number.isSafeInteger(value)
    ? [[name, `(${value})::BIGINT`]]
    : [];
}
