/**
 * What a file shows without being opened, and what an error of the file system means to a person.
 */
import { isUtf8 } from 'node:buffer';
import { lstatSync, type BigIntStats } from 'node:fs';
import { sep } from 'node:path';
import { messageOf } from '../errors.js';

export interface Shown {
  /** Decimal text: 64-bit inodes do not fit a number. */
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

const ESCAPED = /\\x([\da-f]{2})/;

/**
 * Turns a name into text, whatever its bytes are: bytes that are not UTF-8 become `\xff`. In such a
 * name, and in one that already looks like it, backslashes are escaped too, so that `pathBytes`
 * restores the exact bytes.
 */
export function nameOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes) && !ESCAPED.test(text)) return text;
  let name = '';
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find(
      (each) => at + each <= bytes.length && isUtf8(bytes.subarray(at, at + each)),
    );
    const isPlain = length !== undefined && bytes[at] !== 0x5c;
    name += isPlain
      ? bytes.toString('utf8', at, at + length)
      : `\\x${bytes[at]!.toString(16).padStart(2, '0')}`;
    at += isPlain ? length : 1;
  }
  return name;
}

/**
 * A path in the form that the system takes. On Windows, where the backslash separates folders, all
 * names are Unicode; a home folder may be named like an escaped name.
 */
export function pathBytes(path: string): string | Buffer {
  if (sep === '\\' || !ESCAPED.test(path)) return path;
  const parts = path.split(/\\x([\da-f]{2})/);
  const bytes = Buffer.concat(
    parts.map((part, index) => Buffer.from(part, index % 2 === 0 ? 'utf8' : 'hex')),
  );
  return lstatSync(bytes, { throwIfNoEntry: false }) === undefined ? path : bytes;
}

/**
 * What a database's files show without being opened: new rows are in the `-wal` until the program
 * moves them.
 */
export function sizeOfDatabase(path: string): Shown {
  const own = shownBy(lstatSync(pathBytes(path), { bigint: true }));
  const wal = lstatSync(pathBytes(`${path}-wal`), { bigint: true, throwIfNoEntry: false });
  if (wal === undefined || wal.size === 0n) return own;
  return {
    ...own,
    size: own.size + Number(wal.size),
    mtimeMs: Math.max(own.mtimeMs, mtimeOf(wal)),
  };
}

/** Milliseconds with their fraction: an append within the same millisecond still shows. */
export function mtimeOf(stat: BigIntStats): number {
  return Number(stat.mtimeNs / 1000n) / 1000;
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

/** What an errno means to a person. */
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
