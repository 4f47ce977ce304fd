/** The extracted data, for distilling, the crystal and summaries. */
import { stat } from 'node:fs/promises';
import { sessionKey, type Relation } from '../../types.js';
import { byOwner, type Db } from '../db.js';

/** Sessions (`agent\0session`) that were extracted in this home. */
export async function extractedSessions(db: Db): Promise<Set<string>> {
  const rows = await db.all<{ agent: string; session: string }>(
    'SELECT agent, session FROM own.session_facts WHERE extracted IS NOT NULL',
  );
  return new Set(rows.map(({ agent, session }) => sessionKey(agent, session)));
}

interface RelationSessions extends Relation {
  sessions: string[];
}

/** Ordered relations of each of these projects, each with the sessions that show it. */
export function relationsOf(
  db: Db,
  owners: readonly string[],
): Promise<(owner: string | null) => RelationSessions[]> {
  return byOwner(
    db,
    `SELECT r.project AS of, r.source AS "from", r.rel, r.target AS "to", list(DISTINCT r.session ORDER BY r.session) AS sessions
     FROM own.session_relations r JOIN own.session_facts s ON s.agent = r.agent AND s.session = r.session
     WHERE NOT s.is_machine AND r.project IN (SELECT unnest($owners::VARCHAR[])) GROUP BY ALL ORDER BY r.source, r.rel, r.target`,
    { owners },
  );
}

/**
 * Whether a text names a file, a command, a package, an error or the project; otherwise no relation
 * concerns it. This check saves planning the slow view of relations.
 * @param terms of the text
 */
export async function namesAnything(
  db: Db,
  project: string,
  text: string,
  terms: readonly string[],
): Promise<boolean> {
  const found = await db.all(
    `SELECT 1 FROM (
       SELECT file AS name FROM own.file_edits WHERE project = $project
       UNION ALL SELECT unnest([form, error] || IF(class = 'install', [regexp_extract(w, '^@?[^@]+') FOR w IN words], []))
         FROM own.steps WHERE project = $project
       UNION ALL SELECT name FROM own.projects WHERE id = $project)
     WHERE list_contains($terms::VARCHAR[], lower(name))
       OR list_contains($terms::VARCHAR[], lower(regexp_extract(name, '[^/]*$')))
       OR contains(name, ' ') AND contains($text, lower(name)) LIMIT 1`,
    { project, text: text.toLowerCase(), terms },
  );
  return found.length > 0;
}

/** Number of sessions per agent. */
export function agentSessions(db: Db): Promise<{ agent: string; sessions: number }[]> {
  return db.all(
    'SELECT agent, count(*) AS sessions FROM own.sessions WHERE last_n > 0 GROUP BY agent ORDER BY sessions DESC, agent',
  );
}

/** Ids of projects with at least one session, the newest first. */
export async function newestProjects(db: Db): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    'SELECT project_id AS id FROM own.session_facts WHERE project_id IS NOT NULL GROUP BY 1 ORDER BY max(newest) DESC NULLS ' +
      'LAST, 1',
  );
  return rows.map(({ id }) => id);
}

/** Sessions whose id begins with `prefix`. */
export function sessionByPrefix(
  db: Db,
  prefix: string,
  limit: number,
): Promise<{ agent: string; session: string }[]> {
  return db.all(
    'SELECT agent, session FROM own.sessions WHERE starts_with(lower(session), $prefix) ORDER BY agent, session LIMIT $limit',
    { prefix, limit },
  );
}

/** A session's row of the view `sessions` with its episode. */
export async function sessionHead(
  db: Db,
  agent: string,
  session: string,
): Promise<Record<string, unknown>> {
  const rows = await db.all<Record<string, unknown>>(
    `SELECT s.agent, s.session, s.project, s.title, s.cwd, s.branch, s.machine, s.subagent, s.parent, s.started, s.ended,
      s.entries,
       e.summary, e.outcome, e.signal, e.problem, e.solution, e.lesson, e.files, e.commands, e.commits, e.unfinished, e.next_step
     FROM main.sessions s LEFT JOIN main.episodes e ON e.agent = s.agent AND e.session = s.session WHERE s.agent = $agent
       AND s.session = $session`,
    { agent, session },
  );
  return rows[0] ?? {};
}

/** How many entries and live lessons the store has. */
interface StoreCounts {
  entries: number;
  lessons: number;
  /** Day of the oldest entry. */
  oldest: string | null;
}

export async function storeCounts(db: Db): Promise<StoreCounts> {
  const [counts] = await db.all<StoreCounts>(
    `SELECT count(*) AS entries, strftime(min(time), '%Y-%m-%d') AS oldest,
       (SELECT count(*) FROM own.lessons WHERE status = 'live') AS lessons
     FROM own.entries WHERE rev = 1`,
  );
  return counts!;
}

/**
 * Bytes of the database file and its WAL, by stat alone, since opening them in this process would
 * drop DuckDB's lock.
 */
export async function storeBytes(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}.wal`].map((file) =>
      stat(file).then(
        (info) => info.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
