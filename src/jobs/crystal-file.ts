/** crystal.json of one project on disk: reads it, takes a person's edits out of it, writes it whole. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HomePaths } from '../config.js';
import { parseCrystal, planCrystalEdits, type Crystal } from '../distill/index.js';
import type { Edit, Project } from '../types.js';

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

/** Keeps a file that we cannot understand beside itself before it is written anew. */
export const setAside = async (read: ReadCrystal): Promise<string> => {
  const bad = `${read.path}.bad`;
  await copyFile(read.path, bad);
  return bad;
};

/** True when a person saved the file after we read it. */
export const isStale = (read: ReadCrystal): boolean => {
  const now = existsSync(read.path) ? readFileSync(read.path, 'utf8') : null;
  return now !== read.text;
};
