/** Opens the store at start and climbs the ladder for damaged files: set aside with a date, never deleted, and made anew. */
import { stat } from 'node:fs/promises';
import { AppError, messageOf } from '../errors.js';
import type { Db } from './db.js';
import { faultKind } from './fault.js';
import { dropRebuild } from './rebuild.js';
import { setAside } from './set-aside.js';
import type { Moved } from './set-aside.js';
import { openStore } from './store.js';
import type { Store, StoreOptions } from './store.js';

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

/**
 * @throws AppError for what is no damage: STORE_BUSY, STORE_NEWER, DISK_FULL, STORE_NOT_WRITABLE
 */
export async function bootStore(options: StoreOptions): Promise<{ store: Store; report: BootReport }> {
  const { path, clock } = options;
  const report: BootReport = { action: 'opened', moved: [], reason: null };
  const wal = `${path}.wal`;
  await dropRebuild(path);
  const info = await stat(path).catch(() => null);
  if (!info) {
    // DuckDB would silently throw a WAL away whose file is missing.
    report.moved.push(...(await setAside([wal], clock.now())));
    report.action = report.moved.length > 0 ? 'set-aside' : 'created';
    report.reason = report.moved.length > 0 ? 'the database file was missing beside its write-ahead log' : null;
  } else if (!info.isFile()) {
    report.moved.push(...(await setAside([path, wal], clock.now())));
    Object.assign(report, { action: 'set-aside', reason: 'not a regular file' });
  }
  for (const rung of ['again', 'wal-set-aside', 'set-aside', null] as const) {
    const store = openStore(options);
    try {
      await store.read((db) => probe(db, path));
      return { store, report };
    } catch (error) {
      await store.close();
      const kind = faultKind(error);
      if (rung === null || !['damaged', 'damaged-wal', 'fatal'].includes(kind)) throw error;
      if (rung === 'again') continue;
      const onlyWal = kind === 'damaged-wal' && rung === 'wal-set-aside';
      const moved = await setAside(onlyWal ? [wal] : [path, wal], clock.now());
      report.moved.push(...moved);
      report.action = onlyWal ? 'wal-set-aside' : 'set-aside';
      report.reason = reasonOf(error);
    }
  }
  throw new AppError('STORE_DAMAGED', `${path} cannot be opened nor set aside`);
}

/** Sets the file aside after damage showed while it was in use; the next read or write makes a new one, to be rebuilt by the caller. */
export async function rescueStore(store: Store, now: Date, error: unknown): Promise<BootReport> {
  const moved = await store.withClosed(() => setAside([store.path, `${store.path}.wal`], now));
  return { action: 'set-aside', moved, reason: reasonOf(error) };
}

/** Reads every row of every table. @returns whether that shows damage: what DuckDB says of one statement may quote a text that only sounds like it */
export async function confirmDamage(store: Store): Promise<boolean> {
  try {
    await store.read(async (db) => {
      const tables = await db.all<{ name: string }>(`SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'own'`);
      for (const { name } of tables) await db.all(`SELECT bit_xor(hash(t)) FROM own."${name}" t`);
    });
    return false;
  } catch (error) {
    return ['damaged', 'damaged-wal', 'fatal'].includes(faultKind(error));
  }
}

/** Reads what a truncated or overwritten file cannot give: the catalogue, and as many blocks as the header promises. */
async function probe(db: Db, path: string): Promise<void> {
  await db.all('SELECT max(n), max(line) FROM own.entries');
  await db.all('SELECT count(session) FROM own.sessions');
  const [size] = await db.all<{ block_size: number; used_blocks: number }>('SELECT block_size, used_blocks FROM pragma_database_size()');
  const { size: bytes } = await stat(path);
  // Free blocks at the end may be missing from a sound file.
  const promised = (size?.block_size ?? 0) * (size?.used_blocks ?? 0);
  if (bytes < promised) {
    throw new AppError('STORE_DAMAGED', `${path} has ${bytes} bytes, its header promises ${promised}`, { hint: 'run `dripstone run`: it is set aside and rebuilt' });
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return messageOf(cause).split('\n')[0]?.slice(0, 300) ?? '';
}
