/**
 * The page of a project as it would have been at the start of a day: the facts and claims of
 * before, chosen under the budget as ever. No tree, README or git is looked at, no crystal and no
 * claim of a model, since none of them tells what it was then.
 */
import { renderContext } from '../../context/index.js';
import {
  loadEdits,
  projectMaterial,
  typedText,
  type Db,
  type StoredMaterial,
} from '../../store/index.js';
import type { Candidate, Project } from '../../types.js';
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
