/** Folds the lessons of a project into its crystal.json. */
import {
  projectClockOf,
  rememberedEdits,
  renderCrystal,
  uniteEdits,
  type CrystalEntity,
  type CrystalRelation,
  type ProjectClock,
} from '../../lessons/index.js';
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
import { isCrystalUntaken, takenVersions } from '../learning/hand-edits.js';

/**
 * @param learnt after an edit: the clock that the lessons stand by. Nothing else is new then, so no more of the database is read
 * @returns true when the file has new bytes; one that a person changed since its project was learnt waits for the next time
 */
export async function writeCrystal(
  context: JobContext,
  project: Project | null,
  learnt: ProjectClock | null = null,
): Promise<boolean> {
  const { store, paths, clock } = context;
  const id = project?.id ?? null;
  const now = clock.now().toISOString();
  const previous = readCrystal(paths, project);
  const text = await store.read(async (db) => {
    if (isCrystalUntaken(previous, await takenVersions(db, project))) return null;
    const own = learnt ?? { day: await projectClock(db, id, now), activeDays: await activeDays(db, id, now) };
    const isEdit = learnt !== null && previous.crystal !== null;
    return renderCrystal({
      project,
      clock: projectClockOf(own, previous.crystal, now),
      // What the person's own queries give stays with them: it comes back with their files, and travels nowhere.
      lessons: (await loadLessons(db, { owner: id })).filter(({ fact }) => fact !== 'own'),
      edits: await loadEdits(db, id),
      relations: (id === null || isEdit ? [] : await loadRelationSessions(db, id)) as CrystalRelation[],
      entities: (id === null || isEdit ? [] : await loadEntities(db, project!.slug)) as CrystalEntity[],
      previous: previous.crystal,
    });
  });
  return text !== null && !isStale(previous) && (await publishFile(previous.path, text)).written;
}

/**
 * Writes crystal.json when it lacks an edit that the database holds: until the next night a person's words would stand in the
 * database alone, and be lost with it.
 * @returns true when the file has new bytes
 */
export async function foldNewEdits(context: JobContext, project: Project | null): Promise<boolean> {
  const edits = await context.store.read((db) => loadEdits(db, project?.id ?? null));
  if (edits.length === 0) return false;
  const { crystal } = readCrystal(context.paths, project);
  const folded = crystal === null ? [] : rememberedEdits(crystal);
  return uniteEdits([...folded, ...edits]).length > uniteEdits(folded).length && (await writeCrystal(context, project));
}
