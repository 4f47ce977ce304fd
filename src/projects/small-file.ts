/**
 * Files of repositories and of other programs (git, ignore rules, manifests, settings). Anybody may
 * have written them: a FIFO is not waited for, and long lines are not read.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

/**
 * Text of a regular file of at most `cap` bytes, else null: absent, unreadable, a folder, or too
 * large to be one.
 */
export function readSmall(path: string, cap: number): string | null {
  const bytes = readStart(path, cap + 1);
  return bytes === null || bytes.length > cap ? null : bytes.toString('utf8');
}

/**
 * The first bytes of a regular file, `most` at most; null for anything else, or when it cannot be
 * read.
 */
export function readStart(path: string, most: number): Buffer | null {
  let file: number | null = null;
  try {
    // Most are absent: an error with its stack is the dearer way to find out.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
    // It may be another one by now: a FIFO is opened without waiting for its writer, and asked
    // again.
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

/**
 * A rule, a requirement or a target is shorter; of a longer line a pattern that tries every
 * beginning takes minutes.
 */
const LONGEST_LINE = 4096;

/** The lines of such a file; one that no person wrote is left out. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.length <= LONGEST_LINE);
}
