/**
 * The page of a project as it would have been at the start of a day: the facts and claims of
 * before, chosen under the budget as ever. No tree, README or git is looked at, no crystal and no
 * claim of a model, since none of them tells what it was then.
 */
import { renderContext } from '../../context/index.js';
import {
  loadEdits,
  loadProjects,
  projectMaterial,
  typedText,
  type Db,
  type RepeatRow,
  type StoredMaterial,
} from '../../store/index.js';
import type { Candidate, Project } from '../../types.js';
import type { JobContext } from '../job.js';
import { distilStored, type StoredProject } from '../learning/distil-stored.js';

/**
 * All that the pages of a project are made of, up to the end of its history.
 */
interface PageMaterial {
  project: Project;
  stored: Omit<StoredMaterial, 'clockDay' | 'activeDays'>;
  activeDays: readonly string[];
  typed: string;
  budgetTokens: number;
}

/** Reads what the pages of a project need, once for all days. */
export async function loadPageMaterial(
  db: Db,
  project: Project,
  now: string,
  budgetTokens: number,
): Promise<PageMaterial> {
  const owner = project.id;
  const { clockDay: _, activeDays, ...stored } = await projectMaterial(db, owner, now);
  const bare = { ...stored, uses: new Map(), edits: await loadEdits(db, owner) };
  return { project, stored: bare, activeDays, typed: await typedText(db), budgetTokens };
}

/** What was known before a day. */
function asOf({ project, stored, activeDays, typed }: PageMaterial, day: string): StoredProject {
  const days = activeDays.filter((each) => each < day);
  return {
    project,
    stored: {
      ...stored,
      candidates: stored.candidates.filter(({ payload }) => {
        const { evidence, tags } = JSON.parse(payload) as Candidate;
        return evidence.day < day && !tags.includes('model');
      }),
      facts: stored.facts.filter(({ knownAt }) => knownAt < day),
      edits: stored.edits.filter(({ time }) => time < day),
    },
    crystal: null,
    clock: { day: days.at(-1) ?? day, activeDays: days },
    extracted: new Set(),
    typed,
    packages: new Set(),
    globals: [],
    forgottenEverywhere: new Set(),
    edited: [],
    undone: [],
    said: new Map(),
  };
}

/** Keys of the lessons that the page of a day shows. Pure. */
export function pageOn(material: PageMaterial, day: string): Set<string> {
  const known = asOf(material, day);
  const lessons = distilStored(known);
  const { shown } = renderContext({
    project: material.project,
    clockDay: known.clock.day,
    lastDays: [],
    lessons,
    globals: [],
    sessions: [],
    budgetTokens: material.budgetTokens,
    askForNotes: false,
  });
  const keys = new Map(lessons.map(({ id, key }) => [id, key]));
  return new Set(shown.flatMap((id) => keys.get(id) ?? []));
}

/**
 * The pages of the days at which something with a known cure came back, each rendered once.
 * @returns whether the page of a project, as it was at the start of a day, has one of the lessons
 * by key
 */
export async function pagesThen(
  { store, config, clock }: Pick<JobContext, 'store' | 'config' | 'clock'>,
  rows: readonly Pick<RepeatRow, 'project' | 'cures'>[],
): Promise<(project: string, day: string, keys: readonly string[]) => boolean> {
  const wanted = new Set(
    rows.filter(({ cures }) => cures.length > 0).map(({ project }) => project),
  );
  const [now, budget] = [clock.now().toISOString(), config.context.budget_tokens];
  const material = await store.read(async (db) => {
    const loaded = new Map<string, PageMaterial>();
    for (const project of await loadProjects(db))
      if (wanted.has(project.id))
        loaded.set(project.id, await loadPageMaterial(db, project, now, budget));
    return loaded;
  });
  const pages = new Map<string, Set<string>>();
  return (project, day, keys) => {
    const of = material.get(project);
    const name = `${project}\0${day}`;
    if (of !== undefined && !pages.has(name)) pages.set(name, pageOn(of, day));
    return keys.some((key) => pages.get(name)?.has(key) === true);
  };
}
