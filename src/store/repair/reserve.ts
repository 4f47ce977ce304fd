/** Space that is left on the disk of the store. */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../../errors.js';

export interface ReserveOptions {
  /** Path of memory.duckdb. */
  path: string;
  /** Writing stops while less is free than this, or than four times the write-ahead log. */
  reserveMb?: number;
  /** Bytes that the caller is about to write. */
  aboutToWrite?: number;
  /** Replaced in tests. */
  freeBytes?: (folder: string) => Promise<number>;
}

/**
 * DISK_FULL if less is free than the reserve, else null. DuckDB needs space for the WAL and for the
 * checkpoint that folds it in.
 */
export async function findLackOfSpace({
  path,
  reserveMb = 64,
  freeBytes = freeBytesOf,
  aboutToWrite = 0,
}: ReserveOptions): Promise<AppError | null> {
  const wal = await stat(`${path}.wal`).then(
    (info) => info.size,
    () => 0,
  );
  const free = await freeBytes(dirname(path)).catch(() => Number.POSITIVE_INFINITY);
  const needed = Math.max(reserveMb * 2 ** 20, 4 * wal) + aboutToWrite;
  if (free >= needed) return null;
  return new AppError(
    'DISK_FULL',
    `only ${Math.floor(free / 2 ** 20)} MB free on the disk of ${path}; ${Math.ceil(needed / 2 ** 20)} MB are kept in reserve`,
    { hint: 'free some space; reading continues where it stopped' },
  );
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
