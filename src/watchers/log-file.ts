/** A log opened for reading: never blocks on a FIFO, never follows a link, never writes. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mtimeOf, pathBytes, reasonOf } from './file-facts.js';
import { MARK_BYTES, type Seen } from './guard.js';
import type { Checkpoint } from '../types.js';

/** Bytes of a log at given places; a file, or an invented one in tests. */
export interface LogBytes {
  device: string;
  inode: string;
  /** As they were when it was opened; later growth is the next reading's. */
  size: number;
  mtimeMs: number;
  /** Size and time at this moment. */
  now(): { size: number; mtimeMs: number };
  /** Fills `target` from `position`; fewer bytes than asked for mean the end. */
  read(target: Buffer, position: number): number;
  close(): void;
}

/** A path that is there and cannot be read as a log. */
export class UnreadableLog extends Error {}

/** A log that was changed, not only grown, while it was read: what was read last may never have stood in it. */
export class ChangedLog extends Error {}

/** @throws UnreadableLog with the reason in plain words */
export function openLog(path: string): LogBytes {
  let fd: number;
  try {
    // Without O_NONBLOCK four FIFOs hang every worker of libuv, and DuckDB with them.
    fd = openSync(pathBytes(path), constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    throw new UnreadableLog(reasonOf(error), { cause: error });
  }
  const stat = fstatSync(fd, { bigint: true });
  if (!stat.isFile()) {
    closeSync(fd);
    throw new UnreadableLog('not a plain file');
  }
  return {
    device: String(stat.dev),
    inode: String(stat.ino),
    size: Number(stat.size),
    mtimeMs: mtimeOf(stat),
    now: () => {
      const present = fstatSync(fd, { bigint: true });
      return { size: Number(present.size), mtimeMs: mtimeOf(present) };
    },
    read: (target, position) => readFully(fd, target, position),
    close: () => closeSync(fd),
  };
}

function readFully(fd: number, target: Buffer, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const count = readSome(fd, target, filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/** A network folder that is away, or a failing disk, is no fault of the log: it is tried again. */
function readSome(fd: number, target: Buffer, at: number, position: number): number {
  try {
    return readSync(fd, target, at, target.length - at, position);
  } catch (error) {
    throw new UnreadableLog(reasonOf(error), { cause: error });
  }
}

/** 16 hex: whether bytes are still the same. */
export function markOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

export interface Look {
  seen: Seen;
  /** The first KiB. */
  head: Buffer;
  /** The KiB before the saved offset; empty when it cannot be. */
  before: Buffer;
}

/** Reads what the guard has to know: at most two KiB. */
export function lookAt(log: LogBytes, saved: Checkpoint | null): Look {
  const head = slice(log, 0, Math.min(MARK_BYTES, log.size));
  const { device, inode, size } = log;
  if (saved === null || size < saved.offset)
    return { seen: { device, inode, size, headHash: null, tailHash: null }, head, before: Buffer.alloc(0) };
  const before = slice(log, Math.max(0, saved.offset - MARK_BYTES), Math.min(saved.offset, MARK_BYTES));
  const headHash = markOf(head.subarray(0, saved.headLength));
  const tailHash = markOf(before.subarray(before.length - Math.min(before.length, saved.tailLength)));
  return { seen: { device, inode, size, headHash, tailHash }, head, before };
}

function slice(log: LogBytes, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, log.read(bytes, from));
}
