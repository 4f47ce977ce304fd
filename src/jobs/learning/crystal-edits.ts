/** A person's changes in crystal.json become edits before anything is computed or written. */
import { accessSync, constants, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type OwnWords, formatCrystal, ownWords, rememberedEdits, withOwnWords } from '../../distill/index.js';
import { addNewEdits, loadProjects, metaValue, publishFile, setMeta } from '../../store/index.js';
import type { Edit, Project } from '../../types.js';
import { folderOf, isStale, readCrystal, setAside } from '../publishing/crystal-file.js';
import { settleAuthors } from './edit-authors.js';
import type { JobContext } from '../job.js';
import { maskValue, redactorOf } from '../upkeep/mask.js';
import { markDirty } from './dirty-projects.js';

/** @returns the edits that were new */
export async function takeCrystalEdits(context: JobContext, project: Project | null): Promise<Edit[]> {
  await maskOwnWords(context, project);
  const read = readCrystal(context.paths, project);
  if (read.text === null) return [];
  if (read.problems.length > 0) await keepAside(context, read);
  if (read.edits.length === 0) return [];
  const place = relative(context.paths.home, read.path).replaceAll('\\', '/');
  const fresh = await context.store.write((db) =>
    addNewEdits(
      db,
      project?.id ?? null,
      read.edits.map((edit) => ({ ...edit, place })),
    ),
  );
  if (fresh.length > 0) await settleAuthors(context);
  return fresh;
}

/**
 * A person's words are masked in the file itself: everything that reads it finds no secret, and the edit is told by the same
 * hashes.
 */
async function maskOwnWords(context: JobContext, project: Project | null): Promise<void> {
  const read = readCrystal(context.paths, project);
  const words = read.crystal === null ? null : ownWords(read.crystal);
  if (words === null) return;
  const masked = (await maskValue(words, await redactorOf(context))) as OwnWords;
  if (JSON.stringify(masked) === JSON.stringify(words)) return;
  // Single items that cannot be read stand in no crystal: the file as it was is kept first.
  if (read.problems.length > 0) await keepAside(context, read);
  if (!isStale(read)) await publishFile(read.path, formatCrystal(withOwnWords(read.crystal!, masked)));
}

/** A file that is no crystal at all makes room for a good one; one with single bad items is copied, its good ones count. */
async function keepAside(context: JobContext, read: ReturnType<typeof readCrystal>): Promise<void> {
  const bad = await setAside(read, read.crystal === null);
  context.log.warn(
    { file: bad, problems: read.problems.slice(0, 5) },
    'an edit of crystal.json could not be read; the file is kept',
  );
}

// What a person did to lessons, as crystal.json holds it: an older copy of the database does not know the newest of it.

/**
 * Looks at each crystal whose size or time is not the one that this database saw last: edits and tombstones that it lacks are
 * stored, and the lessons of that project are computed anew, with what a person changed in the file.
 */
export async function takeRememberedEdits(context: JobContext): Promise<void> {
  const projects = await context.store.read((db) => loadProjects(db));
  for (const project of [null, ...projects]) {
    // What cannot be read is named when its project is learnt or its crystal written; the others count meanwhile.
    if (isReadable(crystalPath(context, project))) await takeOf(context, project, projects);
  }
}

function crystalPath({ paths }: Pick<JobContext, 'paths'>, project: Project | null): string {
  return join(folderOf(paths, project), 'crystal.json');
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function takeOf({ store, paths, log }: JobContext, project: Project | null, all: readonly Project[]): Promise<void> {
  const stat = statSync(crystalPath({ paths }, project), { throwIfNoEntry: false });
  if (stat === undefined) return;
  const [key, mark] = [`crystal:${project?.id ?? ''}`, `${stat.size} ${stat.mtimeMs}`];
  if ((await store.read((db) => metaValue(db, key))) === mark) return;
  const { path, crystal, edits } = readCrystal(paths, project);
  await store.write(async (db) => {
    const fresh = crystal === null ? [] : await addNewEdits(db, project?.id ?? null, rememberedEdits(crystal));
    if (fresh.length > 0)
      log.info({ file: path, edits: fresh.length }, 'edits that the database did not know were taken from crystal.json');
    // Global lessons stand in every context.md.
    if (fresh.length + edits.length > 0) await markDirty(db, project === null ? all.map(({ id }) => id) : [project.id]);
    await setMeta(db, key, mark);
  });
}
