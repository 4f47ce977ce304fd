import { lstat, readdir, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { AppError, EXIT } from '../errors.js';

/** A file that was renamed because it could not be used. */
export interface Moved {
  from: string;
  to: string;
}

/** `memory.duckdb` at 04:17:09 on 20 November 2026 -> `memory.duckdb.damaged-20261120T041709Z`. */
function asideName(path: string, now: Date, attempt = 1): string {
  const stamp = now.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
  return `${path}.damaged-${stamp}${attempt > 1 ? `-${attempt}` : ''}`;
}

/** Damage that returns at once is the disk's or another program's: setting aside and rebuilding for ever would fill the disk. */
const MOST_PER_HOUR = 3;
/** Only the last commits are in it, and they are read again. */
const MOST_WALS_PER_HOUR = 30;
const HOUR_MS = 3_600_000;

/** Whether the database is not rebuilt any more, since that has not helped. */
export const isGivenUp = async (path: string, now: Date): Promise<boolean> => (await asideWithinHour(path, now)) >= MOST_PER_HOUR;

/** Files of this name that were set aside within an hour of `now`, by their names. */
async function asideWithinHour(path: string, now: Date): Promise<number> {
  const names = await readdir(dirname(path)).catch(() => []);
  const prefix = `${basename(path)}.damaged-`;
  return names.filter((name) => {
    const time = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '');
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
 * Renames what exists among `paths`; nothing is ever deleted or overwritten.
 * @throws STORE_DAMAGED_AGAIN when the first of them was set aside three times within an hour
 */
export async function setAside(paths: string[], now: Date): Promise<Moved[]> {
  const moved: Moved[] = [];
  const [main] = paths as [string];
  const times = await asideWithinHour(main, now);
  if (times >= (main.endsWith('.wal') ? MOST_WALS_PER_HOUR : MOST_PER_HOUR) && (await exists(main))) {
    throw new AppError(
      'STORE_DAMAGED_AGAIN',
      `${main} is damaged again; ${times} were set aside within an hour, so it is not rebuilt once more`,
      {
        hint: `check the disk and what else writes to ${dirname(main)}; then remove or move away ${basename(main)}.damaged-*, and \`dripstone run\` rebuilds it`,
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

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
