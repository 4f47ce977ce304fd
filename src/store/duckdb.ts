/**
 * The only file that uses DuckDB's client. Refuses a second instance on a path, since two instances
 * in one process overwrite each other's commits.
 */
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import type * as Client from '@duckdb/node-api';
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBValue,
  DuckDBVector,
} from '@duckdb/node-api';
import type {
  Answer,
  Columns,
  Connection,
  Database,
  DatabaseOptions,
  Params,
  Value,
} from './db.js';
import { withPlain, WRITER_MB } from './db.js';

/** `require`, since an `import` of its many CommonJS files is slower. */
const client = createRequire(import.meta.url)('@duckdb/node-api') as typeof Client;
const { ARRAY, BIGINT, BOOLEAN, DOUBLE, FLOAT, LIST, SQLNULL, VARCHAR } = client;
const {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBStructValue,
} = client;
const { DuckDBTimestampTZValue, DuckDBTimestampValue, DuckDBTypeId, StatementType } = client;

/**
 * Folding in the WAL packs whole groups of rows, and spills those that do not fit into memory: 8 GB
 * if all texts have the maximum length.
 */
const SPILL_MB = 10_240;

/** The oldest file format of DuckDB with zstd; every DuckDB from 1.2 on reads it. */
const STORAGE_VERSION = 'v1.2.0';

/**
 * Columns with longer strings on average are packed with zstd. The default of 4,096 excludes the
 * texts of real logs.
 */
const ZSTD_FROM = 256;

/**
 * The engine returns memory to the system only if more than this is freed at once; its default
 * keeps more.
 */
const FLUSH_MB = 8;

/** Rows of an answer to build without a pause. */
const ROWS_AT_ONCE = 256;

/** Rows per chunk of at most 2,048, small enough that the event loop runs between chunks. */
const CHUNK_ROWS = 1024;

/** Chunks between two flushes; a flush also runs on our thread. */
const FLUSH_CHUNKS = 32;

const open = new Set<string>();

/**
 * Opens a database file, creating it unless `readOnly`. No extension is installed or loaded,
 * nothing touches the network.
 *
 * @throws DuckDB's errors (see `fault.ts`), or an Error if this process has already opened the path
 */
export async function openDatabase(path: string, options: DatabaseOptions = {}): Promise<Database> {
  if (open.has(path)) throw new Error(`${path} is open in this process already`);
  open.add(path);
  // DuckDB creates all its files with mode 0666 less the umask. A worker thread cannot set the
  // umask; the main thread has set it.
  if (isMainThread) process.umask(process.umask() | 0o077);
  let database: Database | null = null;
  try {
    const instance = await client.DuckDBInstance.create(path, {
      access_mode: options.readOnly ? 'READ_ONLY' : 'READ_WRITE',
      threads: String(options.threads ?? (options.readOnly ? 2 : 1)),
      memory_limit: `${options.memoryLimitMb ?? (options.readOnly ? 512 : WRITER_MB)}MB`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      // Applies to a new file; an existing file keeps its format until a rebuild
      // (repair/rebuild.ts).
      storage_compatibility_version: STORAGE_VERSION,
      allocator_flush_threshold: `${FLUSH_MB}MB`,
      allocator_bulk_deallocation_flush_threshold: `${FLUSH_MB}MB`,
      ...(options.readOnly ? {} : { checkpoint_threshold: `${options.checkpointMb ?? 16}MB` }),
    });
    database = wrapInstance(path, instance);
    const connection = await database.connect();
    // The engine ignores this limit as an option of `create`.
    const limit = `SET max_temp_directory_size = '${options.spillMb ?? SPILL_MB}MB'`;
    await connection.run([limit, ...(options.readOnly ? [] : WRITER_SETTINGS)].join(';'));
    return database;
  } catch (error) {
    // An instance that is not closed keeps its lock until V8 collects it.
    if (database) database.close();
    else open.delete(path);
    throw error;
  }
}

const WRITER_SETTINGS = [
  // Closing would fold in the WAL and block our thread; `fold` uses a DuckDB thread.
  'PRAGMA disable_checkpoint_on_shutdown',
  // ALPRD does not make vectors smaller, and unpacking them would slow down searches by meaning.
  `SET disabled_compression_methods = 'alp,alprd'`,
  `SET zstd_min_string_length = ${ZSTD_FROM}`,
];

function wrapInstance(path: string, instance: DuckDBInstance): Database {
  const connections: DuckDBConnection[] = [];
  const close = () => {
    for (const connection of connections.splice(0)) connection.closeSync();
    instance.closeSync();
    open.delete(path);
  };
  return {
    async connect() {
      const connection = await instance.connect();
      connections.push(connection);
      return wrapConnection(connection);
    },
    close,
    fold: async () => void (await connections[0]?.run('CHECKPOINT').catch(() => undefined)),
    dropCache: async () =>
      void (await connections[0]?.run("SET memory_limit = '8MB'").catch(() => undefined)),
  };
}

function wrapConnection(connection: DuckDBConnection): Connection {
  const columnsOf = new Map<string, string[]>();
  // Each client call waits for a thread of Node's pool. So this replaces the client's `run`, which
  // needs more calls: to split the text and for each chunk.
  const run = async (text: string, params: Params = {}): Promise<DuckDBMaterializedResult> => {
    const [sql, left] = withPlain(text, params);
    if (Object.keys(left).length === 0) return connection.run(sql);
    const statement = await connection.prepare(sql);
    try {
      bindAll(statement, left);
      return await statement.run();
    } finally {
      statement.destroySync();
    }
  };
  return {
    interrupt: () => connection.interrupt(),
    run: async (sql, params) => (await run(sql, params)).rowsChanged,
    async all<T>(sql: string, params?: Params) {
      const result = await run(sql, params);
      const names = result.deduplicatedColumnNames();
      const rows: T[] = [];
      for (let at = 0; at < result.chunkCount; at++) {
        const chunk = result.getChunk(at);
        const columns = names.map((_, index) => chunk.getColumnVector(index));
        for (let n = 0; n < chunk.rowCount; n++) {
          // Building all rows of a large answer would block the event loop.
          if (rows.length % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
          const row: Record<string, unknown> = {};
          for (const [index, name] of names.entries())
            row[name] = toPlain(columns[index]!.getItem(n) as DuckDBValue);
          rows.push(row as T);
        }
      }
      return rows;
    },
    append: (table, columns) => appendColumns(connection, columnsOf, table, columns),
    select: (sql, params, most) => selectOne(connection, sql, params, most),
  };
}

function bindAll(statement: DuckDBPreparedStatement, params: Params): void {
  for (const [name, value] of Object.entries(params)) {
    const [bound, type] = bind(value);
    statement.bindValue(statement.parameterIndex(name), bound, type);
  }
}

async function selectOne(
  connection: DuckDBConnection,
  sql: string,
  params: Params,
  most = Infinity,
): Promise<Answer | null> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) return null;
  const statement = await statements.prepare(0);
  try {
    if (
      statement.statementType !== StatementType.SELECT &&
      statement.statementType !== StatementType.EXPLAIN
    )
      return null;
    bindAll(statement, params);
    const result = await statement.run();
    const rows: unknown[][] = [];
    for await (const chunk of result)
      if (rows.length < most) rows.push(...chunk.getRows().map((row) => row.map(toPlain)));
    return { columns: result.deduplicatedColumnNames(), rows: rows.slice(0, most) };
  } finally {
    statement.destroySync();
  }
}

async function appendColumns(
  connection: DuckDBConnection,
  columnsOf: Map<string, string[]>,
  table: string,
  columns: Columns,
): Promise<void> {
  const lengths = new Set(Object.values(columns).map((column) => column.length));
  if (lengths.size > 1)
    throw new Error(`columns for ${table} differ in length: ${[...lengths].join(', ')}`);
  const rows = [...lengths][0] ?? 0;
  if (rows === 0) return;
  const [name, schema] = table.split('.').reverse() as [string, string | undefined];
  const appender = await connection.createAppender(name, schema ?? null);
  try {
    // Listing the catalogue's columns is slower, since it binds every view first.
    const known = columnsOf.get(table);
    const order =
      known?.length === appender.columnCount
        ? known
        : (await connection.run(`SELECT * FROM ${table} LIMIT 0`)).columnNames();
    columnsOf.set(table, order);
    const unknown = Object.keys(columns).find((column) => !order.includes(column));
    if (unknown) throw new Error(`${table} has no column ${unknown}`);
    const types = order.map((_, index) => appender.columnType(index));
    // All rows use one chunk, since the client frees a chunk and its texts only when V8 collects
    // garbage.
    const chunk = client.DuckDBDataChunk.create(types);
    for (let from = 0; from < rows; from += CHUNK_ROWS) {
      const size = Math.min(CHUNK_ROWS, rows - from);
      chunk.reset();
      chunk.rowCount = size;
      order.forEach((column, index) =>
        fillColumn(chunk, index, types[index] as DuckDBType, columns[column], from, size),
      );
      appender.appendDataChunk(chunk);
      if ((from / CHUNK_ROWS) % FLUSH_CHUNKS === FLUSH_CHUNKS - 1) appender.flushSync();
      await setImmediate();
    }
    appender.flushSync();
    chunk.reset();
  } finally {
    appender.closeSync();
  }
}

function fillColumn(
  chunk: DuckDBDataChunk,
  index: number,
  type: DuckDBType,
  column: Columns[string] | undefined,
  from: number,
  size: number,
): void {
  if (column instanceof BigInt64Array || column instanceof Int32Array) {
    const vector = chunk.getColumnVector(index) as DuckDBVector & { items?: unknown };
    // The client accepts no typed arrays, and single values are slow. A test fails if this field
    // changes.
    if (sameArray(vector.items, column)) {
      vector.items.set(column.subarray(from, from + size) as never);
      vector.flush();
      return;
    }
  }
  const values = new Array<DuckDBValue>(size);
  for (let i = 0; i < size; i++)
    values[i] = column ? toColumn(column[from + i] as Value, type) : null;
  chunk.setColumnValues(index, values);
}

function sameArray(
  items: unknown,
  column: BigInt64Array | Int32Array,
): items is BigInt64Array | Int32Array {
  return (
    (items instanceof BigInt64Array && column instanceof BigInt64Array) ||
    (items instanceof Int32Array && column instanceof Int32Array)
  );
}

/** Converts a plain value to the type of its column. */
function toColumn(value: Value | undefined, type: DuckDBType): DuckDBValue {
  if (value === null || value === undefined) return null;
  switch (type.typeId) {
    case DuckDBTypeId.BIGINT:
      return typeof value === 'bigint' ? value : BigInt(value as number);
    case DuckDBTypeId.TIMESTAMP:
      return toTimestamp(value as string);
    case DuckDBTypeId.DATE:
      return new DuckDBDateValue(Math.floor(Date.parse(value as string) / 86_400_000));
    case DuckDBTypeId.LIST:
      return new DuckDBListValue(Array.from(value as readonly string[]));
    case DuckDBTypeId.ARRAY:
      return toVector(value as Float32Array, type.length);
    default:
      return value as DuckDBValue;
  }
}

/** Refuses wrong lengths and NaN, since one bad number makes every cosine over the column fail. */
function toVector(value: Float32Array, length: number): Client.DuckDBArrayValue {
  if (value.length !== length) throw new Error(`vector has ${value.length} numbers, not ${length}`);
  if (!value.every(Number.isFinite)) throw new Error('vector holds a number that is not finite');
  return new DuckDBArrayValue(Array.from(value));
}

/**
 * A time that is unreadable or out of DuckDB's range becomes NULL; the row is then ordered by its
 * place in the log.
 */
function toTimestamp(value: string): Client.DuckDBTimestampValue | null {
  const ms = Date.parse(value);
  return Number.isFinite(ms) ? new DuckDBTimestampValue(BigInt(ms) * 1000n) : null;
}

function bind(value: Value): [DuckDBValue, DuckDBType] {
  if (value === null) return [null, SQLNULL];
  if (typeof value === 'string') return [value, VARCHAR];
  if (typeof value === 'boolean') return [value, BOOLEAN];
  if (typeof value === 'bigint') return [value, BIGINT];
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? [BigInt(value), BIGINT] : [value, DOUBLE];
  if (value instanceof Float32Array)
    return [toVector(value, value.length), ARRAY(FLOAT, value.length)];
  const kind = typeof value[0];
  const type = kind === 'bigint' ? BIGINT : kind === 'number' ? DOUBLE : VARCHAR;
  return [new DuckDBListValue(Array.from<DuckDBValue>(value)), LIST(type)];
}

/** A DuckDB value as plain JavaScript. */
function toPlain(value: DuckDBValue): unknown {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  )
    return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue)
    return isoOf(value.micros) ?? String(value);
  if (value instanceof DuckDBDateValue)
    return new Date(value.days * 86_400_000).toISOString().slice(0, 10);
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
    return value.items.map(toPlain);
  if (value instanceof DuckDBDecimalValue) return value.toDouble();
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(
      Object.entries(value.entries).map(([key, entry]) => [key, toPlain(entry)]),
    );
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64');
  return String(value);
}

/**
 * ISO text of microseconds since 1970; null if out of the range of JavaScript dates (infinity, far
 * years).
 */
function isoOf(micros: bigint): string | null {
  const ms = Number(micros / 1000n);
  return Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString();
}
