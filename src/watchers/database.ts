/**
 * Reads logs that are SQLite databases: read-only, in slices so that the agent can write in
 * between, and without leaving a file beside the database.
 */
import { linkSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type * as Sqlite from '@photostructure/sqlite';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { RowQuery } from '../types.js';
import { withoutBlobs } from './blobs.js';
import { reasonOf, sizeOfDatabase } from './file-facts.js';
import { ChangedLog, type LogBytes, markOf, UnreadableLog } from './log-file.js';
import { LINE_CAP_BYTES, type Line } from './split-lines.js';
import { placeOf, type LogPosition, type Tail } from './tail.js';
import type { Source } from './whole.js';

/** Loaded on demand, because most homes never need the large driver. */
const load = createRequire(import.meta.url);

/** Limits of a slice in rows, bytes and milliseconds; the file is closed between slices. */
const SLICE = { rows: 500, bytes: 4 * 1024 * 1024, ms: 150 };

/**
 * Describes a database as a log without opening it, because closing a descriptor would drop the
 * locks of all connections of this process.
 */
export function openDatabaseLog(path: string): LogBytes {
  try {
    const facts = sizeOfDatabase(path);
    // Each slice is a transaction, so rows that change meanwhile are never mixed.
    return { ...facts, now: () => facts, read: () => 0, close: () => {} };
  } catch (error) {
    throw new UnreadableLog(reasonOf(error), { cause: error });
  }
}

/** A row: its mark, its number among rows with the same mark, and a hash of its first text. */
interface Cursor {
  mark: number;
  key: number;
  hash: string;
}

const NO_BYTES = Buffer.alloc(0);
const START: Cursor = { mark: Number.MIN_SAFE_INTEGER, key: Number.MIN_SAFE_INTEGER, hash: '' };

/**
 * The position of a row is its mark (`offset`), and its key and hash (`tail_hash`). After a complete
 * reading, the newest rows are read again, because rows with the same mark may be written later;
 * ids prevent duplicates.
 */
export function rowSource(path: string, queries: readonly RowQuery[]): Source {
  return (log, saved) => {
    const isNew = saved === null || saved.inode !== log.inode;
    const place = ({ mark, key, hash }: Cursor, line: number): LogPosition => ({
      ...placeOf(log, NO_BYTES, NO_BYTES, mark, line),
      tail_hash: `${key} ${hash}`,
    });
    const [key, hash = ''] = saved?.tail_hash.split(' ') ?? [];
    const from = isNew ? START : { mark: saved.offset, key: Number(key), hash };
    return {
      plan: { from: 0, fresh: isNew },
      start: place(from, isNew ? 0 : saved.line),
      // Time 0: the previous reading was cut off, so it continues at exactly that row.
      pieces: readRows(path, queries, from, isNew || saved.mtime_ms === 0, place),
    };
  };
}

/** A row's columns by name. */
type Row = Record<string, number | string | null>;

/** An entry's place is its line times a thousand, which must be an exact integer. */
const LAST_LINE = 9e12;

function isPlaced({ mark, key, line = key }: Row): boolean {
  const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
  return isNumber(mark) && isNumber(key) && Math.abs(Number(line)) <= LAST_LINE;
}

function isAfter(row: Row, { mark, key }: Cursor): boolean {
  return Number(row.mark) > mark || (row.mark === mark && Number(row.key) > key);
}

function cursorOf(row: Row): Cursor {
  const text = Object.values(row).find((value) => typeof value === 'string') ?? '';
  return { mark: Number(row.mark), key: Number(row.key), hash: markOf(Buffer.from(text)) };
}

/**
 * Whether another row has the number of the last one that was read: `VACUUM` numbers rows anew. Of
 * rows with times, the last one may have changed.
 */
function isOther(row: Row, { mark, key, hash }: Cursor): boolean {
  const isNumbered = mark === key && row.mark === mark && row.key === key;
  return isNumbered && hash !== '' && cursorOf(row).hash !== hash;
}

function* readRows(
  path: string,
  queries: readonly RowQuery[],
  from: Cursor,
  isExact: boolean,
  place: (cursor: Cursor, line: number) => LogPosition,
): Tail['pieces'] {
  let cursor: Cursor | null = isExact ? from : null;
  let bytes = 0;
  let fault: string | null = null;
  for (;;) {
    const found = sliceOf(path, queries, cursor, from);
    if (typeof found === 'string') return { fault: found };
    // SQLite sorts text after numbers, and JavaScript rounds beyond 2^53: such rows would be read
    // again forever.
    const rows = found.filter((row) => isPlaced(row) && (cursor === null || isAfter(row, cursor)));
    if (rows.length < found.length)
      fault = `${found.length - rows.length} rows without a time or number to go on from`;
    if (rows.length === 0 && (found.length > 0 || cursor !== null)) return { fault };
    if (cursor === null && (rows.length === 0 || rows.some((row) => isOther(row, from)))) {
      // The last row is gone: rows were deleted, or another database replaced the file.
      cursor = START;
      continue;
    }
    const lines = rows.map((row): Line => {
      const line = lineOf(row, Number(row.line ?? row.key), bytes);
      bytes = line.end;
      return line;
    });
    cursor = cursorOf(rows.at(-1)!);
    yield {
      lines,
      unterminated: false,
      placeAfter: (line) => place(cursorOf(rows[lines.indexOf(line)]!), line.line),
    };
  }
}

function lineOf(row: Row, line: number, offset: number): Line {
  const json = Buffer.from(JSON.stringify(row));
  const lost = json.length > LINE_CAP_BYTES ? { size: json.length, hash: markOf(json) } : null;
  return {
    line,
    offset,
    end: offset + json.length,
    bytes: lost === null ? withoutBlobs(json) : Buffer.alloc(0),
    nuls: 0,
    lost,
  };
}

/** Rows after the cursor (null: also the newest rows that were read before), or a fault. */
function sliceOf(
  path: string,
  queries: readonly RowQuery[],
  cursor: Cursor | null,
  from: Cursor,
): Row[] | string {
  try {
    return readOnly(path, (db) => {
      const query = queries.find(({ needs }) => needs.every((name) => hasColumn(db, name)));
      if (query !== undefined)
        return take(db, query, cursor ?? { ...START, mark: from.mark - query.overlap });
      return 'a database, but without the tables of this agent';
    });
  } catch (error) {
    if (error instanceof ChangedLog || error instanceof UnreadableLog) throw error;
    const { errcode } = error as { errcode?: number };
    // Busy, locked, or a recovery that only a writer may do: the next scan tries again.
    if ([5, 6, 8, 14, 15, 261, 520, 776, 1032].includes(errcode ?? 0))
      throw new ChangedLog('the database is busy');
    // The error's message may quote the statement.
    return `SQLite cannot read it (${errcode ?? (error as Error).name})`;
  }
}

type Value = bigint | number | string | Uint8Array | null;
const ENOUGH = new Error('enough rows');

/**
 * Runs the query row by row until a slice is full. Calls an SQL function of ours in one `exec`,
 * because a prepared statement of this driver keeps the closed database open until garbage
 * collection.
 */
function take(db: DatabaseSyncInstance, query: RowQuery, { mark, key }: Cursor): Row[] {
  const taken: Row[] = [];
  const names = ['mark', 'key', ...query.columns];
  const until = process.uptime() + SLICE.ms / 1000;
  let bytes = 0;
  let isFull = false;
  const sql = query.sql
    .replaceAll('$mark', String(mark))
    .replaceAll('$key', String(key))
    .replaceAll('$limit', String(SLICE.rows));
  const give = (...values: Value[]): null => {
    if (isFull) throw ENOUGH;
    const row: Row = {};
    for (const [at, value] of values.entries()) {
      // Binary values are pictures, protobuf and similar.
      row[names[at]!] =
        value instanceof Uint8Array ? null : typeof value === 'bigint' ? Number(value) : value;
      if (typeof value === 'string') bytes += value.length;
    }
    taken.push(row);
    isFull = bytes > SLICE.bytes || process.uptime() > until;
    return null;
  };
  db.function('give_row', { varargs: true, useBigIntArguments: true, directOnly: true }, give);
  try {
    db.exec(`SELECT give_row(${names.join(', ')}) FROM (${sql})`);
  } catch (error) {
    if (!isFull) throw error;
  }
  return taken;
}

/** @param name `table.column` */
function hasColumn(db: DatabaseSyncInstance, name: string): boolean {
  try {
    db.exec(`SELECT ${name} FROM ${name.split('.')[0]} LIMIT 0`);
    return true;
  } catch (error) {
    // 1: it is unknown; others concern the whole database.
    if ((error as { errcode?: number }).errcode !== 1) throw error;
    return false;
  }
}

/**
 * Opens the database, asks and closes it. A live database (with a `-shm`) is opened normally and
 * shares locks with its writer. One without a `-wal` has no writer: it is opened as immutable,
 * because SQLite would otherwise create files beside it. One with a `-wal` alone, after a copy or a
 * crash, is read through hard links in a folder of ours, where SQLite may create its index.
 * @throws ChangedLog when a database without a writer changed meanwhile
 */
function readOnly<T>(path: string, ask: (db: DatabaseSyncInstance) => T): T {
  const exists = (end: string): boolean =>
    (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (exists('-wal') && exists('-shm')) return asked(path, ask);
  const before = sizeOfDatabase(path);
  // A database without `-wal` is being written, or was when its program was killed.
  if (exists('-journal')) throw new ChangedLog('it is being written');
  const done = exists('-wal')
    ? throughLinks(path, ask)
    : asked(`${pathToFileURL(path).href}?immutable=1`, ask);
  if (exists('-journal') || !isDeepStrictEqual(sizeOfDatabase(path), before))
    throw new ChangedLog('changed while it was read');
  return done;
}

function throughLinks<T>(path: string, ask: (db: DatabaseSyncInstance) => T): T {
  const folder = linkedCopy(path);
  try {
    return asked(join(folder, 'log.db'), ask);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Hard links need the same disk: the system's temporary folder's, or the agent's. */
function linkedCopy(path: string): string {
  for (const parent of [tmpdir(), join(path, '..', '..')]) {
    let folder: string | null = null;
    try {
      folder = mkdtempSync(join(parent, '.dripstone-'));
      for (const end of ['', '-wal']) linkSync(path + end, join(folder, `log.db${end}`));
      return folder;
    } catch {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new UnreadableLog(
    'its program ended in the middle, and its folder takes no links; start the program once',
  );
}

function asked<T>(location: string, ask: (db: DatabaseSyncInstance) => T): T {
  const { DatabaseSync: Database } = load('@photostructure/sqlite') as typeof Sqlite;
  const db = new Database(location, { readOnly: true, timeout: 50 });
  try {
    return ask(db);
  } finally {
    db.close();
  }
}
