/**
 * Opens a database file. Never deletes a damaged file: renames it with a date and creates a new
 * one.
 */
import { lstat, readdir, rename, stat } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppError, EXIT, messageOf } from '../../errors.js';
import type { Db } from '../db.js';
import type { Database } from '../db.js';
import { type FaultKind, faultKind } from './fault.js';

export interface BootReport {
  /**
   * `opened`: the store is sound; `created`: there was no store; `wal-quarantined`: the last
   * commits are lost with the write-ahead log and are read again from the logs; `quarantined`: the
   * whole file was unusable, so the store is empty and must be rebuilt from tiers and logs.
   */
  action: 'opened' | 'created' | 'wal-quarantined' | 'quarantined';
  moved: Moved[];
  /** DuckDB's message about the damage; null without damage. */
  reason: string | null;
}

export const OPENED: BootReport = { action: 'opened', moved: [], reason: null };

/**
 * Opens a database file. Quarantines a damaged one and creates a new one, which the caller fills
 * again.
 * @throws errors of `open` other than damage; STORE_DAMAGED_AGAIN if quarantine did not help before
 */
export async function openHealing(
  path: string,
  now: Date,
  open: () => Promise<Database>,
): Promise<{ database: Database; report: BootReport }> {
  const report: BootReport = { ...OPENED, moved: [] };
  const wal = `${path}.wal`;
  const info = await stat(path).catch(() => null);
  if (!info) {
    // DuckDB would silently delete a WAL without its file.
    report.moved.push(...(await quarantine([wal], now)));
    report.action = report.moved.length > 0 ? 'quarantined' : 'created';
    report.reason =
      report.moved.length > 0 ? 'the database file was missing beside its write-ahead log' : null;
  } else if (!info.isFile()) {
    report.moved.push(...(await quarantine([path, wal], now)));
    Object.assign(report, { action: 'quarantined', reason: 'not a regular file' });
  }
  for (const rung of ['again', 'wal-quarantined', 'quarantined', null] as const) {
    let database: Database | null = null;
    try {
      database = await open();
      await probe(await database.connect(), path);
      return { database, report };
    } catch (error) {
      database?.close();
      const kind = faultKind(error);
      if (rung === null || !isDamage(kind)) throw error;
      if (rung === 'again') continue;
      const onlyWal = kind === 'damaged-wal' && rung === 'wal-quarantined';
      const moved = await quarantine(onlyWal ? [wal] : [path, wal], now);
      report.moved.push(...moved);
      report.action = onlyWal ? 'wal-quarantined' : 'quarantined';
      report.reason = reasonOf(error);
    }
  }
  throw new AppError('STORE_DAMAGED', `${path} can be neither opened nor quarantined`);
}

export function isDamage(kind: FaultKind): boolean {
  return kind === 'damaged' || kind === 'damaged-wal' || kind === 'fatal';
}

/**
 * Fails for a truncated or overwritten file: reads the catalogue, and compares the number of blocks
 * with the header.
 */
async function probe(db: Db, path: string): Promise<void> {
  await db.all('SELECT max(n), max(line) FROM own.entries');
  await db.all('SELECT count(session) FROM own.sessions');
  const [size] = await db.all<{ block_size: number; used_blocks: number }>(
    'SELECT block_size, used_blocks FROM pragma_database_size()',
  );
  const { size: bytes } = await stat(path);
  // A sound file may lack free blocks at its end.
  const promised = (size?.block_size ?? 0) * (size?.used_blocks ?? 0);
  if (bytes < promised) {
    throw new AppError(
      'STORE_DAMAGED',
      `${path} has ${bytes} bytes, but its header says ${promised}`,
      { hint: 'run `dripstone run`: it is quarantined and rebuilt' },
    );
  }
}

export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return messageOf(cause).split('\n')[0]?.slice(0, 300) ?? '';
}

/**
 * Identifies the state of a file and its WAL, by stat alone. Synchronous, since an idle daemon
 * calls this twice a second and the thread pool costs more.
 */
export function stampOf(path: string): string {
  return [path, `${path}.wal`].map(stampOfFile).join(' ');
}

/** Identifies the file, without its contents. */
export function fileOf(stamp: string): string {
  return stamp.split(':', 2).join(':');
}

function stampOfFile(path: string): string {
  try {
    const info = statSync(path, { throwIfNoEntry: false });
    return info === undefined ? 'none' : `${info.dev}:${info.ino}:${info.size}:${info.mtimeMs}`;
  } catch {
    return 'none';
  }
}

export function renewed(path: string): AppError {
  return new AppError(
    'STORE_RENEWED',
    `${path} was deleted, replaced or changed by another program`,
    {
      hint: 'run the same command again: what is missing comes back from tiers, crystals and logs',
    },
  );
}

/** A file that was renamed because it could not be used. */
interface Moved {
  from: string;
  to: string;
}

/** `memory.duckdb` at 04:17:09 on 20 November 2026 -> `memory.duckdb.damaged-20261120T041709Z`. */
function asideName(path: string, now: Date, attempt = 1): string {
  const stamp = now.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
  return `${path}.damaged-${stamp}${attempt > 1 ? `-${attempt}` : ''}`;
}

/**
 * If damage returns at once, the disk or another program causes it; endless rebuilding would fill
 * the disk.
 */
const MOST_PER_HOUR = 3;
/** More, since a WAL has only the last commits, and their logs are read again. */
const MOST_WALS_PER_HOUR = 30;
const HOUR_MS = 3_600_000;

/** Whether rebuilding has stopped, since it has not helped. */
export async function isGivenUp(path: string, now: Date): Promise<boolean> {
  return (await asideWithinHour(path, now)) >= MOST_PER_HOUR;
}

/**
 * Number of files of this name that were quarantined within an hour of `now`, by the time in their
 * names.
 */
async function asideWithinHour(path: string, now: Date): Promise<number> {
  const names = await readdir(dirname(path)).catch(() => []);
  const prefix = `${basename(path)}.damaged-`;
  return names.filter((name) => {
    const time = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(
      name.startsWith(prefix) ? name.slice(prefix.length) : '',
    );
    if (time === null) return false;
    const [year, month, day, hour, minute, second] = time.slice(1).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const age = now.getTime() - Date.UTC(year, month - 1, day, hour, minute, second);
    return Math.abs(age) < HOUR_MS;
  }).length;
}

/**
 * Renames those of `paths` that exist; never deletes or overwrites a file.
 * @throws STORE_DAMAGED_AGAIN if the first of them was quarantined too often within an hour
 */
export async function quarantine(paths: string[], now: Date): Promise<Moved[]> {
  const moved: Moved[] = [];
  const [main] = paths as [string];
  const times = await asideWithinHour(main, now);
  if (
    times >= (main.endsWith('.wal') ? MOST_WALS_PER_HOUR : MOST_PER_HOUR) &&
    (await exists(main))
  ) {
    throw new AppError(
      'STORE_DAMAGED_AGAIN',
      `${main} is damaged again; ${times} were quarantined within an hour, so it is not rebuilt again`,
      {
        hint:
          `check the disk and which other program writes to ${dirname(main)}; then remove or move away ` +
          `${basename(main)}.damaged-*, and \`dripstone run\` rebuilds it`,
        exitCode: EXIT.error,
      },
    );
  }
  for (const from of paths) {
    if (!(await exists(from))) continue;
    let attempt = 1;
    while (await exists(asideName(from, now, attempt))) attempt++;
    const to = asideName(from, now, attempt);
    await rename(from, to);
    moved.push({ from, to });
  }
  return moved;
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
