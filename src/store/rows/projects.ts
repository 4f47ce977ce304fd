import type { Project } from '../../types.js';
import { type Db, type Owners, among, appendRows, byOwner, columnsOf } from '../db.js';

/** A working folder, its project, and facts about it (remote, worktree root …) as plain JSON. */
interface FolderRow<Facts = unknown> {
  cwd: string;
  project: string;
  facts: Facts;
}

/** Every folder in which a session ever worked. */
export async function loadFolders<Facts = unknown>(db: Db): Promise<FolderRow<Facts>[]> {
  const rows = await db.all<{ cwd: string; project: string; facts: string }>(
    'SELECT cwd, project, facts FROM own.folders ORDER BY cwd',
  );
  return rows.map(({ cwd, project, facts }) => ({
    cwd,
    project,
    facts: JSON.parse(facts) as Facts,
  }));
}

/**
 * Adds folders, or replaces their facts.
 * @param known result of `loadFolders`; unchanged folders are not written again
 */
export async function saveFolders(
  db: Db,
  rows: readonly FolderRow[],
  known: readonly FolderRow[] = [],
): Promise<void> {
  const asText = ({ cwd, project, facts }: FolderRow): string =>
    JSON.stringify([cwd, project, facts]);
  const same = new Set(known.map(asText));
  const unique = [...new Map(rows.map((row) => [row.cwd, row])).values()].filter(
    (row) => !same.has(asText(row)),
  );
  if (unique.length === 0) return;
  await db.run('DELETE FROM own.folders WHERE cwd IN (SELECT unnest($cwds))', {
    cwds: unique.map(({ cwd }) => cwd),
  });
  await appendRows(
    db,
    'own.folders',
    unique.map(({ cwd, project, facts }) => ({ cwd, project, facts: JSON.stringify(facts) })),
  );
}

/**
 * All projects with their folders and aliases, by id. Not from the public view, which also counts
 * sessions and is slower.
 */
export async function loadProjects(db: Db): Promise<Project[]> {
  const rows = await db.all<
    Omit<Project, 'folders' | 'aliases'> & { part: 'project' | 'folder' | 'alias' }
  >(
    `SELECT 'project' AS part, id, slug, name, remote FROM own.projects
     UNION ALL SELECT 'folder', project, cwd, '', NULL FROM own.folders
     UNION ALL SELECT 'alias', project, alias, '', NULL FROM own.project_aliases ORDER BY part, id, slug`,
  );
  const found = rows
    .filter(({ part }) => part === 'project')
    .map(({ part: _, ...project }) => project);
  const projects = new Map(
    found.map((project) => [
      project.id,
      { ...project, folders: [] as string[], aliases: [] as string[] },
    ]),
  );
  for (const { part, id, slug } of rows)
    if (part !== 'project')
      projects.get(id)?.[part === 'folder' ? 'folders' : 'aliases'].push(slug);
  return [...projects.values()];
}

/** How many sessions worked in each project, by its id. */
export async function projectSessions(db: Db): Promise<Map<string, number>> {
  const rows = await db.all<{ project: string; sessions: number }>(
    `SELECT project_id AS project, count(*)::INTEGER AS sessions FROM own.session_facts
     WHERE project_id IS NOT NULL GROUP BY project_id`,
  );
  return new Map(rows.map(({ project, sessions }) => [project, sessions]));
}

/**
 * Adds projects. Updates name, remote and slug of known projects; only adds aliases. Ids never
 * change.
 */
export async function saveProjects(db: Db, projects: readonly Project[]): Promise<void> {
  const known = new Map((await loadProjects(db)).map((project) => [project.id, project]));
  const rows = projects.map((project) => ({
    ...project,
    remote: project.remote ?? known.get(project.id)?.remote ?? null,
  }));
  const changed = rows.filter((row) => {
    const old = known.get(row.id);
    return (
      old === undefined ||
      old.slug !== row.slug ||
      old.name !== row.name ||
      old.remote !== row.remote
    );
  });
  if (changed.length > 0) {
    await db.run('DELETE FROM own.projects WHERE id IN (SELECT unnest($ids))', {
      ids: changed.map(({ id }) => id),
    });
    await db.append('own.projects', columnsOf(changed, 'id', 'slug', 'name', 'remote'));
  }
  const fresh = projects.flatMap(({ id, aliases }) =>
    [...new Set(aliases)].flatMap((alias) =>
      known.get(id)?.aliases.includes(alias) === true ? [] : [{ project: id, alias }],
    ),
  );
  await appendRows(db, 'own.project_aliases', fresh);
}

function ownersOf(project: string | null): Owners {
  return project === null ? null : [project];
}

/**
 * Not `own.session_facts`, since its search for automated sessions takes longer than the rest here.
 */
const PLACED = `(SELECT s.agent, s.session, s.newest, coalesce(s.project, f.project) AS project
  FROM own.sessions s LEFT JOIN own.folders f ON f.cwd = s.cwd) s`;

/**
 * Newest entry of each of these projects (null: of any), never later than `now`: the project clock.
 */
export async function projectClocks(
  db: Db,
  owners: Owners,
  now: string,
): Promise<(owner: string | null) => string | null> {
  const { of, where, params } = among(owners, 's.project');
  const found = await byOwner<{ newest: string | null }>(
    db,
    `SELECT ${of}, max(least(s.newest, $now::TIMESTAMP)) AS newest FROM ${PLACED} WHERE ${where} GROUP BY 1`,
    { now, ...params },
  );
  return (owner) => found(owner)[0]?.newest ?? null;
}

/** The clock of one project (null: any). */
export async function projectClock(
  db: Db,
  project: string | null,
  now: string,
): Promise<string | null> {
  return (await projectClocks(db, ownersOf(project), now))(project);
}

/** The number of entries of each project, as an estimate of the cost of reading it. */
export async function projectSizes(db: Db): Promise<Map<string, number>> {
  const rows = await db.all<{ project: string; entries: number }>(
    `SELECT s.project, sum(e.entries)::BIGINT AS entries FROM ${PLACED}
     JOIN own.sessions e ON e.agent = s.agent AND e.session = s.session WHERE s.project IS NOT NULL GROUP BY 1`,
  );
  return new Map(rows.map(({ project, entries }) => [project, entries]));
}

/**
 * Sorted days with an entry of each of these projects (null: of any), none after `now`. An entry
 * that several sessions share (forks, resumes) counts for each of them, so that the order of
 * reading does not matter.
 * @param without ids of entries that do not count
 */
export async function daysOf(
  db: Db,
  owners: Owners,
  now: string,
  without: readonly string[] = [],
): Promise<(owner: string | null) => string[]> {
  const { of, where, params } = among(owners, 's.project');
  const found = await byOwner<{ day: string }>(
    db,
    `SELECT DISTINCT ${of}, e.time::DATE::VARCHAR AS day
     FROM (SELECT id, agent, session, time FROM own.entries UNION ALL SELECT id, agent, session, time FROM own.copies) e
       ${owners === null ? '' : `JOIN ${PLACED} ON s.agent = e.agent AND s.session = e.session`}
     WHERE e.time <= $now::TIMESTAMP ${without.length === 0 ? '' : 'AND e.id NOT IN (SELECT unnest($without::VARCHAR[]))'}
       AND ${where} ORDER BY day`,
    { now, ...params, ...(without.length === 0 ? {} : { without }) },
  );
  return (owner) => found(owner).map(({ day }) => day);
}

/** Active days of one project (null: any). */
export async function activeDays(
  db: Db,
  project: string | null,
  now: string,
  without: readonly string[] = [],
): Promise<string[]> {
  return (await daysOf(db, ownersOf(project), now, without))(project);
}

/** Projects with sessions, newest first. */
export function projectNames(db: Db): Promise<{ slug: string; name: string }[]> {
  return db.all(
    `SELECT slug, name FROM main.projects WHERE sessions > 0 ORDER BY last_seen DESC NULLS LAST, slug`,
  );
}
