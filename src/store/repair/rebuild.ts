/**
 * Copies the database into a second file, which replaces the first, since DuckDB keeps the bytes of
 * deleted rows. A killed process leaves the old file or the new one, complete.
 */
import { rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.js';
import { first, type Db } from '../db.js';
import { faultKind } from './fault.js';
import { metaValue, setMeta } from '../rows/meta.js';
import { SORTED, TAIL } from '../rows/postings.js';
import { openDatabase } from '../open-database.js';
import { syncFolder } from '../publish.js';

/** What a rebuild did to the file, in bytes. */
export interface Rebuilt {
  before: number;
  after: number;
}

/**
 * Size and time of the old file when it was copied, since another program may write to it
 * meanwhile.
 */
interface Stamp {
  size: number;
  mtimeMs: number;
}

/** Name of the old file in the copy's connection. */
const OLD = 'dripstone_old';

function rebuildPath(path: string): string {
  return `${path}.rebuild`;
}

/** Removes the files of a killed rebuild, which did not change the database file. */
export async function dropRebuild(path: string): Promise<void> {
  for (const name of [rebuildPath(path), `${rebuildPath(path)}.wal`])
    await unlink(name).catch(() => undefined);
  await rm(`${rebuildPath(path)}.tmp`, { recursive: true, force: true });
}

/**
 * Copies everything, tables of the person included, and compares every table by count and hash.
 * Before, this process must close the file and fold in its log.
 * @param waitMs how long to wait for another process that writes to the file
 */
export async function copyDatabase(path: string, waitMs = 0): Promise<Stamp> {
  const { size, mtimeMs } = await stat(path);
  if (await hasWal(path))
    throw new AppError(
      'STORE_NOT_FOLDED',
      `the write-ahead log of ${path} could not be folded in`,
      { hint: 'free some space and try again' },
    );
  for (const [tried, memoryLimitMb] of COPY_MB.entries()) {
    try {
      await fillCopy(path, memoryLimitMb, waitMs);
      break;
    } catch (error) {
      if (faultKind(error) !== 'memory' || tried === COPY_MB.length - 1) throw error;
    }
  }
  return { size, mtimeMs };
}

/**
 * Memory limits of the copy's instance, MB. If one is too low, the copy starts again with the next.
 * The engine does not count the texts that it copies.
 */
const COPY_MB = [128, 256, 1024];

async function fillCopy(path: string, memoryLimitMb: number, waitMs: number): Promise<void> {
  await dropRebuild(path);
  const copy = await openDatabase(rebuildPath(path), { memoryLimitMb });
  try {
    const db = await copy.connect();
    await attachOld(db, path, waitMs);
    const [{ name }] = (await db.all<{ name: string }>('SELECT current_database() AS name')) as [
      { name: string },
    ];
    await db.run(`COPY FROM DATABASE ${OLD} TO ${quoted(name)} (SCHEMA)`);
    const tables = await tablesOf(db);
    for (const table of tables) await copyTable(db, table);
    await compareTables(db, tables, name);
    await setMeta(db, SORTED, String(await countPostings(db, name)));
    await db.run(`DELETE FROM main.meta WHERE key = '${TAIL}'`);
    await db.run('CHECKPOINT');
    await db.run(`DETACH ${OLD}`);
    await copy.dropCache();
    copy.close();
  } catch (error) {
    copy.close();
    await dropRebuild(path);
    throw error;
  }
}

async function attachOld(db: Db, path: string, waitMs: number): Promise<void> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      return void (await db.run(`ATTACH '${path.replaceAll("'", "''")}' AS ${OLD} (READ_ONLY)`));
    } catch (error) {
      if (faultKind(error) !== 'busy' || waited >= waitMs) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

const PAUSE_MS = 40;

interface Table {
  schema: string;
  table: string;
}

/** In the order of creation, so that a table comes after the tables that it refers to. */
function tablesOf(db: Db): Promise<Table[]> {
  return db.all(
    `SELECT schema_name AS "schema", table_name AS "table" FROM duckdb_tables() WHERE database_name = '${OLD}' AND NOT ` +
      'internal ORDER BY table_oid',
  );
}

/** Postings to sort at once; more would not fit into memory. */
const SORTED_ROWS = 4_000_000;

async function copyTable(db: Db, { schema, table }: Table): Promise<void> {
  const [from, to] = [
    `${OLD}.${quoted(schema)}.${quoted(table)}`,
    `${quoted(schema)}.${quoted(table)}`,
  ];
  const insert = (rest: string): Promise<number> =>
    db.run(`INSERT INTO ${to} SELECT * FROM ${from} ${rest}`);
  if (to === '"own"."postings"') {
    // Sorted, so that postings take fewer bytes and a search reads few groups of rows. Hashes are
    // spread evenly over 64 bits.
    const parts = BigInt(Math.ceil((await countPostings(db, OLD)) / SORTED_ROWS));
    const least = (part: bigint): bigint => -(2n ** 63n) + (2n ** 64n * part) / parts;
    for (let part = 0n; part < parts; part++)
      await insert(
        `WHERE hash BETWEEN ${least(part)} AND ${least(part + 1n) - 1n} ORDER BY hash, n`,
      );
  } else if (schema === 'own' || to === '"main"."meta"') await insert('');
  else await copyForeign(db, { schema, table }, to, from);
}

/** Copies only stored columns, since a person's table may have computed columns. */
async function copyForeign(
  db: Db,
  { schema, table }: Table,
  to: string,
  from: string,
): Promise<void> {
  const literal = `${OLD}.${quoted(schema)}.${quoted(table)}`.replaceAll("'", "''");
  const stored = await db.all<{ name: string }>(
    `SELECT DISTINCT column_name AS name, column_id FROM pragma_storage_info('${literal}') ORDER BY column_id`,
  );
  if (stored.length === 0) return;
  const columns = stored.map(({ name }) => quoted(name)).join(', ');
  await db.run(`INSERT INTO ${to} (${columns}) SELECT ${columns} FROM ${from}`);
}

async function countPostings(db: Db, database: string): Promise<number> {
  const sql = `SELECT count(*) AS rows FROM ${quoted(database)}.own.postings`;
  return (await first<{ rows: number }>(db, sql))!.rows;
}

/**
 * Replaces the file by the copy; call it while the file is closed in this process. The old file
 * stays if another program wrote to it.
 */
export async function swapDatabase(path: string, stamp: Stamp): Promise<Rebuilt> {
  const now = await stat(path);
  if (
    now.size !== stamp.size ||
    now.mtimeMs !== stamp.mtimeMs ||
    (await hasWal(path)) ||
    (await hasWal(rebuildPath(path)))
  ) {
    await dropRebuild(path);
    throw new AppError(
      'STORE_CHANGED',
      `another program wrote to ${path} while it was rebuilt; it stays as it is`,
      { hint: 'close that program and try again' },
    );
  }
  const { size: after } = await stat(rebuildPath(path));
  await rename(rebuildPath(path), path);
  await syncFolder(dirname(path));
  return { before: stamp.size, after };
}

/** @throws Error with the name of the first table that differs; the copy is then not used */
async function compareTables(db: Db, tables: readonly Table[], name: string): Promise<void> {
  for (const { schema, table } of tables) {
    const was = await tableSum(db, [OLD, schema, table]);
    const is = await tableSum(db, [name, schema, table]);
    if (was !== is)
      throw new AppError(
        'STORE_COPY_DIFFERS',
        `the copy of ${schema}.${table} differs from the table`,
        { hint: 'the old file stays; report this' },
      );
  }
}

async function tableSum(db: Db, path: string[]): Promise<string> {
  const [row] = await db.all<{ rows: number; sum: unknown }>(
    `SELECT count(*) AS rows, bit_xor(hash(t)) AS sum FROM ${path.map(quoted).join('.')} t`,
  );
  return JSON.stringify([row?.rows, String(row?.sum)]);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function hasWal(path: string): Promise<boolean> {
  return stat(`${path}.wal`).then(
    (info) => info.size > 0,
    () => false,
  );
}

/** How much of the file a copy would pack better. */
interface Packing {
  bytes: number;
  /** Bytes of empty pages. */
  free: number;
  /** Number of postings, and of those in sorted runs. */
  postings: number;
  sorted: number;
}

export async function storePacking(db: Db): Promise<Packing> {
  const packing = await first<Omit<Packing, 'sorted'>>(
    db,
    `SELECT block_size * total_blocks AS bytes, block_size * free_blocks AS free,
       (SELECT count(*) FROM own.postings) AS postings
     FROM pragma_database_size() WHERE database_name = current_database()`,
  );
  return { ...packing!, sorted: Number((await metaValue(db, SORTED)) ?? 0) };
}

/** A smaller file is not rewritten, since that would save little. */
const LEAST_BYTES = 16 * 2 ** 20;

/**
 * Whether more than half of the pages are free, or the postings grew by half since they were sorted,
 * so that each row is rewritten only a few times. Pure.
 */
export function isLoose({ bytes, free, postings, sorted }: Packing): boolean {
  return bytes >= LEAST_BYTES && (free * 2 > bytes || (postings - sorted) * 3 > postings);
}
