/** All that the lessons of projects are made of, read for a group of them at once. */
import { type Withheld, forgottenWordings, projectClockOf } from '../../lessons/index.js';
import {
  type Db,
  extractedSessions,
  loadEdits,
  loadLessons,
  materialOf,
  ownOccurrences,
  occurrencesOf,
} from '../../store/index.js';
import type { Edit, Lesson, Project, Occurrence } from '../../types.js';
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
        asked: new Set(),
      });
    }
    return materials;
  });
}

/** Work that waits for occurrences: its place among those given, and what it has of them. */
interface Missing {
  at: number;
  asked: Set<string>;
  occurrences: Occurrence[];
}

/**
 * Works with the occurrences that each needs, and again for those that turn out to need more on the
 * way.
 * @param owners ids of projects, or null alone for the person's lessons
 * @returns in their order
 */
export async function withOccurrences<T extends { missing: string[] }>(
  { store }: Pick<JobContext, 'store'>,
  owners: readonly (string | null)[],
  tokens: readonly (readonly string[])[],
  work: (missing: Missing[]) => Promise<T[]>,
): Promise<T[]> {
  const ids = owners.filter((owner) => owner !== null);
  const own = await store.read((db) => ownOccurrences(db, ids.length === 0 ? null : ids));
  const asked = tokens.map((each) => new Set(each));
  const done: T[] = [];
  for (
    let open = [...owners.keys()];
    open.length > 0;
    open = open.filter((at) => done[at]!.missing.length > 0)
  ) {
    const missing = await store.read(async (db) => {
      const found: Missing[] = [];
      for (const at of open) {
        const occurrences = await occurrencesOf(db, owners[at]!, [...asked[at]!]);
        found.push({ at, asked: asked[at]!, occurrences: [...own(owners[at]!), ...occurrences] });
      }
      return found;
    });
    for (const [index, result] of (await work(missing)).entries()) {
      done[open[index]!] = result;
      for (const token of result.missing) asked[open[index]!]!.add(token);
    }
  }
  return done;
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
  const tokens = await context.compute.run('asked', materials);
  const [found] = await withOccurrences(context, [idOf(project)], tokens, async ([missing]) => {
    const { asked, occurrences } = missing!;
    return [
      await context.compute.run(
        'withheld',
        { ...material, asked, stored: { ...material.stored, occurrences } },
        lessons,
      ),
    ];
  });
  return found!.withheld;
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
