/** Clears away temporary files that killed processes left among what we publish. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../../config.js';
import { sweepTemps } from '../../store/index.js';

/**
 * Ours alone, below the home: only names of our pattern whose process is gone. @returns how many
 * were removed
 */
export async function sweepHome({ home }: Pick<HomePaths, 'home'>): Promise<number> {
  let removed = 0;
  for (const folder of foldersBelow(home)) removed += (await sweepTemps(folder)).length;
  return removed;
}

/**
 * Of links only those among the home's own folders are followed: `projects/` may lie on a larger
 * disk.
 */
function foldersBelow(folder: string, depth = 0): string[] {
  return [
    folder,
    ...readdirSync(folder, { withFileTypes: true })
      .filter(
        (each) =>
          each.isDirectory() ||
          (depth === 0 && each.isSymbolicLink() && isFolder(join(folder, each.name))),
      )
      .flatMap((each) => foldersBelow(join(folder, each.name), depth + 1)),
  ];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
