/** Opens a database file and climbs the ladder for damaged ones: set aside with a date, never deleted, and made anew. */
import { stat } from 'node:fs/promises';
import { AppError, messageOf } from '../errors.js';
import type { Db } from './db.js';
import type { Database } from './duckdb.js';
import { faultKind, type FaultKind } from './fault.js';
import { setAside } from './set-aside.js';
import type { Moved } from './set-aside.js';

export interface BootReport {
  /**
   * `opened`: nothing happened; `created`: there was no store; `wal-set-aside`: the last commits are gone with the write-ahead log and
   * are read again from the logs; `set-aside`: the whole file was unusable, the store is empty and has to be rebuilt from tiers and logs.
   */
  action: 'opened' | 'created' | 'wal-set-aside' | 'set-aside';
  moved: Moved[];
  /** What was wrong, in DuckDB's words; null when nothing was. */
  reason: string | null;
}

export const OPENED: BootReport = { action: 'opened', moved: [], reason: null };

/**
 * Opens a database file, whoever needs it: what is damaged is set aside and a new one is made, to be rebuilt by the caller.
 * @param look false when nobody touched the file since this process closed it: its blocks need no look
 * @throws what `open` throws and is no damage; STORE_DAMAGED_AGAIN when setting aside has not helped before
 */
export async function openHealing(
  path: string,
  now: Date,
  look: boolean,
  open: () => Promise<Database>,
): Promise<{ database: Database; report: BootReport }> {
  const report: BootReport = { ...OPENED, moved: [] };
  const wal = `${path}.wal`;
  const info = await stat(path).catch(() => null);
  if (!info) {
    // DuckDB would silently throw a WAL away whose file is missing.
    report.moved.push(...(await setAside([wal], now)));
    report.action = report.moved.length > 0 ? 'set-aside' : 'created';
    report.reason = report.moved.length > 0 ? 'the database file was missing beside its write-ahead log' : null;
  } else if (!info.isFile()) {
    report.moved.push(...(await setAside([path, wal], now)));
    Object.assign(report, { action: 'set-aside', reason: 'not a regular file' });
  }
  for (const rung of ['again', 'wal-set-aside', 'set-aside', null] as const) {
    let database: Database | null = null;
    try {
      database = await open();
      if (look) await probe(await database.connect(), path);
      return { database, report };
    } catch (error) {
      database?.close();
      const kind = faultKind(error);
      if (rung === null || !isDamage(kind)) throw error;
      if (rung === 'again') continue;
      const onlyWal = kind === 'damaged-wal' && rung === 'wal-set-aside';
      const moved = await setAside(onlyWal ? [wal] : [path, wal], now);
      report.moved.push(...moved);
      report.action = onlyWal ? 'wal-set-aside' : 'set-aside';
      report.reason = reasonOf(error);
    }
  }
  throw new AppError('STORE_DAMAGED', `${path} cannot be opened nor set aside`);
}

export const isDamage = (kind: FaultKind): boolean => kind === 'damaged' || kind === 'damaged-wal' || kind === 'fatal';

/** Reads what a truncated or overwritten file cannot give: the catalogue, and as many blocks as the header promises. */
async function probe(db: Db, path: string): Promise<void> {
  await db.all('SELECT max(n), max(line) FROM own.entries');
  await db.all('SELECT count(session) FROM own.sessions');
  const [size] = await db.all<{ block_size: number; used_blocks: number }>(
    'SELECT block_size, used_blocks FROM pragma_database_size()',
  );
  const { size: bytes } = await stat(path);
  // Free blocks at the end may be missing from a sound file.
  const promised = (size?.block_size ?? 0) * (size?.used_blocks ?? 0);
  if (bytes < promised) {
    throw new AppError('STORE_DAMAGED', `${path} has ${bytes} bytes, its header promises ${promised}`, {
      hint: 'run `dripstone run`: it is set aside and rebuilt',
    });
  }
}

export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return messageOf(cause).split('\n')[0]?.slice(0, 300) ?? '';
}

/** Tells a file and its WAL from what they were before, by stat alone. */
export async function stampOf(path: string): Promise<string> {
  const stats = await Promise.all([path, `${path}.wal`].map((file) => stat(file).catch(() => null)));
  return stats.map((info) => (info === null ? 'none' : `${info.dev}:${info.ino}:${info.size}:${info.mtimeMs}`)).join(' ');
}

export const renewed = (path: string): AppError =>
  new AppError('STORE_RENEWED', `${path} was deleted, replaced or changed by another program while it was in use`, {
    hint: 'run the same command again: what is missing comes back from tiers, crystals and logs',
  });
