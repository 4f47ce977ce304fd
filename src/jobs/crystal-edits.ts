/** A person's changes in crystal.json become edits before anything is computed or written. */
import { rename } from 'node:fs/promises';
import { addEdit, loadEdits } from '../store/index.js';
import type { Edit, Project } from '../types.js';
import { readCrystal, setAside } from './crystal-file.js';
import type { JobContext } from './job.js';

/** @returns the edits that were new */
export const takeCrystalEdits = async (context: JobContext, project: Project | null): Promise<Edit[]> => {
  const read = readCrystal(context.paths, project);
  if (read.text === null) return [];
  if (read.problems.length > 0) await keepAside(context, read);
  if (read.edits.length === 0) return [];
  return context.store.write(async (db) => {
    const owner = project?.id ?? null;
    const known = new Set((await loadEdits(db, owner)).map(keyOf));
    const fresh = read.edits.filter((edit) => !known.has(keyOf(edit)));
    for (const edit of fresh) await addEdit(db, owner, edit);
    return fresh;
  });
};

const keyOf = (edit: Edit): string => JSON.stringify([edit.lesson, edit.action, edit.text, edit.kind, edit.scope, edit.time]);

/** A file that is no crystal at all makes room for a good one; one with single bad items is copied, its good ones count. */
const keepAside = async (context: JobContext, read: ReturnType<typeof readCrystal>): Promise<void> => {
  const bad = `${read.path}.bad`;
  if (read.crystal === null) await rename(read.path, bad);
  else await setAside(read);
  context.log.warn({ file: bad, problems: read.problems.slice(0, 5) }, 'an edit of crystal.json could not be read; the file is kept');
};
