/**
 * What a person looks at: projects with their week, runs, edits. Rows as they are
 * shown.
 */
import type { Db } from './db.js';
import { SESSION_LINES } from './search/session-lines.js';
import type { EditLine } from '../types.js';

/** A project with what the last days brought; times ISO 8601 UTC. */
interface ProjectWeek {
  slug: string;
  name: string;
  folders: string[];
  sessions: number;
  entries: number;
  lessons: number;
  last_seen: string | null;
  week_sessions: number;
  week_entries: number;
  week_lessons: number;
  /** The three weightiest lessons. */
  top: string[];
  /** The session that a person led last. */
  last_agent: string | null;
  last_session: string | null;
  last_title: string | null;
}

/**
 * Projects that are worked in, the newest first.
 * @param since time from which on something is new
 */
export function projectWeeks(db: Db, since: string): Promise<ProjectWeek[]> {
  return db.all(
    `WITH fresh AS (
       SELECT s.project_id, count(*) AS entries, count(DISTINCT (s.agent, s.session)) AS sessions
       FROM own.entries e JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session
       WHERE e.time >= $since::TIMESTAMP AND e.rev = 1 GROUP BY ALL),
     known AS (
       SELECT owner, count(*) AS lessons, count(*) FILTER (WHERE first_seen >= $since::TIMESTAMP::DATE::VARCHAR) AS fresh,
         list(text ORDER BY pinned DESC, importance DESC, last_seen DESC, id)[:3] AS top
       FROM own.lessons WHERE status IN ('live', 'conflict') GROUP BY owner),
     led AS (
       SELECT project_id, arg_max(agent, newest) AS agent, arg_max(session, newest) AS session FROM own.session_facts
       WHERE NOT is_machine AND NOT coalesce(subagent, false) GROUP BY project_id)
     SELECT p.slug, p.name, p.folders, p.sessions, p.entries, coalesce(k.lessons, 0) AS lessons, p.last_seen,
       coalesce(f.sessions, 0) AS week_sessions, coalesce(f.entries, 0) AS week_entries, coalesce(k.fresh, 0) AS week_lessons,
       coalesce(k.top, []) AS top, l.agent AS last_agent, l.session AS last_session, t.title AS last_title
     FROM main.projects p LEFT JOIN fresh f ON f.project_id = p.id LEFT JOIN known k ON k.owner = p.id
       LEFT JOIN led l ON l.project_id = p.id LEFT JOIN (${SESSION_LINES}) t ON t.agent = l.agent AND t.session = l.session
     WHERE p.sessions > 0 ORDER BY p.last_seen DESC NULLS LAST, p.slug`,
    { since },
  );
}

/** Runs of background jobs, the newest first. */
export async function newestRuns(
  db: Db,
  limit: number,
): Promise<
  {
    job: string;
    started: string;
    ms: number | null;
    outcome: string;
    counts: Record<string, number>;
    error: string | null;
  }[]
> {
  const rows = await db.all<{
    job: string;
    started: string;
    ms: number | null;
    outcome: string;
    counts: string;
    error: string | null;
  }>(
    `SELECT job, started, date_diff('millisecond', started, ended) AS ms, outcome, counts, error FROM own.job_runs
     ORDER BY started DESC, id DESC LIMIT $limit`,
    { limit },
  );
  return rows.map((row) => ({ ...row, counts: JSON.parse(row.counts) as Record<string, number> }));
}

/** Edits of one lesson, the newest first. */
export function editsOf(db: Db, lesson: string): Promise<EditLine[]> {
  return db.all(
    `SELECT action, time AS at, coalesce(author, 'person') AS by, text FROM own.edits WHERE lesson = $lesson ORDER BY n DESC`,
    { lesson },
  );
}
