/** Reads and writes crystal.json of one project, and finds a person's edits in it. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { copyFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type HomePaths, projectFolder } from '../../config.js';
import {
  type Crystal,
  parseCrystal,
  planCrystalEdits,
  type ProjectClock,
  projectClockOf,
} from '../../lessons/index.js';
import { activeDays, badName, keptBad, projectClock, type Db } from '../../store/index.js';
import type { Edit, Project } from '../../types.js';

/** The contents of the file when it was read. */
export interface ReadCrystal {
  path: string;
  /** The text of the file; null without one. Writing checks that the file still has it. */
  text: string | null;
  crystal: Crystal | null;
  /** Errors in the file, one line each. */
  problems: string[];
  /** A person's changes since the file was last written. */
  edits: Edit[];
}

/** Never throws because of the file's content. */
export function readCrystal(paths: HomePaths, project: Pick<Project, 'slug'> | null): ReadCrystal {
  const path = join(projectFolder(paths, project), 'crystal.json');
  if (!existsSync(path)) return { path, text: null, crystal: null, problems: [], edits: [] };
  const text = readFileSync(path, 'utf8');
  const { crystal, problems } = parseCrystal(text);
  // The file's own time, so that reading the same edit twice gives the same event.
  const edits =
    crystal === null
      ? []
      : planCrystalEdits(crystal.written, crystal, statSync(path).mtime.toISOString());
  return { path, text, crystal, problems, edits };
}

/** The clock of a project (id; null: the person), from its rows and its crystal. */
export async function clockNow(
  db: Db,
  project: string | null,
  crystal: Crystal | null,
  now: string,
): Promise<ProjectClock> {
  const own = {
    day: await projectClock(db, project, now),
    activeDays: await activeDays(db, project, now),
  };
  return projectClockOf(own, crystal, now);
}

/** Limit on the kept versions of a broken file, so that they do not fill the disk. */
const BAD_KEPT = 20;

/**
 * Copies a broken file before it is rewritten: each version once, under its own name.
 * @param moved true if a good file replaces it; false if its other parts still count
 */
export async function quarantine({ path, text }: ReadCrystal, moved: boolean): Promise<string> {
  const same = badWith(path, text ?? '');
  const bad = same ?? badName(path);
  if (moved) await rename(path, bad);
  else if (same === null) await copyFile(path, bad);
  const kept = keptBad(path);
  for (const old of kept.slice(0, Math.max(0, kept.length - BAD_KEPT))) await unlink(old);
  return bad;
}

/** Whether a person saved the file after it was read. */
export function isStale(read: ReadCrystal): boolean {
  const now = existsSync(read.path) ? readFileSync(read.path, 'utf8') : null;
  return now !== read.text;
}

/** The copy with the same bytes, so that each version is kept once. */
function badWith(path: string, text: string): string | null {
  return keptBad(path).find((bad) => readFileSync(bad, 'utf8') === text) ?? null;
}
