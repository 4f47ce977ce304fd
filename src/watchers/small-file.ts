/** Files of repositories (git's, ignore rules, manifests, instructions): small, or not what they seem. */
import { readFileSync, statSync } from 'node:fs';

/** Text of a regular file of at most `cap` bytes, else null: absent, unreadable, a folder, or too large to be one. */
export const readSmall = (path: string, cap: number): string | null => {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= cap ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
};
