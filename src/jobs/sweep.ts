/** Clears away temporary files that killed processes left among what we publish. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../config.js';
import { sweepTemps } from '../store/index.js';

/** Ours alone, below the home: only names of our pattern whose process is gone. @returns how many were removed */
export const sweepHome = async ({ home }: Pick<HomePaths, 'home'>): Promise<number> => {
  let removed = 0;
  for (const folder of foldersBelow(home)) removed += (await sweepTemps(folder)).length;
  return removed;
};

/** Links are not followed. */
const foldersBelow = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory()).flatMap((each) => foldersBelow(join(folder, each.name))),
];
