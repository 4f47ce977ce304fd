/** Reads size, time and identity of files without opening them; puts errors into plain words. */
import { lstatSync, type BigIntStats } from 'node:fs';
import { messageOf } from '../errors.js';

export interface Shown {
  /** Decimal text, because a number cannot contain a 64-bit inode. */
  device: string;
  inode: string;
  /** For a database, together with its `-wal`. */
  size: number;
  mtimeMs: number;
}

export function shownBy(stat: BigIntStats): Shown {
  return {
    device: String(stat.dev),
    inode: String(stat.ino),
    size: Number(stat.size),
    mtimeMs: mtimeOf(stat),
  };
}

/**
 * Size and time of a database without opening it. Includes the `-wal`, which has the new rows until
 * the program moves them.
 */
export function sizeOfDatabase(path: string): Shown {
  const own = shownBy(lstatSync(path, { bigint: true }));
  const wal = lstatSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
  if (wal === undefined || wal.size === 0n) return own;
  return {
    ...own,
    size: own.size + Number(wal.size),
    mtimeMs: Math.max(own.mtimeMs, mtimeOf(wal)),
  };
}

/** Milliseconds with a fraction, so that an append within the same millisecond changes them. */
export function mtimeOf(stat: BigIntStats): number {
  return Number(stat.mtimeNs / 1000n) / 1000;
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

/** An errno in plain words. */
export function reasonOf(error: unknown): string {
  const known: Record<string, string> = {
    EACCES: 'not readable: permission denied',
    EPERM: 'not readable: permission denied',
    ELOOP: 'a link, not a file',
    ENOTDIR: 'not a folder',
    ENOENT: 'gone',
    ESTALE: 'the network folder dropped it',
    EMFILE: 'too many open files',
    EIO: 'the disk reports an error',
    ENXIO: 'a FIFO, not a file',
  };
  return known[codeOf(error)] ?? messageOf(error);
}
