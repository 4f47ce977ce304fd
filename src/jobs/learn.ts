/** Lessons of one project, computed whole from all that is known about it, and saved. */
import { uniteDays, type Withheld } from '../distill/index.js';
import { addTransitions, extractedSessions, loadLessons, projectMaterial, saveLessons, type Db } from '../store/index.js';
import type { Edit, Lesson, Project } from '../types.js';
import { rememberTops } from '../watchers/folder-project.js';
import { manifestPackages, manifestPrograms, manifestScripts } from '../watchers/manifests.js';
import { takeCrystalEdits } from './crystal-edits.js';
import { readCrystal } from './crystal-file.js';
import { withheldStored, type StoredProject } from './distil-stored.js';
import type { JobContext } from './job.js';
import { lessonVectors } from './lesson-vectors.js';
import { stepOrPassOver } from './passed-over.js';
import { think } from './think.js';
import { planTransitions } from './transitions.js';
import { dropUnlearnt } from './unlearnt.js';

/** Lessons as they stand now, and whether any of them changed. */
export interface Learnt {
  lessons: Lesson[];
  changed: boolean;
  /** How many faded, revived, or otherwise changed their status. */
  transitions: number;
}

/**
 * Takes a person's edits of crystal.json in first, then distils. The same material gives the same lessons, whatever was computed before.
 * @param project null for what is true everywhere
 */
export const learnProject = async (context: JobContext, project: Project | null): Promise<Learnt> => {
  const { store, clock } = context;
  const id = project?.id ?? null;
  const now = clock.now().toISOString();
  await takeCrystalEdits(context, project);
  const material = await loadMaterial(context, project, now);
  // Nobody else writes meanwhile: one lane works, and commands ask the daemon. So the store is free while thread and model work.
  const admitted = await think('distil', material);
  const vectors = await lessonVectors(context, admitted);
  const lessons = vectors === null ? admitted : await think('distil', { ...material, vectors });
  return store.write(async (db) => {
    const transitions = planTransitions(await loadLessons(db, { owner: id }), lessons, material.clock.day, now);
    await addTransitions(db, transitions);
    if (id !== null) await dropUnlearnt(db, id);
    return { lessons, changed: await saveLessons(db, id, lessons), transitions: transitions.length };
  });
};

const loadMaterial = async (
  { store, paths }: Pick<JobContext, 'store' | 'paths'>,
  project: Project | null,
  now: string,
): Promise<StoredProject> => {
  const id = project?.id ?? null;
  const { crystal } = readCrystal(paths, project);
  const packages = packagesOf(project);
  return store.read(async (db): Promise<StoredProject> => {
    const { clockDay, activeDays, ...stored } = await projectMaterial(db, id, now);
    return {
      project,
      stored,
      crystal,
      packages,
      clock: {
        day: clockDay ?? crystal?.as_of ?? now.slice(0, 10),
        activeDays: uniteDays(activeDays, crystal?.active_days ?? []),
      },
      extracted: await extractedSessions(db),
      globals: id === null ? [] : await loadLessons(db, { owner: null }),
      edited: await loadEdited(db, id, stored.edits),
      vectors: null,
    };
  });
};

/** Most projects have no edit, and no lesson is read for it. */
const loadEdited = async (db: Db, owner: string | null, edits: readonly Edit[]): Promise<Lesson[]> => {
  const ids = new Set(edits.map(({ lesson }) => lesson));
  return ids.size === 0 ? [] : (await loadLessons(db, { owner })).filter(({ id }) => ids.has(id));
};

/** What taint keeps out of a project's lessons, and why. Computed when it is asked for: nothing withheld is stored as a lesson. */
export const withheldFrom = async (
  context: Pick<JobContext, 'store' | 'paths' | 'clock'>,
  project: Project | null,
): Promise<Withheld[]> => {
  const material = await loadMaterial(context, project, context.clock.now().toISOString());
  const lessons = await context.store.read((db) => loadLessons(db, { owner: project?.id ?? null }));
  return withheldStored(material, lessons);
};

/** What the manifests name in the folders that a project's sessions worked in, and at the tops of their repositories. */
const packagesOf = (project: Project | null): Set<string> => {
  const topOf = rememberTops();
  const folders = (project?.folders ?? []).flatMap((folder) => [folder, topOf(folder) ?? folder]);
  return new Set([...manifestPackages(folders), ...manifestScripts(folders), ...manifestPrograms(folders)]);
};

/**
 * Learns the global lessons, then those of the given projects; all projects when the global ones changed, since a project does not
 * repeat what is said globally.
 * @returns the projects whose lessons changed, null among them for the global ones
 */
export const learnAll = async (
  context: JobContext,
  touched: readonly Project[],
  all: readonly Project[],
): Promise<(Project | null)[]> => {
  const changed: (Project | null)[] = [];
  const global = await stepOrPassOver(context, 'project', null, () => learnProject(context, null));
  if (global?.changed === true) changed.push(null);
  const wanted = global?.changed === true ? all : touched;
  for (const [index, project] of wanted.entries()) {
    if (context.signal.aborted) break;
    await context.breathe?.();
    const learnt = await stepOrPassOver(context, 'project', project, () => learnProject(context, project));
    if (learnt?.changed === true) changed.push(project);
    context.progress({ job: 'extract', done: index + 1, total: wanted.length, unit: 'projects' });
  }
  return changed;
};
