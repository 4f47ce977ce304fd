/**
 * The home's lock: a second, tiny DuckDB file that stays open. Node has no such lock: DuckDB's
 * kernel lock survives SIGSTOP and sleep, ends with kill -9, and its refusal names the holder.
 */
import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleepReal } from 'node:timers/promises';
import { AppError, EXIT, messageOf } from '../errors.js';
import type { Clock } from '../types.js';
import type { Database } from './db.js';
import { openDatabase } from './open-database.js';
import { describeHolder, faultKind, holderOf, storeError } from './repair/fault.js';

interface LockOptions {
  /** Path of daemon.lock.duckdb. */
  path: string;
  clock: Clock;
  /**
   * `daemon`: exit 12 at once if a daemon has the lock. Otherwise, and as `writer`: waits `waitMs`,
   * then exit 11.
   */
  as: 'daemon' | 'writer';
  /**
   * Whether the holder is a daemon, by its pid (null if unknown). Default: every holder counts as a
   * daemon.
   */
  isDaemon?: (pid: number | null) => boolean;
  waitMs?: number;
  sleep?: (ms: number) => Promise<void>;
}

interface HomeLock {
  release(): void;
}

/**
 * Takes the lock of a home, for a daemon's lifetime or for one writing command.
 *
 * @throws AppError DAEMON_RUNS (exit 12) or STORE_BUSY (exit 11), naming the holder
 */
export async function acquireLock({
  path,
  clock,
  as,
  isDaemon = () => true,
  waitMs = 0,
  sleep = (ms) => sleepReal(ms).then(() => undefined),
}: LockOptions): Promise<HomeLock> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const until = clock.mono() + waitMs;
  for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
    try {
      const database = await openLockFile(path);
      return { release: () => database.close() };
    } catch (error) {
      if (faultKind(error) !== 'busy') throw storeError(error, path);
      const holder = holderOf(messageOf(error));
      if (as === 'daemon' && isDaemon(holder.pid)) throw refuseDaemon(error, path);
      const left = until - clock.mono();
      if (left <= 0) throw refuseWriter(error, path);
      await sleep(Math.min(pause, Math.max(1, left)));
    }
  }
}

const OPTIONS = { threads: 1, memoryLimitMb: 16 };

/**
 * Links a missing file into place complete, and overwrites a damaged one. If it replaced the file,
 * two processes that start together could each lock a different file of that name.
 */
async function openLockFile(path: string): Promise<Database> {
  if (!existsSync(path)) await withSoundFile(path, (sound) => putThere(sound, path));
  try {
    return await openDatabase(path, OPTIONS);
  } catch (error) {
    if (!['damaged', 'damaged-wal'].includes(faultKind(error))) throw error;
    await withSoundFile(path, (sound) => writeOver(sound, path));
    return openDatabase(path, OPTIONS);
  }
}

async function withSoundFile(path: string, use: (sound: string) => Promise<void>): Promise<void> {
  const sound = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    (await openDatabase(sound, OPTIONS)).close();
    await use(sound);
  } finally {
    await unlink(sound).catch(() => undefined);
    await unlink(`${sound}.wal`).catch(() => undefined);
  }
}

/**
 * The first of several processes wins. Without hard links another process may see an incomplete
 * copy; it then treats the file as damaged and writes the same bytes.
 */
async function putThere(sound: string, path: string): Promise<void> {
  const exists = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';
  try {
    await link(sound, path);
  } catch (error) {
    if (exists(error)) return;
    await copyFile(sound, path, constants.COPYFILE_EXCL).catch((problem: unknown) => {
      if (!exists(problem)) throw problem;
    });
  }
}

/**
 * Safe if another process takes the lock meanwhile: it has read the file and never writes to it.
 */
async function writeOver(sound: string, path: string): Promise<void> {
  const bytes = await readFile(sound);
  const file = await open(path, 'r+');
  try {
    await file.write(bytes, 0, bytes.length, 0);
    await file.truncate(bytes.length);
  } finally {
    await file.close();
  }
  await unlink(`${path}.wal`).catch(() => undefined);
}

function refuseDaemon(error: unknown, path: string): AppError {
  return new AppError(
    'DAEMON_RUNS',
    `another daemon runs for ${dirname(path)}: ${holderNamed(error)}`,
    { hint: 'stop it first, or leave it running', exitCode: EXIT.daemonRuns, cause: error },
  );
}

function refuseWriter(error: unknown, path: string): AppError {
  return new AppError('STORE_BUSY', `${dirname(path)} is being written by ${holderNamed(error)}`, {
    hint: 'wait for it to finish; nothing is lost',
    exitCode: EXIT.busy,
    cause: error,
  });
}

function holderNamed(error: unknown): string {
  return describeHolder(holderOf(messageOf(error)));
}

/** The process that has the lock now, or null. */
export async function lockHolder(
  path: string,
): Promise<{ pid: number | null; program: string | null } | null> {
  try {
    (await openDatabase(path, { readOnly: true, threads: 1, memoryLimitMb: 16 })).close();
    return null;
  } catch (error) {
    return faultKind(error) === 'busy' ? holderOf(messageOf(error)) : null;
  }
}
