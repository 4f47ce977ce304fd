/** Sessions whose folder belongs to another project now take along what they yielded; a project that lost its last folder becomes part of that one. */
import { existsSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { adoptCrystal, formatCrystal, joinCrystals, keyOfText, lessonId } from '../distill/index.js';
import { moveEdits, moveYields, publishFile, setSessionProjects, type Db } from '../store/index.js';
import type { LessonKind, Project } from '../types.js';
import { takeCrystalEdits } from './crystal-edits.js';
import { readCrystal } from './crystal-file.js';
import { readDetails, takeDetailEdits } from './detail-edits.js';
import type { JobContext } from './job.js';
import { addUnlearnt } from './unlearnt.js';

/**
 * The crystal of the one as part of the other's. What is killed in between is done again: the joined file holds all of both, and the old
 * one is removed after it.
 */
export const joinCrystalFiles = async (context: JobContext, from: Project, into: Project): Promise<void> => {
  // The other's detail files stay and are looked at before they are written; these are left behind.
  await takeDetailEdits(context, from, readDetails(context, from));
  for (const project of [from, into]) await takeCrystalEdits(context, project);
  const old = readCrystal(context.paths, from);
  if (old.crystal === null) return;
  const here = readCrystal(context.paths, into);
  await publishFile(here.path, formatCrystal(joinCrystals(here.crystal, adoptCrystal(old.crystal, into))));
  if (existsSync(old.path)) await unlink(old.path);
};

/** Call it in the transaction that settles the sessions. */
export const moveSessions = async (
  db: Db,
  rows: readonly { agent: string; session: string; project: string; before: string | null }[],
  joined: readonly (readonly [Project, Project])[],
): Promise<void> => {
  const moved = rows.filter(({ project, before }) => before !== null && before !== project);
  await setSessionProjects(db, rows);
  if (moved.length > 0) await moveYields(db, moved);
  for (const [from, into] of joined)
    await moveEdits(db, from.id, into.id, ({ kind, key, text }) => lessonId(into.id, kind as LessonKind, key ?? keyOfText(text)));
  const touched = [
    ...moved.flatMap(({ project, before }) => [project, before!]),
    ...joined.flatMap(([from, into]) => [from.id, into.id]),
  ];
  if (touched.length > 0) await addUnlearnt(db, new Set(touched));
};
