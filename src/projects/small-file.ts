/**
 * Reads files of repositories and other programs (git, ignore rules, manifests, settings). Anybody
 * may have written them, so a FIFO must not block and long lines are skipped.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** Text of a regular file of at most `cap` bytes; null if absent, unreadable or larger. */
export function readSmall(path: string, cap: number): string | null {
  const bytes = readStart(path, cap + 1);
  return bytes === null || bytes.length > cap ? null : bytes.toString('utf8');
}

/** The first bytes of a regular file, at most `most`; null for anything else or on failure. */
export function readStart(path: string, most: number): Buffer | null {
  let file: number | null = null;
  try {
    // Most of these files are absent, and an error with its stack takes more time.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
    // The file may have changed since: open a FIFO without waiting for a writer, and check again.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(file);
    if (!stat.isFile()) return null;
    const bytes = Buffer.allocUnsafe(Math.min(stat.size, most));
    let filled = 0;
    for (let count = -1; count !== 0 && filled < bytes.length; filled += count)
      count = readSync(file, bytes, filled, bytes.length - filled, filled);
    return bytes.subarray(0, filled);
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Longest useful line. A pattern that tries every start takes minutes on a longer one. */
const LONGEST_LINE = 4096;

/** The lines of such a file without those that are too long. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.length <= LONGEST_LINE);
}
