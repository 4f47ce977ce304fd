/** What a person did to lessons, as crystal.json holds it: an older copy of the database does not know the newest of it. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { rememberedEdits } from '../distill/index.js';
import { addNewEdits, loadProjects, metaValue, setMeta } from '../store/index.js';
import type { Project } from '../types.js';
import { folderOf, readCrystal } from './crystal-file.js';
import type { JobContext } from './job.js';
import { addUnlearnt } from './unlearnt.js';

/**
 * Looks at each crystal whose size or time is not the one that this database saw last: edits and tombstones that it lacks are stored, and
 * the lessons of that project are computed anew, with what a person changed in the file.
 */
export const takeRememberedEdits = async (context: JobContext): Promise<void> => {
  const projects = await context.store.read((db) => loadProjects(db));
  for (const project of [null, ...projects]) {
    // What cannot be read is named when its project is learnt or its crystal written; the others count meanwhile.
    if (isReadable(crystalPath(context, project))) await takeOf(context, project, projects);
  }
};

const crystalPath = ({ paths }: Pick<JobContext, 'paths'>, project: Project | null): string =>
  join(folderOf(paths, project), 'crystal.json');

const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const takeOf = async ({ store, paths, log }: JobContext, project: Project | null, all: readonly Project[]): Promise<void> => {
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
    if (fresh.length + edits.length > 0) await addUnlearnt(db, project === null ? all.map(({ id }) => id) : [project.id]);
    await setMeta(db, key, mark);
  });
};
