/**
 * The home's lock: a second, tiny DuckDB file held open. DuckDB's kernel lock survives SIGSTOP and sleep, is gone after kill -9,
 * and a refusal names the holder; Node has nothing of the kind.
 */
import { mkdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleepReal } from 'node:timers/promises';
import { AppError, EXIT } from '../errors.js';
import type { Clock } from '../types.js';
import { openDatabase } from './duckdb.js';
import type { Database } from './duckdb.js';
import { describeHolder, faultKind, holderOf, storeError } from './fault.js';

export interface LockOptions {
  /** Path of daemon.lock.duckdb. */
  path: string;
  clock: Clock;
  /** `daemon`: refused at once with exit 12; `writer`: waits `waitMs`, then exit 11. */
  as: 'daemon' | 'writer';
  waitMs?: number;
  sleep?: (ms: number) => Promise<void>;
}

export interface HomeLock {
  release(): void;
}

/**
 * Takes the lock of a home, for the life of a daemon or for one writing command.
 *
 * @throws AppError DAEMON_RUNS (exit 12) or STORE_BUSY (exit 11), naming the process that holds it
 */
export async function acquireLock({ path, clock, as, waitMs = 0, sleep = (ms) => sleepReal(ms).then(() => undefined) }: LockOptions): Promise<HomeLock> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const until = clock.mono() + (as === 'writer' ? waitMs : 0);
  for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
    try {
      const database = await openLockFile(path);
      return { release: () => database.close() };
    } catch (error) {
      const left = until - clock.mono();
      if (faultKind(error) !== 'busy') throw storeError(error, path);
      if (left <= 0) throw refusal(error, path, as);
      await sleep(Math.min(pause, Math.max(1, left)));
    }
  }
}

/** The file holds nothing: a damaged one is made anew. DuckDB takes the lock before it reads, so nobody holds a file that it calls damaged. */
async function openLockFile(path: string): Promise<Database> {
  const options = { threads: 1, memoryLimitMb: 16 };
  try {
    return await openDatabase(path, options);
  } catch (error) {
    if (!['damaged', 'damaged-wal'].includes(faultKind(error))) throw error;
    await unlink(path);
    await unlink(`${path}.wal`).catch(() => undefined);
    return openDatabase(path, options);
  }
}

function refusal(error: unknown, path: string, as: 'daemon' | 'writer'): AppError {
  const who = describeHolder(holderOf(error instanceof Error ? error.message : String(error)));
  return as === 'daemon'
    ? new AppError('DAEMON_RUNS', `another daemon runs for ${dirname(path)}: ${who}`, { hint: 'stop it first, or leave it running', exitCode: EXIT.daemonRuns, cause: error })
    : new AppError('STORE_BUSY', `${dirname(path)} is being written by ${who}`, { hint: 'wait for it to finish; nothing is lost', exitCode: EXIT.busy, cause: error });
}

/** The process that holds the lock now, or null when nobody does. */
export async function lockHolder(path: string): Promise<{ pid: number | null; program: string | null } | null> {
  try {
    (await openDatabase(path, { readOnly: true, threads: 1, memoryLimitMb: 16 })).close();
    return null;
  } catch (error) {
    return faultKind(error) === 'busy' ? holderOf(error instanceof Error ? error.message : String(error)) : null;
  }
}
