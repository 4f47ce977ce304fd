/** crystal.json of one project on disk: reads it, takes a person's edits out of it, writes it whole. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { copyFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { HomePaths } from '../config.js';
import { parseCrystal, planCrystalEdits, type Crystal } from '../distill/index.js';
import { badName } from '../store/index.js';
import type { Edit, Project } from '../types.js';
import { badWith, keptBad } from './kept-bad.js';

/** What the file said when it was read. */
export interface ReadCrystal {
  path: string;
  /** The bytes read; null when there is no file. Writing checks that they still stand. */
  text: string | null;
  crystal: Crystal | null;
  /** What could not be understood, one line each. */
  problems: string[];
  /** What a person changed since we wrote it. */
  edits: Edit[];
}

/** The folder of a project's files; null is what is true everywhere. */
export const folderOf = (paths: HomePaths, project: Pick<Project, 'slug'> | null): string =>
  project === null ? paths.global : join(paths.projects, project.slug);

/** Never throws for what stands in the file. */
export const readCrystal = (paths: HomePaths, project: Pick<Project, 'slug'> | null): ReadCrystal => {
  const path = join(folderOf(paths, project), 'crystal.json');
  if (!existsSync(path)) return { path, text: null, crystal: null, problems: [], edits: [] };
  const text = readFileSync(path, 'utf8');
  const { crystal, problems } = parseCrystal(text);
  // The file's own time: reading the same edit twice gives the same event, which is kept once.
  const edits = crystal === null ? [] : planCrystalEdits(crystal.written, crystal, statSync(path).mtime.toISOString());
  return { path, text, crystal, problems, edits };
};

/** So many broken versions are kept: a program that spoils the file each day must not fill the disk. */
const BAD_KEPT = 20;

/**
 * Keeps a file that we cannot understand beside itself before it is written anew: each version once, under a name of its own.
 * @param moved whether it makes room for a good one, or stays because the rest of it counts
 */
export const setAside = async ({ path, text }: ReadCrystal, moved: boolean): Promise<string> => {
  const same = badWith(path, text ?? '');
  const bad = same ?? badName(path);
  if (moved) await rename(path, bad);
  else if (same === null) await copyFile(path, bad);
  const kept = keptBad(path);
  for (const old of kept.slice(0, Math.max(0, kept.length - BAD_KEPT))) await unlink(old);
  return bad;
};

/** True when a person saved the file after we read it. */
export const isStale = (read: ReadCrystal): boolean => {
  const now = existsSync(read.path) ? readFileSync(read.path, 'utf8') : null;
  return now !== read.text;
};
