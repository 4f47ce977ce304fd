/** What ran in a project and who changed its files: rows as they are shown. */
import type { Db } from './db.js';

/** A form of a program's runs. Times ISO 8601 UTC. */
export interface FormRuns {
  form: string;
  class: string;
  runs: number;
  passed: number;
  failed: number;
  sessions: number;
  last: string | null;
  /** Median of the runs that took a time the log tells. */
  ms: number | null;
}

/**
 * Forms in which a program ran, the usual ones first.
 * @param program its name, or the beginning of a form (`go test`)
 * @param project id; null: every project
 */
export function formsOf(db: Db, program: string, project: string | null, limit: number): Promise<FormRuns[]> {
  return db.all(
    `SELECT s.form, any_value(s.class) AS class, count(*) AS runs, count(*) FILTER (WHERE s.outcome = 'ok') AS passed,
       count(*) FILTER (WHERE s.outcome = 'failed') AS failed, count(DISTINCT (s.agent, s.session)) AS sessions,
       max(s.time) AS last, median(date_diff('millisecond', s.time, s.ended)) AS ms
     FROM own.steps s JOIN own.session_facts f ON f.agent = s.agent AND f.session = s.session
     WHERE (s.program = $program OR s.form = $program OR starts_with(s.form, $program || ' '))
       AND ($project::VARCHAR IS NULL OR f.project_id = $project)
     GROUP BY s.form ORDER BY sessions DESC, runs DESC, s.form LIMIT $limit`,
    { program, project, limit },
  );
}

/** A session that edited a file. */
export interface FileEditor {
  file: string;
  agent: string;
  session: string;
  title: string | null;
  edits: number;
  first: string | null;
  last: string | null;
  /** What the person had typed last before the first edit. */
  asked: string | null;
  path: string | null;
  line: number | null;
}

/**
 * Sessions that edited a file, the newest first.
 * @param file below the project's root, its end, or an absolute path
 */
export function editorsOf(db: Db, file: string, project: string | null, limit: number): Promise<FileEditor[]> {
  return db.all(
    `WITH edits AS (
       SELECT e.*, f.title FROM own.file_edits e JOIN own.session_facts f ON f.agent = e.agent AND f.session = e.session
       WHERE ($project::VARCHAR IS NULL OR f.project_id = $project)
         AND (e.file = $file OR ends_with(e.file, '/' || $file) OR ends_with($file, '/' || e.file))),
     grouped AS (
       SELECT file, agent, session, any_value(title) AS title, count(*) AS edits, min(time) AS first, max(time) AS last,
         min(seq) AS seq, arg_min(entry, seq) AS entry
       FROM edits GROUP BY file, agent, session)
     SELECT g.* EXCLUDE (seq, entry),
       (SELECT arg_max(p.text, p.seq) FROM own.prompts p
        WHERE p.agent = g.agent AND p.session = g.session AND p.seq < g.seq) AS asked, c.path, c.line
     FROM grouped g LEFT JOIN own.current_entries c ON c.id = g.entry
     ORDER BY g.last DESC NULLS LAST, g.session, g.file LIMIT $limit`,
    { file, project, limit },
  );
}
