import type { Checkpoint } from '../types.js';

type Stored = Pick<Checkpoint, 'path' | 'device' | 'inode' | 'headLength' | 'headHash'> & { log: number };

/**
 * Which stored log a checkpoint belongs to; null = a log never seen before. `near` are the stored logs with the same path or the
 * same device and inode, newest first.
 *
 * - same file (device, inode) at the same path: grown, truncated or rewritten in place;
 * - same file with the same head at another path: moved;
 * - another file at the same path with the same head: written anew by rename;
 * - another file at the same path with another head: rotation. The old row keeps its entries and follows the old file.
 */
export function planSource(checkpoint: Checkpoint, near: Stored[]): number | null {
  const sameFile = (row: Stored) => row.device === checkpoint.device && row.inode === checkpoint.inode;
  const sameHead = (row: Stored) => row.headHash === checkpoint.headHash && row.headLength === checkpoint.headLength;
  const samePath = (row: Stored) => row.path === checkpoint.path;
  const found =
    near.find((row) => sameFile(row) && samePath(row)) ??
    near.find((row) => sameFile(row) && sameHead(row)) ??
    near.find((row) => samePath(row) && sameHead(row));
  return found?.log ?? null;
}
