/** All that the lessons of projects are made of, read for a group of them at once. */
import { type Withheld, forgottenWordings, projectClockOf } from '../../lessons/index.js';
import {
  type Db,
  extractedSessions,
  loadEdits,
  loadLessons,
  materialOf,
  typedText,
} from '../../store/index.js';
import type { Edit, Lesson, Project } from '../../types.js';
import { rememberTops } from '../../projects/folder-project.js';
import { manifestPackages, manifestPrograms, manifestScripts } from '../../projects/manifests.js';
import type { JobContext } from '../job.js';
import { readCrystal } from '../publishing/crystal-file.js';
import type { StoredProject } from './distil-stored.js';
import type { ProjectGroup } from './passed-over.js';

/** @param group projects, or null alone for what is true everywhere. @returns in their order */
export async function loadMaterials(
  { store, paths }: Pick<JobContext, 'store' | 'paths'>,
  group: ProjectGroup,
  now: string,
): Promise<StoredProject[]> {
  const crystals = group.map((project) => readCrystal(paths, project).crystal);
  const ids = group.flatMap((project) => project?.id ?? []);
  return store.read(async (db) => {
    const materialOfProject = await materialOf(db, ids.length === 0 ? null : ids, now);
    const extracted = crystals.some((crystal) => crystal !== null)
      ? await extractedSessions(db)
      : new Set<string>();
    const globals = ids.length === 0 ? [] : await loadLessons(db, { owner: null });
    const forgottenEverywhere =
      ids.length === 0 ? new Set<string>() : await forgottenGlobally(db, paths);
    const typed = await typedText(db);
    const materials: StoredProject[] = [];
    for (const [at, project] of group.entries()) {
      const { clockDay, activeDays, ...stored } = materialOfProject(idOf(project));
      const crystal = crystals[at]!;
      materials.push({
        ...{ project, stored, crystal, globals, forgottenEverywhere },
        packages: packagesOf(project),
        clock: projectClockOf({ day: clockDay, activeDays }, crystal, now),
        extracted,
        edited: await loadEdited(db, idOf(project), stored.edits),
        typed,
      });
    }
    return materials;
  });
}

/**
 * What the person forgot everywhere, by its words: a fact may say it in one project while no
 * candidate tells it any more.
 */
export async function forgottenGlobally(db: Db, paths: JobContext['paths']): Promise<Set<string>> {
  const edits = await loadEdits(db, null);
  // The crystal is large, and most people forget nothing everywhere.
  if (!edits.some(({ action }) => action === 'forget')) return new Set();
  return forgottenWordings(readCrystal(paths, null).crystal?.tombstones ?? [], edits);
}

/** Most projects have no edit, and no lesson is read for it. */
async function loadEdited(db: Db, owner: string | null, edits: readonly Edit[]): Promise<Lesson[]> {
  const ids = new Set(edits.map(({ lesson }) => lesson));
  return ids.size === 0 ? [] : (await loadLessons(db, { owner })).filter(({ id }) => ids.has(id));
}

/**
 * What taint keeps out of a project's lessons, and why. Computed when it is asked for: nothing
 * withheld is stored as a lesson.
 */
export async function withheldFrom(
  context: Pick<JobContext, 'store' | 'paths' | 'clock' | 'compute'>,
  project: Project | null,
): Promise<Withheld[]> {
  const materials = await loadMaterials(context, [project], context.clock.now().toISOString());
  const [material] = materials as [StoredProject];
  const lessons = await context.store.read((db) => loadLessons(db, { owner: project?.id ?? null }));
  return context.compute.run('withheld', material, lessons);
}

/**
 * What the manifests name in the folders that a project's sessions worked in, and at the tops of
 * their repositories.
 */
export function packagesOf(project: Project | null): Set<string> {
  const topOf = rememberTops();
  const folders = (project?.folders ?? []).flatMap((folder) => [folder, topOf(folder) ?? folder]);
  return new Set([
    ...manifestPackages(folders),
    ...manifestScripts(folders),
    ...manifestPrograms(folders),
  ]);
}

/** Null for what is true everywhere. */
export function idOf(project: Project | null): string | null {
  return project?.id ?? null;
}
