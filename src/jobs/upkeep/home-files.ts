/** Lists every file of a home, also those on another disk. */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { HomePaths } from '../../config.js';
import { filesBelow } from '../../watchers/index.js';

export async function homeFiles(paths: HomePaths): Promise<string[]> {
  if (!existsSync(paths.home)) return [];
  // One turn of the event loop for each folder, since there may be thousands.
  const own = await readdir(paths.home, { recursive: true, withFileTypes: true });
  return [
    ...own.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name)),
    ...filesElsewhere(paths),
  ];
}

/**
 * Files of the home in other folders: the database with its logs and quarantined files, and the
 * content of linked folders.
 */
export function filesElsewhere(paths: HomePaths): string[] {
  const folder = dirname(paths.store);
  const beside =
    folder === paths.home
      ? []
      : readdirSync(folder)
          .filter((name) => isStoreName(name, paths))
          .map((name) => join(folder, name));
  const linked = [paths.projects, paths.global, paths.inbox, paths.logs].filter(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() && existsSync(path),
  );
  return [
    ...beside.flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path])),
    ...linked.flatMap((path) => filesBelow(path)),
  ];
}

/** Whether this is the database, or a file beside it with its name as a prefix. */
export function isStoreName(name: string, { store }: HomePaths): boolean {
  return name === basename(store) || name.startsWith(`${basename(store)}.`);
}
