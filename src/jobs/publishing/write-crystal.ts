/** Folds the lessons of a project into its crystal.json; a person's edits are taken in before, also those made meanwhile. */
import { renderCrystal, type CrystalEntity, type CrystalRelation } from '../../distill/index.js';
import {
  activeDays,
  loadEdits,
  loadEntities,
  loadLessons,
  loadRelationSessions,
  projectClock,
  publishFile,
} from '../../store/index.js';
import type { Project } from '../../types.js';
import { isStale, readCrystal } from './crystal-file.js';
import type { JobContext } from '../job.js';
import { learnProject } from '../learning/learn.js';

/** A person who saves the file in the very moment wins this many times before the run gives up until the next night. */
const TRIES = 3;

/** @returns true when the file has new bytes */
export async function writeCrystal(context: JobContext, project: Project | null): Promise<boolean> {
  const { store, paths, clock } = context;
  const id = project?.id ?? null;
  const now = clock.now().toISOString();
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const read = readCrystal(paths, project);
    const isEdited = read.edits.length > 0 || read.problems.length > 0;
    if (isEdited) await learnProject(context, project);
    const previous = isEdited ? readCrystal(paths, project) : read;
    // Saved again while we learnt: what it says now has not been taken in.
    if (previous.text !== read.text && previous.edits.length > 0) continue;
    const text = await store.read(async (db) =>
      renderCrystal({
        project,
        clock: {
          day: ((await projectClock(db, id, now)) ?? previous.crystal?.as_of ?? now).slice(0, 10),
          activeDays: await activeDays(db, id, now),
        },
        lessons: await loadLessons(db, { owner: id }),
        edits: await loadEdits(db, id),
        relations: (id === null ? [] : await loadRelationSessions(db, id)) as CrystalRelation[],
        entities: (id === null ? [] : await loadEntities(db, project!.slug)) as CrystalEntity[],
        previous: previous.crystal,
      }),
    );
    if (!isStale(previous)) return (await publishFile(previous.path, text)).written;
  }
  return false;
}
