import { MARK_BYTES } from './guard.js';
import { markOf, type LogBytes } from './log-file.js';
import type { Place } from './tail.js';

/**
 * The place in a log that is read whole or not at all.
 * @param head the log's first KiB
 * @param offset 0, or the log's size
 */
export const wholePlace = (log: LogBytes, head: Buffer, offset: number, line: number): Place => {
  const tail = Buffer.alloc(Math.min(MARK_BYTES, offset));
  if (offset > 0) log.read(tail, offset - tail.length);
  const first = head.subarray(0, Math.min(MARK_BYTES, offset));
  const { device, inode, size, mtimeMs } = log;
  return {
    device,
    inode,
    size,
    mtimeMs,
    offset,
    line,
    headLength: first.length,
    headHash: markOf(first),
    tailLength: tail.length,
    tailHash: markOf(tail),
  };
};
