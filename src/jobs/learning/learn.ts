/** Computes and saves the lessons of projects, each from all its data. */
import type { ProjectClock } from '../../lessons/index.js';
import {
  type Db,
  grouped,
  askFacts,
  loadLessons,
  projectStates,
  saveFactEvents,
  saveLessons,
  saveProjectStates,
  markDirty,
} from '../../store/index.js';
import { ASKED_LAST, FACT_NAMES, type FactName, type Lesson, type Project } from '../../types.js';
import { takeHandEdits } from './hand-edits.js';
import type { StoredProject } from './distil-stored.js';
import { idOf, loadMaterials } from './material.js';
import type { JobContext } from '../job.js';
import { eachOrPassOver, inProjectGroups, type ProjectGroup } from './passed-over.js';

/** The present lessons, and whether one of them changed. */
interface Learnt {
  lessons: Lesson[];
  changed: boolean;
}

/**
 * Reads a person's changes in the files of the projects, then distils. The same material gives the
 * same lessons, whatever was computed before or together.
 * @param group projects of similar size, or null alone for the global lessons
 * @returns in their order
 */
export async function learnProjects(context: JobContext, group: ProjectGroup): Promise<Learnt[]> {
  const now = context.clock.now().toISOString();
  await takeHandEdits(context, group);
  const projects = group.filter((project) => project !== null);
  await refreshFacts(context, projects, now, ASKED_FIRST);
  const materials = await loadMaterials(context, group, now);
  // No other job writes meanwhile, since there is one queue and commands ask the daemon. So the
  // store may be free while the thread works.
  const distilled = await context.compute.run(
    'distil',
    materials.map(({ typed: _, ...material }) => material),
    materials[0]?.typed ?? '',
  );
  const learnt = await saveLearnt(
    context,
    materials.map((material, at) => ({ material, ...distilled[at]! })),
    now,
  );
  const ruled = materials.flatMap(({ project, stored, globals }, at) =>
    project !== null &&
    (stored.facts.some(({ fact }) => ASKED_LAST.includes(fact)) ||
      [...distilled[at]!.lessons, ...globals].some(isRule))
      ? [project]
      : [],
  );
  await refreshFacts(context, ruled, now, ASKED_LAST);
  return learnt;
}

function saveLearnt(
  { store }: JobContext,
  found: readonly { material: StoredProject; lessons: Lesson[]; withheld: number }[],
  now: string,
): Promise<Learnt[]> {
  const ids = found.flatMap(({ material }) => material.project?.id ?? []);
  return store.write(async (db) => {
    const before = grouped(
      await loadLessons(db, { owners: ids.length === 0 ? [''] : ids }),
      ({ project }) => project ?? '',
    );
    const learnt: Learnt[] = [];
    for (const { material, lessons } of found) {
      const [id, old] = [idOf(material.project), before.get(idOf(material.project) ?? '') ?? []];
      learnt.push({ lessons, changed: await saveLessons(db, id, lessons, old) });
    }
    await saveProjectStates(
      db,
      found.map(({ material: { project, clock }, withheld }) => ({
        project: idOf(project) ?? '',
        ...{ learnt: now, clock_day: clock.day, active_days: clock.activeDays, withheld },
        unlearnt: false,
      })),
    );
    return learnt;
  });
}

/** Fact queries that need no lessons. */
const ASKED_FIRST = FACT_NAMES.filter((name) => !ASKED_LAST.includes(name));

/** Runs these fact queries again, each in a read of its own, since one takes seconds. */
async function refreshFacts(
  { store }: JobContext,
  projects: readonly Project[],
  now: string,
  names: readonly FactName[],
): Promise<void> {
  if (projects.length === 0) return;
  const ids = projects.map(({ id }) => id);
  const asked: Awaited<ReturnType<typeof askFacts>> = [];
  for (const name of names)
    asked.push(...(await store.read((db) => askFacts(db, ids, now, [name]), { isLong: true })));
  await store.write((db) => saveFactEvents(db, ids, asked, names));
}

function isRule({ said_by, fields }: Lesson): boolean {
  return said_by === 'user' && fields?.['polarity'] !== undefined;
}

/**
 * The clock of the last learning of a project (null: the person), on which its lessons depend; null
 * before the first time.
 */
export async function learntClock(db: Db, project: string | null): Promise<ProjectClock | null> {
  const state = (await projectStates(db, [project ?? ''])).get(project ?? '');
  const day = state?.clock_day ?? null;
  return day === null ? null : { day, activeDays: state!.active_days };
}

/**
 * Ids of the projects ('' for the global lessons) that were learnt between two times and have
 * nothing new since then.
 */
export async function learntBetween(db: Db, since: string, now: string): Promise<Set<string>> {
  const states = [...(await projectStates(db)).values()];
  const isAllLearnt = !states.some(({ unlearnt }) => unlearnt);
  const learnt = states.filter(
    ({ project, learnt: at, unlearnt }) =>
      // The global lessons are learnt together with any project.
      (project === '' ? isAllLearnt : !unlearnt) && at !== null && since <= at && at <= now,
  );
  return new Set(learnt.map(({ project }) => project));
}

/**
 * Learns the global lessons, then those of the given projects until another job takes over; all
 * projects if the global lessons changed, since a project does not repeat them.
 * @param touched by their ids, as `all`
 * @param from where the job stopped before; then the global lessons are already learnt
 * @returns the projects with changed lessons, null for the global ones; `next`: where it continues
 */
export async function learnAll(
  context: JobContext,
  touched: readonly Project[],
  all: readonly Project[],
  from = '',
): Promise<{ changed: (Project | null)[]; next?: { from: string } }> {
  const changed: (Project | null)[] = [];
  const learn = (group: ProjectGroup): Promise<Learnt[]> => learnProjects(context, group);
  const [global] = from === '' ? await eachOrPassOver(context, 'project', [null], learn) : [null];
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
  let done = 0;
  for (const group of await inProjectGroups(context, wanted)) {
    if (context.signal.aborted) break;
    if (!(await context.turn())) return { changed, next: { from: group[0]!.id } };
    const learnt = await eachOrPassOver(context, 'project', group, learn);
    changed.push(...group.filter((_, at) => learnt[at]?.changed === true));
    context.progress({
      job: 'extract',
      done: (done += group.length),
      total: wanted.length,
      unit: 'projects',
    });
  }
  return { changed };
}
