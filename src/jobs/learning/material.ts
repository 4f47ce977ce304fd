/** Reads all data from which lessons are made, for a group of projects at once. */
import {
  type Crystal,
  type Withheld,
  forgottenWordings,
  projectClockOf,
  rememberedLessons,
} from '../../lessons/index.js';
import {
  type Db,
  extractedSessions,
  loadEdits,
  loadLessons,
  materialOf,
  timesOf,
  typedText,
  undoneSince,
  type StoredMaterial,
} from '../../store/index.js';
import { noteNames } from '../../parse/index.js';
import type { Candidate, Edit, Lesson, Project } from '../../types.js';
import { rememberTops } from '../../projects/folder-project.js';
import { manifestPackages, manifestPrograms, manifestScripts } from '../../projects/manifests.js';
import type { JobContext } from '../job.js';
import { readCrystal } from '../publishing/crystal-file.js';
import type { StoredProject } from './distil-stored.js';
import type { ProjectGroup } from './passed-over.js';

/** @param group projects, or null alone for the global lessons. @returns in their order */
export async function loadMaterials(
  { store, paths }: Pick<JobContext, 'store' | 'paths'>,
  group: ProjectGroup,
  now: string,
): Promise<StoredProject[]> {
  const crystals = group.map((project) => readCrystal(paths, project).crystal);
  const ids = group.flatMap((project) => project?.id ?? []);
  return store.read(
    async (db) => {
      const stored = group.map(idOf).map(await materialOf(db, ids.length === 0 ? null : ids, now));
      const extracted = crystals.some((crystal) => crystal !== null)
        ? await extractedSessions(db)
        : new Set<string>();
      const globals = ids.length === 0 ? [] : await loadLessons(db, { owner: null });
      const forgottenEverywhere =
        ids.length === 0 ? new Set<string>() : await forgottenGlobally(db, paths);
      const typed = await typedText(db);
      const notes = stored.flatMap((each, at) => notesOf(each, crystals[at]!));
      const names = notes.map(({ text }) => noteNames(text));
      const undone = await undoneSince(db, ids, now, {
        forms: names.flatMap(({ forms }) => forms),
        files: names.flatMap(({ files }) => files),
      });
      const notedAt = await timesOf(db, [...new Set(notes.flatMap(({ entry }) => entry ?? []))]);
      const materials: StoredProject[] = [];
      for (const [at, project] of group.entries()) {
        const { clockDay, activeDays, ...rows } = stored[at]!;
        const crystal = crystals[at]!;
        materials.push({
          ...{ project, stored: rows, crystal, globals, forgottenEverywhere },
          packages: packagesOf(project),
          clock: projectClockOf({ day: clockDay, activeDays }, crystal, now),
          extracted,
          edited: await loadEdited(db, idOf(project), rows.edits),
          ...{ typed, notedAt: notedAt, undone: undone(idOf(project)) },
        });
      }
      return materials;
    },
    { isLong: true },
  );
}

/** Texts of agents: in sessions, by commands, and in the crystal. */
function notesOf(
  { candidates, edits }: Pick<StoredMaterial, 'candidates' | 'edits'>,
  crystal: Crystal | null,
): { text: string; entry: string | null }[] {
  const notes = candidates.flatMap(({ payload }) =>
    payload.includes('"said_by":"agent"') ? (JSON.parse(payload) as Candidate) : [],
  );
  const remembered = crystal === null ? [] : rememberedLessons(crystal);
  return [
    ...notes.map(({ text, evidence }) => ({ text, entry: evidence.entry })),
    ...edits.flatMap(({ text, author }) =>
      text === null || author === undefined ? [] : [{ text, entry: null }],
    ),
    ...remembered.flatMap(({ said_by, text, evidence }) =>
      said_by === 'agent' ? evidence.map(({ entry }) => ({ text, entry })) : [],
    ),
  ];
}

/** Texts that the person forgot everywhere; a fact of a project may still have such a text. */
export async function forgottenGlobally(db: Db, paths: JobContext['paths']): Promise<Set<string>> {
  const edits = await loadEdits(db, null);
  // The crystal is large, and most people forget nothing everywhere.
  if (!edits.some(({ action }) => action === 'forget')) return new Set();
  return forgottenWordings(readCrystal(paths, null).crystal?.tombstones ?? [], edits);
}

/** Reads no lesson for a project without edits, as most are. */
async function loadEdited(db: Db, owner: string | null, edits: readonly Edit[]): Promise<Lesson[]> {
  const ids = new Set(edits.map(({ lesson }) => lesson));
  return ids.size === 0 ? [] : (await loadLessons(db, { owner })).filter(({ id }) => ids.has(id));
}

/**
 * The claims that taint withholds from a project's lessons, and the reasons. Computed on request,
 * since withheld claims are not stored.
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

/** Packages in the manifests of a project's folders and their repositories. */
export function packagesOf(project: Project | null): Set<string> {
  const topOf = rememberTops();
  const folders = (project?.folders ?? []).flatMap((folder) => [folder, topOf(folder) ?? folder]);
  return new Set([
    ...manifestPackages(folders),
    ...manifestScripts(folders),
    ...manifestPrograms(folders),
  ]);
}

/** Null for the global lessons. */
export function idOf(project: Project | null): string | null {
  return project?.id ?? null;
}
