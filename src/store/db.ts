/**
 * What the modules above a connection may do with it: statements, rows as plain objects, bulk
 * columns. No DuckDB type leaves `duckdb.ts`.
 */
import type { Column } from '../types.js';

/**
 * A value that may be bound to a statement or appended to a column. Times go in and come out as ISO
 * 8601 UTC text, days as `YYYY-MM-DD`.
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
  /** A writer's one thread takes the memory of one; a reader answers a person, with two. */
  threads?: number;
  /**
   * DuckDB's whole memory, with its cache of tables. What work needs beyond it spills to files
   * beside the database.
   */
  memoryLimitMb?: number;
  /** What does not fit into memory goes to temporary files beside the database, at most so much. */
  spillMb?: number;
  /**
   * A WAL larger than this is folded into the file at the next commit, which writes the last,
   * unfinished part of each table again: a small value makes reading slow.
   */
  checkpointMb?: number;
}

/**
 * MB of a writer when none are given (`memoryLimitMb`); with less, clipping thousands of the
 * longest texts fails.
 */
export const WRITER_MB = 448;

/** An open database file. */
export interface Database {
  connect(): Promise<Connection>;
  /**
   * When it returns, everything is disconnected and the lock is gone. A WAL stays, the next opener
   * replays it.
   */
  close(): void;
  /** Folds the WAL into the file, on a DuckDB thread. On a full disk the WAL simply stays. */
  fold(): Promise<void>;
}

/**
 * Columns (of two with one name the second is `name:1`) and rows of one statement; integers beyond
 * 2^53 are bigints.
 */
export interface Answer {
  columns: string[];
  rows: unknown[][];
}

export interface Connection extends Db {
  /**
   * Runs `sql` when it is exactly one SELECT or EXPLAIN by its prepared type; null when it is
   * anything else, which is not run.
   * @param most rows to read of what it gives; without it all
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

/** Fields of rows as the columns that keep them. */
export function columnsOf<K extends string>(
  rows: readonly Record<NoInfer<K>, Value>[],
  ...names: readonly K[]
): Columns {
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
}

/**
 * Adds rows given as objects; a field that a row lacks becomes NULL. For 100,000 rows that takes as
 * long as columns built by hand; a list of keys for each row is slower.
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

// Rows of several projects from one statement: planning it takes longer than reading what most
// projects have.

/** Ids of projects; null: of all of them together, under the id ''. */
export type Owners = readonly string[] | null;

/** How a statement names the owner of a row, and which rows it takes. */
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
 * @param sql names the owner of each row `of`. @returns the rows of an owner (null: of all
 * together), in their order
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

/** Rows by a key, in their order. */
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

// Rows whose columns a list says (src/types/columns.ts).

type ColumnList = Readonly<Record<string, Column>>;

/** Those columns of the table, view or macro `of`, for a SELECT; `fromRow` makes an object of it. */
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

/** A row that `listed` selected, as the object that it was; the row itself is changed. */
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

/** Objects as the columns that keep their fields. */
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
 * JSON for a VARCHAR column that is asked with `->>`. Half of a surrogate pair is valid JSON to
 * JavaScript, but the engine fails the query over all rows.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.toWellFormed() : part,
  );
}

/**
 * A day or an instant. Any other text may be a secret that a person typed, and the engine's
 * messages repeat the statement.
 */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z)?$/;

/**
 * Writes NULL, numbers and times into the statement: the engine plans a statement twice if a value
 * has another type than its place.
 * @returns the statement, and what is left to be bound
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
