import type { Project } from '../../types.js';
import { type Db, appendRows } from '../db.js';

/** A working folder, the project it belongs to, and what was found out about it (remote, worktree root …) as plain JSON. */
interface FolderRow<Facts = unknown> {
  cwd: string;
  project: string;
  facts: Facts;
}

/** Every folder that was ever worked in. */
export async function loadFolders<Facts = unknown>(db: Db): Promise<FolderRow<Facts>[]> {
  const rows = await db.all<{ cwd: string; project: string; facts: string }>(
    'SELECT cwd, project, facts FROM own.folders ORDER BY cwd',
  );
  return rows.map(({ cwd, project, facts }) => ({ cwd, project, facts: JSON.parse(facts) as Facts }));
}

/** Adds folders or replaces what was known about them. */
export async function saveFolders(db: Db, rows: FolderRow[]): Promise<void> {
  if (rows.length === 0) return;
  const unique = [...new Map(rows.map((row) => [row.cwd, row])).values()];
  await db.run('DELETE FROM own.folders WHERE cwd IN (SELECT unnest($cwds))', { cwds: unique.map(({ cwd }) => cwd) });
  await appendRows(
    db,
    'own.folders',
    unique.map(({ cwd, project, facts }) => ({ cwd, project, facts: JSON.stringify(facts) })),
  );
}

/**
 * All projects with their folders and aliases, in the order of their ids. One plain read: the public view counts every session
 * too, and planning it alone costs 15 ms.
 */
export async function loadProjects(db: Db): Promise<Project[]> {
  const rows = await db.all<Omit<Project, 'folders' | 'aliases'> & { part: 'project' | 'folder' | 'alias' }>(
    `SELECT 'project' AS part, id, slug, name, remote FROM own.projects
     UNION ALL SELECT 'folder', project, cwd, '', NULL FROM own.folders
     UNION ALL SELECT 'alias', project, alias, '', NULL FROM own.project_aliases ORDER BY part, id, slug`,
  );
  const found = rows.filter(({ part }) => part === 'project').map(({ part: _, ...project }) => project);
  const projects = new Map(
    found.map((project) => [project.id, { ...project, folders: [] as string[], aliases: [] as string[] }]),
  );
  for (const { part, id, slug } of rows)
    if (part !== 'project') projects.get(id)?.[part === 'folder' ? 'folders' : 'aliases'].push(slug);
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

/** When each project was worked in first and last; one without a time is left out. */
export async function projectSpans(db: Db): Promise<Map<string, { first: string; last: string }>> {
  const rows = await db.all<{ project: string; first: string; last: string }>(
    `SELECT project_id AS project, min(oldest)::VARCHAR AS first, max(newest)::VARCHAR AS last FROM own.session_facts
     WHERE project_id IS NOT NULL AND oldest IS NOT NULL AND newest IS NOT NULL GROUP BY project_id`,
  );
  return new Map(rows.map(({ project, first, last }) => [project, { first, last }]));
}

/** Paths that the calls of a project's sessions name, the most touched first, as the logs name them. */
export async function filesOfProject(db: Db, project: string): Promise<string[]> {
  const rows = await db.all<{ path: string }>(
    `SELECT path FROM (
       SELECT unnest(e.files) AS path FROM own.entries e JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session
       WHERE e.role = 'tool_call' AND s.project_id = $project)
     GROUP BY path ORDER BY count(*) DESC, path LIMIT 400`,
    { project },
  );
  return rows.map(({ path }) => path);
}

/** Adds projects; name, remote and slug of a known one follow, aliases are only added. The id never changes. */
export async function saveProjects(db: Db, projects: Project[]): Promise<void> {
  for (const { id, slug, name, remote, aliases } of projects) {
    const changed = await db.run(
      'UPDATE own.projects SET slug = $slug, name = $name, remote = coalesce($remote, remote) WHERE id = $id',
      { id, slug, name, remote },
    );
    if (changed === 0) await db.run('INSERT INTO own.projects VALUES ($id, $slug, $name, $remote)', { id, slug, name, remote });
    await db.run(
      `INSERT INTO own.project_aliases SELECT DISTINCT $id, alias FROM (SELECT unnest($aliases) AS alias) n
       WHERE NOT EXISTS (FROM own.project_aliases a WHERE a.project = $id AND a.alias = n.alias)`,
      { id, aliases },
    );
  }
}

/** `own.session_facts` tells too who is a program, over all sessions: to plan and count that takes longer than all else here. */
const SESSIONS_OF_PROJECT =
  'own.sessions s LEFT JOIN own.folders f ON f.cwd = s.cwd WHERE coalesce(s.project, f.project) = $project';

/** Newest entry of a project (null: of any project), never later than `now`: the project clock. */
export async function projectClock(db: Db, project: string | null, now: string): Promise<string | null> {
  const rows = await db.all<{ newest: string | null }>(
    `SELECT max(least(s.newest, $now::TIMESTAMP)) AS newest FROM ${project === null ? 'own.sessions s' : SESSIONS_OF_PROJECT}`,
    { now, ...(project === null ? {} : { project }) },
  );
  return rows[0]?.newest ?? null;
}

/**
 * Days with an entry of a project (null: of any project), sorted, none after `now`. An entry that several sessions share (forks,
 * resumes) counts for each of them, so that it does not matter which was read first. One pass over two columns.
 * @param without ids of entries that do not count
 */
export async function activeDays(
  db: Db,
  project: string | null,
  now: string,
  without: readonly string[] = [],
): Promise<string[]> {
  const rows = await db.all<{ day: string }>(
    `SELECT DISTINCT e.time::DATE::VARCHAR AS day
     FROM (SELECT id, agent, session, time FROM own.entries UNION ALL SELECT id, agent, session, time FROM own.copies) e
     WHERE e.time <= $now::TIMESTAMP ${without.length === 0 ? '' : 'AND e.id NOT IN (SELECT unnest($without::VARCHAR[]))'}
       ${project === null ? '' : `AND (e.agent, e.session) IN (SELECT (s.agent, s.session) FROM ${SESSIONS_OF_PROJECT})`}
     ORDER BY day`,
    { now, ...(project === null ? {} : { project }), ...(without.length === 0 ? {} : { without }) },
  );
  return rows.map(({ day }) => day);
}
