/** Files of repositories (git's, ignore rules, manifests, instructions): small, or not what they seem. */
import { readFileSync, statSync } from 'node:fs';

/** Text of a regular file of at most `cap` bytes, else null: absent, unreadable, a folder, or too large to be one. */
export function readSmall(path: string, cap: number): string | null {
  try {
    // Most are absent: an error with its stack costs 20 times as much as being told so.
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat !== undefined && stat.isFile() && stat.size <= cap ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
