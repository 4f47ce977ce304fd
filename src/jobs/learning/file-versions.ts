/**
 * Versions of the files of a project that a person may edit, and which of them were taken in last.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DETAIL_FILES } from '../../context/index.js';
import { type Db, metaFrom } from '../../store/index.js';
import type { Project } from '../../types.js';

export const CRYSTAL = 'crystal.json';
export const DETAILS = Object.keys(DETAIL_FILES).map((name) => `detail/${name}.md`);

/**
 * The version of each file of one project's folder, by its path below that folder; a file that is
 * not there has none.
 */
export type Versions = Readonly<Record<string, string>>;

/**
 * Size and times: no program sets the time of change, and a file that was only touched is read once
 * more. Null also for a path that leads nowhere; writing to it then throws.
 */
export function versionOf(path: string): string | null {
  try {
    const { size, mtimeMs, ctimeMs } = statSync(path);
    return `${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return null;
  }
}

export function versionsIn(folder: string): Versions {
  return Object.fromEntries(
    [CRYSTAL, ...DETAILS].flatMap((file) => {
      const version = versionOf(join(folder, file));
      return version === null ? [] : [[file, version]];
    }),
  );
}

const TAKEN = 'hand:';

/** Key of what was taken in, in the store's `meta`. */
export function takenKey(project: Pick<Project, 'id'> | null): string {
  return `${TAKEN}${project?.id ?? ''}`;
}

/** The versions that were taken in last, by project. */
export async function takenVersions(
  db: Db,
): Promise<(project: Pick<Project, 'id'> | null) => Versions> {
  const taken = await metaFrom(db, TAKEN);
  return (project) => JSON.parse(taken.get(takenKey(project)) ?? '{}') as Versions;
}
