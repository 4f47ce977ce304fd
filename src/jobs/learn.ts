/** Lessons of one project, computed whole from all that is known about it, and saved. */
import { distillProject, rememberedEdits, rememberedLessons, uniteEdits, type Material } from '../distill/index.js';
import type { Db } from '../store/index.js';
import { addTransitions, extractedSessions, loadLessons, projectMaterial, saveLessons } from '../store/index.js';
import type { Candidate, Lesson, Project } from '../types.js';
import { rememberTops } from '../watchers/folder-project.js';
import { manifestPackages } from '../watchers/manifests.js';
import { takeCrystalEdits } from './crystal-edits.js';
import { readCrystal } from './crystal-file.js';
import type { JobContext } from './job.js';
import { lessonSimilarity } from './lesson-similarity.js';
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
  const { store, paths, clock } = context;
  const id = project?.id ?? null;
  const now = clock.now().toISOString();
  await takeCrystalEdits(context, project);
  const { crystal } = readCrystal(paths, project);
  const packages = packagesOf(project);
  const read = async (db: Db): Promise<Material> => {
    const { groups, clockDay, ...material } = await projectMaterial(db, id, now);
    return {
      ...material,
      project,
      packages,
      candidates: material.candidates.map((candidate) => inGroup(candidate, groups)),
      remembered: crystal === null ? [] : rememberedLessons(crystal),
      edits: uniteEdits([...material.edits, ...(crystal === null ? [] : rememberedEdits(crystal))]),
      clockDay: clockDay ?? crystal?.as_of ?? now.slice(0, 10),
      extracted: await extractedSessions(db),
      globals: id === null ? [] : await loadLessons(db, { owner: null }),
      tombstones: crystal?.tombstones ?? [],
    };
  };
  // The model works outside the transaction: it may take seconds, and the store is held for one at most.
  const admitted = distillProject(await store.read(read));
  const similar = await lessonSimilarity(context, admitted.lessons);
  return store.write(async (db) => {
    const material = await read(db);
    const before = await loadLessons(db, { owner: id });
    const { lessons } = similar ? distillProject({ ...material, similar }) : distillProject(material);
    const transitions = planTransitions(before, lessons, material.clockDay, now);
    await addTransitions(db, transitions);
    if (id !== null) await dropUnlearnt(db, id);
    return { lessons, changed: await saveLessons(db, id, lessons), transitions: transitions.length };
  });
};

/** What the manifests name in the folders that a project's sessions worked in, and at the tops of their repositories. */
const packagesOf = (project: Project | null): Set<string> => {
  const topOf = rememberTops();
  return manifestPackages((project?.folders ?? []).flatMap((folder) => [folder, topOf(folder) ?? folder]));
};

/** Forks and resumes that share an entry count as one session: their events carry the name of the group. */
const inGroup = <C extends Candidate>(candidate: C, groups: ReadonlyMap<string, string>): C => {
  const { agent, session } = candidate.evidence;
  const group = groups.get(`${agent}\0${session}`);
  return group === undefined ? candidate : { ...candidate, evidence: { ...candidate.evidence, session: group.slice(group.indexOf('\0') + 1) } };
};

/**
 * Learns the global lessons, then those of the given projects; all projects when the global ones changed, since a project does not
 * repeat what is said globally.
 * @returns the projects whose lessons changed, null among them for the global ones
 */
export const learnAll = async (context: JobContext, touched: readonly Project[], all: readonly Project[]): Promise<(Project | null)[]> => {
  const changed: (Project | null)[] = [];
  const global = await learnProject(context, null);
  if (global.changed) changed.push(null);
  const wanted = global.changed ? all : touched;
  for (const [index, project] of wanted.entries()) {
    if (context.signal.aborted) break;
    const learnt = await learnProject(context, project);
    if (learnt.changed) changed.push(project);
    context.progress({ job: 'extract', done: index + 1, total: wanted.length, unit: 'projects' });
  }
  return changed;
};
