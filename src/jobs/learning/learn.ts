/** Lessons of one project, computed whole from all that is known about it, and saved. */
import { type Withheld, projectClockOf } from '../../distill/index.js';
import { messageOf } from '../../errors.js';
import {
  type Db,
  type Transition,
  addTransitions,
  extractedSessions,
  loadLessons,
  ownSightings,
  projectMaterial,
  saveLessons,
  saveVectors,
  sightingsOf,
  lessonVectors as storedVectors,
} from '../../store/index.js';
import type { Edit, Lesson, Project, Status } from '../../types.js';
import { rememberTops } from '../../projects/folder-project.js';
import { manifestPackages, manifestPrograms, manifestScripts } from '../../projects/manifests.js';
import { takeHandEdits } from './hand-edits.js';
import { readCrystal } from '../publishing/crystal-file.js';
import type { StoredProject } from './distil-stored.js';
import type { JobContext } from '../job.js';
import { stepOrPassOver } from './passed-over.js';
import { clearDirty, noteClockBack } from './dirty-projects.js';

/** Lessons as they stand now, and whether any of them changed. */
interface Learnt {
  lessons: Lesson[];
  changed: boolean;
  /** How many faded, revived, or otherwise changed their status. */
  transitions: number;
}

/**
 * Takes in first what a person changed in the project's files, then distils. The same material gives the same lessons, whatever
 * was computed before.
 * @param project null for what is true everywhere
 */
export async function learnProject(context: JobContext, project: Project | null): Promise<Learnt> {
  const { store, clock } = context;
  const id = project?.id ?? null;
  const now = clock.now().toISOString();
  await takeHandEdits(context, project);
  const material = await loadMaterial(context, project, now);
  // No other job writes meanwhile: there is one lane, and commands ask the daemon. So the store may be free while thread and
  // model work.
  const admitted = await withSightings(context, material, (known) => context.compute.run('distil', known));
  const vectors = await lessonVectors(context, admitted.lessons);
  const { lessons } =
    vectors === null
      ? admitted
      : await withSightings(context, { ...material, vectors }, (known) => context.compute.run('distil', known));
  return store.write(async (db) => {
    const before = await loadLessons(db, { owner: id });
    const transitions = planTransitions(before, lessons, material.clock.day, now);
    await addTransitions(db, transitions);
    if (id !== null) await clearDirty(db, id);
    await noteClockBack(db, now);
    return { lessons, changed: await saveLessons(db, id, lessons, before), transitions: transitions.length };
  });
}

async function loadMaterial(
  { store, paths }: Pick<JobContext, 'store' | 'paths'>,
  project: Project | null,
  now: string,
): Promise<StoredProject> {
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
      clock: projectClockOf({ day: clockDay, activeDays }, crystal, now),
      extracted: await extractedSessions(db),
      globals: id === null ? [] : await loadLessons(db, { owner: null }),
      edited: await loadEdited(db, id, stored.edits),
      asked: new Set(),
      vectors: null,
    };
  });
}

/** Works with the sightings that it needs, and again when more of them turn out to be needed on the way. */
async function withSightings<T extends { missing: string[] }>(
  { store, compute }: Pick<JobContext, 'store' | 'compute'>,
  material: StoredProject,
  work: (known: StoredProject) => Promise<T>,
): Promise<T> {
  const id = material.project?.id ?? null;
  const own = await store.read((db) => ownSightings(db, id));
  const asked = new Set(await compute.run('asked', material));
  for (;;) {
    const sightings = await store.read((db) => sightingsOf(db, id, [...asked]));
    const done = await work({ ...material, asked, stored: { ...material.stored, sightings: [...own, ...sightings] } });
    if (done.missing.length === 0) return done;
    for (const token of done.missing) asked.add(token);
  }
}

/** Most projects have no edit, and no lesson is read for it. */
async function loadEdited(db: Db, owner: string | null, edits: readonly Edit[]): Promise<Lesson[]> {
  const ids = new Set(edits.map(({ lesson }) => lesson));
  return ids.size === 0 ? [] : (await loadLessons(db, { owner })).filter(({ id }) => ids.has(id));
}

/**
 * What taint keeps out of a project's lessons, and why. Computed when it is asked for: nothing withheld is stored as a lesson.
 */
export async function withheldFrom(
  context: Pick<JobContext, 'store' | 'paths' | 'clock' | 'compute'>,
  project: Project | null,
): Promise<Withheld[]> {
  const material = await loadMaterial(context, project, context.clock.now().toISOString());
  const lessons = await context.store.read((db) => loadLessons(db, { owner: project?.id ?? null }));
  return (await withSightings(context, material, (known) => context.compute.run('withheld', known, lessons))).withheld;
}

/** What the manifests name in the folders that a project's sessions worked in, and at the tops of their repositories. */
function packagesOf(project: Project | null): Set<string> {
  const topOf = rememberTops();
  const folders = (project?.folders ?? []).flatMap((folder) => [folder, topOf(folder) ?? folder]);
  return new Set([...manifestPackages(folders), ...manifestScripts(folders), ...manifestPrograms(folders)]);
}

/**
 * Learns the global lessons, then those of the given projects; all projects when the global ones changed, since a project does
 * not repeat what is said globally.
 * @returns the projects whose lessons changed, null among them for the global ones
 */
export async function learnAll(
  context: JobContext,
  touched: readonly Project[],
  all: readonly Project[],
): Promise<(Project | null)[]> {
  const changed: (Project | null)[] = [];
  const global = await stepOrPassOver(context, 'project', null, () => learnProject(context, null));
  if (global?.changed === true) changed.push(null);
  const wanted = global?.changed === true ? all : touched;
  for (const [index, project] of wanted.entries()) {
    if (context.signal.aborted) break;
    await context.yieldToIngest?.();
    const learnt = await stepOrPassOver(context, 'project', project, () => learnProject(context, project));
    if (learnt?.changed === true) changed.push(project);
    context.progress({ job: 'extract', done: index + 1, total: wanted.length, unit: 'projects' });
  }
  return changed;
}

// Changes of lessons' status between two computations, with the reason in words. Pure.

function reasonOf(lesson: Lesson, before: Status | null): string {
  const confidence = lesson.confidence.toFixed(3);
  switch (lesson.status) {
    case 'faded':
      return `confidence ${confidence} fell below 0.1; last seen ${lesson.lastSeen || 'on an unknown day'}`;
    case 'superseded':
      return `replaced by ${lesson.supersededBy ?? 'another lesson'}`;
    case 'forgotten':
      return 'a person forgot it';
    case 'conflict':
      return `contradicts ${lesson.conflictsWith.join(', ')}`;
    case 'live':
      return before === 'faded'
        ? `revived: confidence ${confidence}, last seen ${lesson.lastSeen}`
        : before === null
          ? 'learnt'
          : `stands again (was ${before})`;
  }
}

/** Changes of status; lessons that are gone count as withdrawn and leave no row, new ones do when they are not simply live. */
function planTransitions(before: readonly Lesson[], after: readonly Lesson[], day: string, time: string): Transition[] {
  const was = new Map(before.map((lesson) => [lesson.id, lesson.status]));
  return after.flatMap((lesson) => {
    const old = was.get(lesson.id) ?? null;
    if (old === lesson.status || (old === null && lesson.status === 'live')) return [];
    return [
      { time, day, lesson: lesson.id, project: lesson.project, before: old, after: lesson.status, reason: reasonOf(lesson, old) },
    ];
  });
}

// Vectors of lessons, by which their nearness in meaning is told; made first where they are missing (hundreds, not every sentence
// of the log).

/**
 * @param lessons those that were admitted
 * @returns vectors of unit length by the lesson's text; null without a model
 */
async function lessonVectors(context: JobContext, lessons: readonly Lesson[]): Promise<Map<string, Float32Array> | null> {
  const lease = context.embedder.lessons ?? context.embedder;
  const embedder = await lease.get();
  if (embedder === null || lessons.length < 2) return null;
  const { fingerprint } = embedder;
  const texts = lessons.flatMap(({ text, learnt }) => (learnt ? [text, learnt.text] : [text]));
  const known = await context.store.read((db) => storedVectors(db, fingerprint, texts));
  const missing = lessons.filter(({ text }) => !known.has(text));
  try {
    const made = await embedder.embed(missing.map(({ text }) => text));
    const rows = missing.map(({ id, text }, index) => ({
      owner: 'lesson' as const,
      id,
      rev: 1,
      fingerprint,
      part: 0,
      text,
      vector: made[index]!,
    }));
    await context.store.write((db) => saveVectors(db, rows));
    for (const { text, vector } of rows) known.set(text, vector);
    // Wordings that a person replaced are compared too, and not kept: a lesson has one vector.
    const old = lessons.flatMap(({ learnt }) => (learnt && !known.has(learnt.text) ? [learnt.text] : []));
    (await embedder.embed(old)).forEach((vector, index) => known.set(old[index]!, vector));
    return new Map(texts.flatMap((text) => (known.has(text) ? [[text, known.get(text)!]] : [])));
  } catch (error) {
    lease.fail(messageOf(error));
    return null;
  }
}
