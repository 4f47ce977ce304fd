/** A person's changes in crystal.json become edits before anything is computed or written. */
import { relative } from 'node:path';
import { formatCrystal, ownWords, withOwnWords, type OwnWords } from '../distill/index.js';
import { addNewEdits, publishFile } from '../store/index.js';
import type { Edit, Project } from '../types.js';
import { settleAuthors } from './edit-authors.js';
import { isStale, readCrystal, setAside } from './crystal-file.js';
import type { JobContext } from './job.js';
import { maskValue, redactorOf } from './mask.js';

/** @returns the edits that were new */
export const takeCrystalEdits = async (context: JobContext, project: Project | null): Promise<Edit[]> => {
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
};

/** A person's words are masked in the file itself: everything that reads it finds no secret, and the edit is told by the same hashes. */
const maskOwnWords = async (context: JobContext, project: Project | null): Promise<void> => {
  const read = readCrystal(context.paths, project);
  const words = read.crystal === null ? null : ownWords(read.crystal);
  if (words === null) return;
  const masked = (await maskValue(words, await redactorOf(context))) as OwnWords;
  if (JSON.stringify(masked) === JSON.stringify(words)) return;
  // Single items that cannot be read stand in no crystal: the file as it was is kept first.
  if (read.problems.length > 0) await keepAside(context, read);
  if (!isStale(read)) await publishFile(read.path, formatCrystal(withOwnWords(read.crystal!, masked)));
};

/** A file that is no crystal at all makes room for a good one; one with single bad items is copied, its good ones count. */
const keepAside = async (context: JobContext, read: ReturnType<typeof readCrystal>): Promise<void> => {
  const bad = await setAside(read, read.crystal === null);
  context.log.warn(
    { file: bad, problems: read.problems.slice(0, 5) },
    'an edit of crystal.json could not be read; the file is kept',
  );
};
