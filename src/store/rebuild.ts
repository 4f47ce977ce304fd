/**
 * Writes the database anew into a second file and puts that in the place of the first: DuckDB keeps the bytes of deleted rows in freed
 * pages, and never gives pages back. Whatever ends us, `memory.duckdb` is the old file or the new one, both complete and without a WAL.
 */
import { rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../errors.js';
import type { Db } from './db.js';
import { syncFolder } from './publish.js';

/** What a rebuild did to the file, in bytes. */
export interface Rebuilt {
  before: number;
  after: number;
}

/** How the old file stood when it was copied: another program may have opened it meanwhile. */
interface Stamp {
  size: number;
  mtimeMs: number;
}

const ALIAS = 'dripstone_rebuild';

const rebuildPath = (path: string): string => `${path}.rebuild`;

/** Removes what a killed rebuild left; the file itself was not touched by it. */
export async function dropRebuild(path: string): Promise<void> {
  for (const name of [rebuildPath(path), `${rebuildPath(path)}.wal`]) await unlink(name).catch(() => undefined);
}

/**
 * Copies everything into a new file, tables of the person included, and compares every table by count and hash. Call it outside a
 * transaction while nobody else uses the connection.
 */
export async function copyDatabase(db: Db, path: string): Promise<Stamp> {
  await dropRebuild(path);
  await db.run('CHECKPOINT');
  if (await hasWal(path)) throw new AppError('STORE_NOT_FOLDED', `the write-ahead log of ${path} could not be folded in`, { hint: 'free some space and try again' });
  const { size, mtimeMs } = await stat(path);
  const [{ name }] = (await db.all<{ name: string }>('SELECT current_database() AS name')) as [{ name: string }];
  await db.run(`ATTACH '${rebuildPath(path).replaceAll("'", "''")}' AS ${ALIAS}`);
  try {
    await db.run(`COPY FROM DATABASE ${quoted(name)} TO ${ALIAS}`);
    await compareTables(db, name);
    await db.run(`CHECKPOINT ${ALIAS}`);
  } catch (error) {
    await db.run(`DETACH ${ALIAS}`).catch(() => undefined);
    await dropRebuild(path);
    throw error;
  }
  await db.run(`DETACH ${ALIAS}`);
  return { size, mtimeMs };
}

/** Puts the copy in the file's place; call it while this process has the file closed. The old one stays when anybody wrote to it. */
export async function swapDatabase(path: string, stamp: Stamp): Promise<Rebuilt> {
  const now = await stat(path);
  if (now.size !== stamp.size || now.mtimeMs !== stamp.mtimeMs || (await hasWal(path)) || (await hasWal(rebuildPath(path)))) {
    await dropRebuild(path);
    throw new AppError('STORE_CHANGED', `another program wrote to ${path} while it was rebuilt; it stays as it is`, { hint: 'close that program and try again' });
  }
  const { size: after } = await stat(rebuildPath(path));
  await rename(rebuildPath(path), path);
  await syncFolder(dirname(path));
  return { before: stamp.size, after };
}

/** @throws Error naming the first table that differs: the copy is then not used */
async function compareTables(db: Db, name: string): Promise<void> {
  const tables = await db.all<{ schema: string; table: string }>(
    'SELECT schema_name AS "schema", table_name AS "table" FROM duckdb_tables() WHERE database_name = $name AND NOT internal ORDER BY 1, 2',
    { name },
  );
  for (const { schema, table } of tables) {
    const [was, is] = await Promise.all([name, ALIAS].map((database) => tableSum(db, [database, schema, table])));
    if (was !== is) throw new AppError('STORE_COPY_DIFFERS', `the copy of ${schema}.${table} differs from the table`, { hint: 'the old file stays; report this' });
  }
}

const tableSum = async (db: Db, path: string[]): Promise<string> => {
  const [row] = await db.all<{ rows: number; sum: unknown }>(`SELECT count(*) AS rows, bit_xor(hash(t)) AS sum FROM ${path.map(quoted).join('.')} t`);
  return JSON.stringify([row?.rows, String(row?.sum)]);
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const hasWal = (path: string): Promise<boolean> => stat(`${path}.wal`).then((info) => info.size > 0, () => false);

/** How the file is filled, in bytes. */
export interface Filling {
  bytes: number;
  /** Pages that hold nothing. */
  free: number;
}

/** What the file holds and what of it is air, as DuckDB counts its pages. */
export async function storeFilling(db: Db): Promise<Filling> {
  const [row] = await db.all<{ size: number; total: number; free: number }>(
    'SELECT block_size AS size, total_blocks AS total, free_blocks AS free FROM pragma_database_size() WHERE database_name = current_database()',
  );
  return { bytes: (row?.size ?? 0) * (row?.total ?? 0), free: (row?.size ?? 0) * (row?.free ?? 0) };
}

/** A small file is not worth the writing. */
const LEAST_BYTES = 16 * 2 ** 20;

/** More than half air. Pure. */
export const isHalfAir = ({ bytes, free }: Filling): boolean => bytes >= LEAST_BYTES && free * 2 > bytes;
