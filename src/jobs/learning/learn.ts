/** Lessons of one project, computed whole from all that is known about it, and saved. */
import { type ProjectClock, type Withheld, forgottenWordings, projectClockOf } from '../../lessons/index.js';
import {
  type Db,
  type FactFault,
  type Transition,
  addTransitions,
  askFacts,
  extractedSessions,
  loadEdits,
  loadLessons,
  metaFrom,
  metaValue,
  ownOccurrences,
  projectMaterial,
  saveFactEvents,
  saveLessons,
  setMeta,
  occurrencesOf,
} from '../../store/index.js';
import { ASKED_LAST, FACT_NAMES, type Edit, type Lesson, type Project, type Occurrence, type Status } from '../../types.js';
import { rememberTops } from '../../projects/folder-project.js';
import { manifestPackages, manifestPrograms, manifestScripts } from '../../projects/manifests.js';
import { takeHandEdits } from './hand-edits.js';
import { readCrystal } from '../publishing/crystal-file.js';
import type { StoredProject } from './distil-stored.js';
import type { JobContext } from '../job.js';
import { noteFactFaults, stepOrPassOver } from './passed-over.js';
import { clearDirty, loadDirtyProjects, markDirty, noteClockBack } from './dirty-projects.js';

/** Lessons as they are now, and whether any of them changed. */
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
  const faults = project === null ? [] : await refreshFacts(context, project, now);
  const material = await loadMaterial(context, project, now);
  // No other job writes meanwhile: there is one queue, and commands ask the daemon. So the store may be free while the thread
  // works.
  const { lessons } = await withOccurrences(context, id, await context.compute.run('asked', material), (asked, occurrences) =>
    context.compute.run('distil', { ...material, asked, stored: { ...material.stored, occurrences } }),
  );
  const learnt = await store.write(async (db) => {
    const before = await loadLessons(db, { owner: id });
    const transitions = planTransitions(before, lessons, material.clock.day, now);
    await addTransitions(db, transitions);
    // A query that failed is asked again with the next run.
    if (id !== null && faults.length === 0) await clearDirty(db, id);
    await noteClockBack(db, now);
    await setMeta(db, clockKey(id), JSON.stringify({ ...material.clock, at: now }));
    return { lessons, changed: await saveLessons(db, id, lessons, before), transitions: transitions.length };
  });
  if (project !== null) {
    const hadBroken = material.stored.facts.some(({ fact }) => ASKED_LAST.includes(fact));
    const last = hadBroken || [...lessons, ...material.globals].some(isRule) ? await refreshBroken(context, project, now) : [];
    await noteFactFaults(context, project, [...faults, ...last]);
  }
  return learnt;
}

/** Asks the fact queries again, but those that need the lessons; of one that fails its kind keeps its last events. */
async function refreshFacts({ store }: JobContext, { id }: Project, now: string): Promise<FactFault[]> {
  const names = FACT_NAMES.filter((name) => !ASKED_LAST.includes(name));
  const asked = await store.read((db) => askFacts(db, id, now, names));
  await store.write((db) => saveFactEvents(db, id, asked, names));
  return asked.faults;
}

/** What broke the rules that stand now; a query that fails is asked again with the next run. */
async function refreshBroken({ store }: JobContext, { id }: Project, now: string): Promise<FactFault[]> {
  const asked = await store.read((db) => askFacts(db, id, now, ASKED_LAST));
  await store.write(async (db) => {
    await saveFactEvents(db, id, asked, ASKED_LAST);
    if (asked.faults.length > 0) await markDirty(db, [id]);
  });
  return asked.faults;
}

function isRule({ saidBy, fields }: Lesson): boolean {
  return saidBy === 'user' && fields?.['polarity'] !== undefined;
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
      forgottenEverywhere: id === null ? new Set() : await forgottenGlobally(db, paths),
      edited: await loadEdited(db, id, stored.edits),
      asked: new Set(),
    };
  });
}

/**
 * Works with the occurrences that it needs, and again when more of them turn out to be needed on the way.
 * @param project id, null for the person's lessons
 */
export async function withOccurrences<T extends { missing: string[] }>(
  { store }: Pick<JobContext, 'store'>,
  project: string | null,
  tokens: readonly string[],
  work: (asked: Set<string>, occurrences: Occurrence[]) => Promise<T>,
): Promise<T> {
  const own = await store.read((db) => ownOccurrences(db, project));
  const asked = new Set(tokens);
  for (;;) {
    const occurrences = await store.read((db) => occurrencesOf(db, project, [...asked]));
    const done = await work(asked, [...own, ...occurrences]);
    if (done.missing.length === 0) return done;
    for (const token of done.missing) asked.add(token);
  }
}

/** What the person forgot everywhere, by its words: a fact may say it in one project while no candidate tells it any more. */
export async function forgottenGlobally(db: Db, paths: JobContext['paths']): Promise<Set<string>> {
  const edits = await loadEdits(db, null);
  // The crystal is large, and most people forget nothing everywhere.
  if (!edits.some(({ action }) => action === 'forget')) return new Set();
  return forgottenWordings(readCrystal(paths, null).crystal?.tombstones ?? [], edits);
}

const CLOCK = 'clock:';
const clockKey = (project: string | null): string => `${CLOCK}${project ?? ''}`;

/** The clock that a project (null: the person) was learnt with last, which its lessons stand by; null before the first time. */
export async function learntClock(db: Db, project: string | null): Promise<ProjectClock | null> {
  return JSON.parse((await metaValue(db, clockKey(project))) ?? 'null') as ProjectClock | null;
}

/** Ids of the projects ('' for what is true everywhere) that were learnt between two times, and have got nothing new after it. */
export async function learntBetween(db: Db, since: string, now: string): Promise<Set<string>> {
  const dirty = await loadDirtyProjects(db);
  const learnt = new Set<string>();
  for (const [key, value] of await metaFrom(db, CLOCK)) {
    const project = key.slice(CLOCK.length);
    const { at = '' } = JSON.parse(value) as { at?: string };
    // What is true everywhere is learnt together with any project.
    const isSame = project === '' ? dirty.size === 0 : !dirty.has(project);
    if (isSame && since <= at && at <= now) learnt.add(project);
  }
  return learnt;
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
  const tokens = await context.compute.run('asked', material);
  const { withheld } = await withOccurrences(context, project?.id ?? null, tokens, (asked, occurrences) =>
    context.compute.run('withheld', { ...material, asked, stored: { ...material.stored, occurrences } }, lessons),
  );
  return withheld;
}

/** What the manifests name in the folders that a project's sessions worked in, and at the tops of their repositories. */
export function packagesOf(project: Project | null): Set<string> {
  const topOf = rememberTops();
  const folders = (project?.folders ?? []).flatMap((folder) => [folder, topOf(folder) ?? folder]);
  return new Set([...manifestPackages(folders), ...manifestScripts(folders), ...manifestPrograms(folders)]);
}

/**
 * Learns the global lessons, then those of the given projects until the slice is over; all projects when the global ones changed,
 * since a project does not repeat what is said globally.
 * @param touched by their ids, as `all`
 * @param from where an earlier slice ended; then the global lessons are learnt already
 * @returns the projects whose lessons changed, null among them for the global ones; `next`: where the next slice continues
 */
export async function learnAll(
  context: JobContext,
  touched: readonly Project[],
  all: readonly Project[],
  from = '',
): Promise<{ changed: (Project | null)[]; next?: { from: string } }> {
  const changed: (Project | null)[] = [];
  const global = from === '' ? await stepOrPassOver(context, 'project', null, () => learnProject(context, null)) : null;
  if (global?.changed === true) {
    changed.push(null);
    await context.store.write((db) =>
      markDirty(
        db,
        all.map(({ id }) => id),
      ),
    );
  }
  const wanted = (global?.changed === true ? all : touched).filter(({ id }) => id >= from);
  for (const [index, project] of wanted.entries()) {
    if (context.signal.aborted) break;
    if (context.isOver()) return { changed, next: { from: project.id } };
    const learnt = await stepOrPassOver(context, 'project', project, () => learnProject(context, project));
    if (learnt?.changed === true) changed.push(project);
    context.progress({ job: 'extract', done: index + 1, total: wanted.length, unit: 'projects' });
  }
  return { changed };
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
          : `live again (was ${before})`;
  }
}

/** Changes of status; lessons that are gone count as withdrawn and leave no row, new ones do when they are not simply live. */
export function planTransitions(before: readonly Lesson[], after: readonly Lesson[], day: string, time: string): Transition[] {
  const was = new Map(before.map((lesson) => [lesson.id, lesson.status]));
  return after.flatMap((lesson) => {
    const old = was.get(lesson.id) ?? null;
    if (old === lesson.status || (old === null && lesson.status === 'live')) return [];
    return [
      { time, day, lesson: lesson.id, project: lesson.project, before: old, after: lesson.status, reason: reasonOf(lesson, old) },
    ];
  });
}
