/**
 * Stores and publishes a person's edit before the command ends. It reads no log and no fact query:
 * it forms the project's lessons again from the stored lessons and the edits.
 */
import type { ProjectClock } from '../../lessons/index.js';
import { AppError, EXIT } from '../../errors.js';
import {
  addNewEdits,
  isNewRequest,
  loadEdits,
  loadLessons,
  loadProjects,
  saveLessons,
  typedText,
  markDirty,
} from '../../store/index.js';
import { MOST_LESSON_CHARS, type Edit, type Lesson, type Project } from '../../types.js';
import { publishProjects } from '../publishing/context.js';
import { clockNow, readCrystal } from '../publishing/crystal-file.js';
import { writeCrystals } from '../publishing/write-crystal.js';
import type { JobContext } from '../job.js';
import { takeHandEdits } from './hand-edits.js';
import { learntClock } from './learn.js';
import { forgottenGlobally, packagesOf } from './material.js';

/**
 * @param request id of the request: an edit that is stored with this id is only published again
 * @param owner project id, or null for a global lesson: the global page shows it at once, the
 * others after the next run
 * @returns the lesson after the edit; null if an undone addition removed it
 * @throws AppError exit 2 for a text that is too long
 */
export async function applyEdit(
  context: JobContext,
  edit: Edit,
  owner: string | null,
  request: string,
): Promise<Lesson | null> {
  if ((edit.text?.length ?? 0) > MOST_LESSON_CHARS)
    throw new AppError(
      'LESSON_TOO_LONG',
      `a lesson has at most ${MOST_LESSON_CHARS} characters, not ${edit.text!.length}`,
      {
        hint: 'say it in a sentence or two; longer text belongs in notes.md',
        exitCode: EXIT.usage,
      },
    );
  const projects = await context.store.write(async (db) => {
    const all = await loadProjects(db);
    // After a loss the new database lacks the request, but it gets the edit from the crystal.
    if (await isNewRequest(db, request, context.clock.now())) await addNewEdits(db, owner, [edit]);
    await markDirty(db, owner === null ? all.map(({ id }) => id) : [owner]);
    return all;
  });
  const project = projects.find(({ id }) => id === owner) ?? null;
  await takeHandEdits(context, [project]);
  const { lessons, clock } = await reform(context, project);
  await writeCrystals(context, [project], { learnt: clock });
  await publishProjects(context, [project]);
  return lessons.find(({ id }) => id === edit.lesson) ?? null;
}

/** Forms the lessons of a project (null: the person) again, from stored ones and edits. */
async function reform(
  context: JobContext,
  project: Project | null,
): Promise<{ lessons: Lesson[]; clock: ProjectClock }> {
  const id = project?.id ?? null;
  const now = context.clock.now().toISOString();
  const { crystal } = readCrystal(context.paths, project);
  const known = await context.store.read(async (db) => ({
    lessons: await loadLessons(db, { owner: id }),
    globals: id === null ? [] : await loadLessons(db, { owner: null }),
    forgottenEverywhere:
      id === null ? new Set<string>() : await forgottenGlobally(db, context.paths),
    edits: await loadEdits(db, id),
    // Lessons without an edit stay as the last learning computed them.
    clock: (await learntClock(db, id)) ?? (await clockNow(db, id, crystal, now)),
    typed: await typedText(db),
  }));
  const lessons = await context.compute.run('reform', {
    ...known,
    project,
    packages: packagesOf(project),
    tombstones: crystal?.tombstones ?? [],
  });
  await context.store.write((db) => saveLessons(db, id, lessons, known.lessons));
  return { lessons, clock: known.clock };
}
