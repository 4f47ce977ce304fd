/** Opens a log for reading: never blocks on a FIFO, never follows a link, never writes. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { reasonOf, shownBy, type Shown } from './file-facts.js';
import { MARK_BYTES, type Seen } from './guard.js';
import type { Checkpoint } from '../types.js';
import { shortHash } from '../text/fingerprint.js';

/** The bytes of a log at its opening; later growth is read next time. */
export interface LogBytes extends Shown {
  /** Size and time at this moment. */
  now(): { size: number; mtimeMs: number };
  /** Fills `target` from `position`; fewer bytes than requested mean the end. */
  read(target: Buffer, position: number): number;
  close(): void;
}

/** A path that exists but cannot be read as a log. */
export class UnreadableLog extends Error {}

/** A log was rewritten during reading, so the last bytes read may never have been in it. */
export class ChangedLog extends Error {}

/** @throws UnreadableLog with the reason in plain words */
export function openLog(path: string): LogBytes {
  let fd: number;
  try {
    // Without O_NONBLOCK a few FIFOs block every worker of libuv, and so DuckDB, too.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    throw new UnreadableLog(reasonOf(error), { cause: error });
  }
  const stat = fstatSync(fd, { bigint: true });
  if (!stat.isFile()) {
    closeSync(fd);
    throw new UnreadableLog('not a plain file');
  }
  return {
    ...shownBy(stat),
    now: () => shownBy(fstatSync(fd, { bigint: true })),
    read: (target, position) => readFully(fd, target, position),
    close: () => closeSync(fd),
  };
}

/** Reads bytes. A network folder or a disk may recover, so reading is tried again later. */
function readFully(fd: number, target: Buffer, position: number): number {
  let filled = 0;
  try {
    while (filled < target.length) {
      const count = readSync(fd, target, filled, target.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  } catch (error) {
    throw new UnreadableLog(reasonOf(error), { cause: error });
  }
}

/** 16 hex digits that identify the bytes. */
export function markOf(bytes: Buffer): string {
  return shortHash(bytes, 16);
}

export interface Look {
  seen: Seen;
  /** The first KiB. */
  head: Buffer;
  /** The KiB before the saved offset; empty if there is none. */
  before: Buffer;
}

/** Reads the bytes that the guard compares: at most two KiB. */
export function lookAt(log: LogBytes, saved: Checkpoint | null): Look {
  const head = slice(log, 0, Math.min(MARK_BYTES, log.size));
  const { inode, size } = log;
  const seen = { inode, size, head_hash: null, tail_hash: null };
  if (saved === null || size < saved.offset) return { seen, head, before: Buffer.alloc(0) };
  const marked = Math.min(saved.offset, MARK_BYTES);
  const before = slice(log, saved.offset - marked, marked);
  const head_hash = markOf(head.subarray(0, saved.head_length));
  const tail_hash = markOf(before.subarray(Math.max(0, before.length - saved.tail_length)));
  return { seen: { ...seen, head_hash, tail_hash }, head, before };
}

function slice(log: LogBytes, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, log.read(bytes, from));
}
