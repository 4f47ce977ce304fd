import { appendRows, type Db } from '../db.js';

/** State of jobs for a project; '' for the global lessons. */
export interface ProjectState {
  project: string;
  /** Whether its lessons must be computed again. */
  unlearnt: boolean;
  /** Time of the last learning, the project's clock then, and the number of tainted claims. */
  learnt: string | null;
  clock_day: string | null;
  active_days: readonly string[];
  withheld: number;
  /** Version of crystal.json at the last reading. */
  crystal: string | null;
  /** Digests of the last page's inputs and files. */
  page_sources: string | null;
  page_files: string | null;
  /** Names of files and scripts in the page's lines, as JSON. */
  page_names: string | null;
}

const NEW: Omit<ProjectState, 'project'> = {
  unlearnt: false,
  learnt: null,
  clock_day: null,
  active_days: [],
  withheld: 0,
  crystal: null,
  page_sources: null,
  page_files: null,
  page_names: null,
};

/** States by project. @param projects null: all */
export async function projectStates(
  db: Db,
  projects: readonly string[] | null = null,
): Promise<Map<string, ProjectState>> {
  const rows = await db.all<ProjectState>(
    `FROM own.project_state ${projects === null ? '' : 'WHERE project IN (SELECT unnest($projects::VARCHAR[]))'}`,
    projects === null ? {} : { projects },
  );
  return new Map(rows.map((row) => [row.project, row]));
}

/** Saves these columns; the others stay. */
export async function saveProjectStates(
  db: Db,
  changed: readonly (Pick<ProjectState, 'project'> & Partial<ProjectState>)[],
): Promise<void> {
  if (changed.length === 0) return;
  const projects = changed.map(({ project }) => project);
  const known = await projectStates(db, projects);
  await db.run(
    'DELETE FROM own.project_state WHERE project IN (SELECT unnest($projects::VARCHAR[]))',
    { projects },
  );
  await appendRows(
    db,
    'own.project_state',
    changed.map((state) => ({ ...NEW, ...known.get(state.project), ...state })),
  );
}

/** Ids of projects whose lessons must be computed again. */
export async function loadDirtyProjects(db: Db): Promise<Set<string>> {
  const rows = await db.all<{ project: string }>(
    'SELECT project FROM own.project_state WHERE unlearnt ORDER BY project',
  );
  return new Set(rows.map(({ project }) => project));
}

/**
 * Marks projects for learning. Call it in the transaction that replaces candidates, so that a kill
 * loses no mark.
 */
export function markDirty(db: Db, projects: Iterable<string>): Promise<void> {
  const unlearnt = [...new Set(projects)];
  return saveProjectStates(
    db,
    unlearnt.map((project) => ({ project, unlearnt: true })),
  );
}
