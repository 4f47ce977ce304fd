/** Where a session worked that was started in the person's home: the repository, or else the known folder, whose files it touched most. Pure. */
import { dirname, join, resolve } from 'node:path';
import { folderKey, isWithin } from '../watchers/folder-path.js';

/** A file that calls of a session name, absolute or relative to the home. */
export interface TouchedFile {
  path: string;
  touches: number;
}

/**
 * @param home the person's home, which is never the answer
 * @param topOf top of the repository that a folder lies in, or null
 * @param known folders in which other sessions worked, for files that lie in no repository
 * @returns null when the files lie nowhere in particular
 */
export const touchedFolder = (
  files: readonly TouchedFile[],
  home: string,
  topOf: (folder: string) => string | null,
  known: readonly string[],
): string | null => {
  const own = folderKey(home);
  const others = known
    .filter((folder) => !isWithin(own, folderKey(folder)))
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const touches = new Map<string, number>();
  for (const file of files) {
    const folder = dirname(file.path.startsWith('~/') ? join(home, file.path.slice(2)) : resolve(home, file.path));
    const top = topOf(folder);
    const root =
      top !== null && folderKey(top) !== own ? top : others.find((other) => isWithin(folderKey(folder), folderKey(other)));
    if (root !== undefined) touches.set(root, (touches.get(root) ?? 0) + file.touches);
  }
  return [...touches].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? null;
};
