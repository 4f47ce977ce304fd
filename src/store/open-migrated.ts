/**
 * Opens the store's file for use: waits while another process uses it, creates it if it is missing,
 * and migrates it.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, EXIT } from '../errors.js';
import type { Clock } from '../types.js';
import type { Database, Db } from './db.js';
import { checkVersion, isOutdated, migrate, readMeta, versionOf } from './migrate.js';
import { STORE_VERSION } from './schema.js';
import { openDatabase } from './open-database.js';
import { faultKind, storeError } from './repair/fault.js';

export interface StoreOptions {
  /** The database file itself, never a link to it; see `trueFile`. */
  path: string;
  /**
   * The file's path inside the home, if that path is a link, since `projects/` with the tiers is in
   * the home. Default: `path`.
   */
  named?: string;
  clock: Clock;
  /** How long to wait for other processes that use the file, before STORE_BUSY (exit 11). */
  lockWaitMs: number;
  /** Never creates or changes the file; NO_STORE (exit 10) if the file is missing. */
  readOnly?: boolean;
  /**
   * Called before the migration. Throws while an older program uses the store, since that program
   * could not read the migrated file.
   */
  beforeMigration?: (path: string) => void;
  /** Asks the process that uses the file to close it, until `signal` is aborted. */
  askFree?: (signal: AbortSignal) => Promise<void>;
  memoryLimitMb?: number;
  checkpointMb?: number;
  /** Replaced in tests. */
  sleep?: (ms: number) => Promise<void>;
  freeBytes?: (folder: string) => Promise<number>;
}

/**
 * Well below the time for which a busy daemon closes the file, so that a search does not miss that
 * time.
 */
const LONGEST_PAUSE_MS = 40;

/**
 * Opens and migrates the file; while another process uses the file, tries again with growing pauses
 * until `lockWaitMs` is over.
 */
export async function openWaiting(
  options: StoreOptions,
  sleep: (ms: number) => Promise<void>,
  open: () => Promise<Database>,
): Promise<Database> {
  const until = options.clock.mono() + options.lockWaitMs;
  for (let pause = 10; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await open();
    } catch (error) {
      const left = until - options.clock.mono();
      if (faultKind(error) !== 'busy' || left <= 0) throw storeError(error, options.path);
      await sleep(Math.min(pause, Math.max(1, left)));
    }
  }
}

export async function openReady(options: StoreOptions): Promise<Database> {
  const exists = await stat(options.path).then(
    () => true,
    () => false,
  );
  if (options.readOnly) {
    if (!exists)
      throw new AppError('NO_STORE', `there is no store yet at ${options.path}`, {
        hint: 'run `dripstone run` first',
        exitCode: EXIT.noStore,
      });
    const database = await openDatabase(options.path, options);
    if (!(await isStale(database, options))) return database;
    database.close();
    (await openAndMigrate(options)).close();
    return openDatabase(options.path, options);
  }
  if (!exists) await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
  return openAndMigrate(options);
}

/** @throws STORE_NEWER, and errors of `beforeMigration` */
async function checkedMeta(
  db: Db,
  { path, beforeMigration }: StoreOptions,
): ReturnType<typeof readMeta> {
  const meta = await readMeta(db);
  const version = versionOf(meta);
  if (version > 0 && version < STORE_VERSION) beforeMigration?.(path);
  checkVersion(meta, path);
  return meta;
}

/** Whether an older program wrote the file, or its home moved. @throws STORE_NEWER */
async function isStale(database: Database, options: StoreOptions): Promise<boolean> {
  try {
    const meta = await checkedMeta(await database.connect(), options);
    return isOutdated(meta, options.named ?? options.path);
  } catch (error) {
    database.close();
    throw error;
  }
}

export async function openAndMigrate(options: StoreOptions): Promise<Database> {
  const database = await openDatabase(options.path, { ...options, readOnly: false });
  try {
    const db = await database.connect();
    const meta = await checkedMeta(db, options);
    await migrate(db, meta, options.named ?? options.path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
