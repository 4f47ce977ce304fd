/** Writes the lessons of a project to its crystal.json. */
import {
  projectClockOf,
  rememberedEdits,
  renderCrystal,
  uniteEdits,
  type ProjectClock,
} from '../../lessons/index.js';
import {
  daysOf,
  editsByOwner,
  grouped,
  loadLessons,
  projectClocks,
  publishFile,
  relationsOf,
  type Db,
} from '../../store/index.js';
import { isStale, readCrystal, type ReadCrystal } from './crystal-file.js';
import type { JobContext } from '../job.js';
import { isUntaken, takenVersions } from '../learning/hand-edits.js';
import type { Project } from '../../types.js';
import { stepOfAll, type ProjectGroup } from '../learning/passed-over.js';

/** Writes every crystal, those of the global lessons first. */
export async function writeAllCrystals(
  context: JobContext,
  projects: readonly Project[],
  progress: (group: ProjectGroup) => void = () => {},
  from?: string,
): Promise<{ results: (boolean | null)[]; next?: { from: string } }> {
  // For one project the query takes as long as for all.
  const relations = await context.store.read(
    (db) =>
      relationsOf(
        db,
        projects.map(({ id }) => id),
      ),
    { isLong: true },
  );
  const write = (group: ProjectGroup): Promise<boolean[]> => {
    progress(group);
    return writeCrystals(context, group, { relations });
  };
  return stepOfAll(context, 'crystal', [null, ...projects], write, from);
}

interface Known {
  /** After an edit: the clock of the lessons. Nothing else is new then, so no other data is read. */
  learnt?: ProjectClock;
  /** Relations of projects, if they were read. */
  relations?: Awaited<ReturnType<typeof relationsOf>>;
}

/**
 * @param group projects, or null alone for the global lessons
 * @returns true if the file has new bytes; a file that a person changed since the last learning is
 * written next time
 */
export async function writeCrystals(
  context: JobContext,
  group: ProjectGroup,
  known: Known = {},
): Promise<boolean[]> {
  const { store, paths, clock } = context;
  const now = clock.now().toISOString();
  const previous = group.map((project) => readCrystal(paths, project));
  const texts = await store.read((db) => crystalTexts(db, group, previous, known, now), {
    isLong: known.learnt === undefined,
  });
  const written: boolean[] = [];
  for (const [at, text] of texts.entries())
    written.push(
      text !== null &&
        !isStale(previous[at]!) &&
        (await publishFile(previous[at]!.path, text)).written,
    );
  return written;
}

async function crystalTexts(
  db: Db,
  group: ProjectGroup,
  previous: readonly ReadCrystal[],
  { learnt, relations }: Known,
  now: string,
): Promise<(string | null)[]> {
  const ids = group.flatMap((project) => project?.id ?? []);
  const owners = ids.length === 0 ? null : ids;
  const taken = await takenVersions(db);
  const [day, days] =
    learnt === undefined
      ? [await projectClocks(db, owners, now), await daysOf(db, owners, now)]
      : [() => learnt.day, () => learnt.activeDays];
  const isEdit = learnt !== undefined && previous.every(({ crystal }) => crystal !== null);
  const lessons = grouped(
    await loadLessons(db, { owners: owners ?? [''] }),
    ({ project }) => project ?? '',
  );
  const edits = await editsByOwner(db, owners ?? [null]);
  const related = relations ?? (await relationsOf(db, isEdit ? [] : ids));
  return group.map((project, at) => {
    const [id, { crystal }] = [project?.id ?? null, previous[at]!];
    if (isUntaken(previous[at]!, project, taken)) return null;
    return renderCrystal({
      project,
      clock: projectClockOf({ day: day(id), activeDays: days(id) }, crystal, now),
      lessons: lessons.get(id ?? '') ?? [],
      edits: edits(id),
      relations: related(id),
      previous: crystal,
    });
  });
}

/**
 * Writes crystal.json if it lacks an edit of the database, so that the database does not have the
 * only copy until the night.
 * @returns true if the file has new bytes
 */
export async function foldNewEdits(context: JobContext, group: ProjectGroup): Promise<boolean[]> {
  const edits = await context.store.read((db) =>
    editsByOwner(
      db,
      group.map((project) => project?.id ?? null),
    ),
  );
  const written: boolean[] = [];
  for (const project of group) {
    const own = edits(project?.id ?? null);
    const { crystal } = own.length === 0 ? { crystal: null } : readCrystal(context.paths, project);
    const folded = crystal === null ? [] : rememberedEdits(crystal);
    const isNew = uniteEdits([...folded, ...own]).length > uniteEdits(folded).length;
    written.push(isNew && (await writeCrystals(context, [project]))[0] === true);
  }
  return written;
}
