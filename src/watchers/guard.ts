/** Decides whether a saved position is still valid. Pure. */
import type { Checkpoint } from '../types.js';

/** Bytes that the head and tail marks cover; fewer may be equal in records of equal length. */
export const MARK_BYTES = 1024;

/** The present state of the file. */
export interface Seen {
  inode: string;
  size: number;
  /** Hash of the first `saved.head_length` bytes; null: there are fewer, or none was saved. */
  head_hash: string | null;
  /** Hash of the `saved.tail_length` bytes before `saved.offset`; null likewise. */
  tail_hash: string | null;
}

export interface ReadPlan {
  /** Offset to read from. */
  from: number;
  /** True: start again with the adapter's first state. Ids prevent duplicates. */
  fresh: boolean;
}

/**
 * Decides where to continue reading. The path does not matter: a moved log continues at its
 * position. The device may change at a boot. A log with another inode, with fewer bytes than were
 * read, or with other bytes at a mark is read from the start.
 */
export function planRead(saved: Checkpoint | null, seen: Seen): ReadPlan {
  const continues =
    saved?.inode === seen.inode &&
    seen.size >= saved.offset &&
    saved.head_hash === seen.head_hash &&
    saved.tail_hash === seen.tail_hash;
  return continues ? { from: saved.offset, fresh: false } : { from: 0, fresh: true };
}

/** A last line without a newline is read if it is complete and did not change for this long. */
export const STILL_MS = 600_000;

/** Compares times in milliseconds, which copies and the database round. */
export function isSameTime(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.001;
}

/** The fields of a log's checkpoint that a scan compares. */
export type SeenLog = Pick<Checkpoint, 'inode' | 'size' | 'mtime_ms' | 'offset' | 'last_read'>;

/**
 * Decides from size and time whether a log must be opened at all. A log with an incomplete last
 * line is opened once more after it has not changed for a while.
 * @param now wall clock in ms
 */
export function needsReading(
  saved: SeenLog | null,
  log: { device: string; inode: string; size: number; mtimeMs: number },
  now: number,
): boolean {
  if (saved === null) return true;
  if (
    saved.inode !== log.inode ||
    saved.size !== log.size ||
    !isSameTime(saved.mtime_ms, log.mtimeMs)
  )
    return true;
  const stillAt = log.mtimeMs + STILL_MS;
  return saved.offset < saved.size && now >= stillAt && Date.parse(saved.last_read) < stillAt;
}
