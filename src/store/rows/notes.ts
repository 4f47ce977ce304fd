/** Notes without a lesson, and rows that contradict notes with a lesson. */
import type { DroppedNote } from '../../types.js';
import { byOwner, type Db } from '../db.js';

/** A dropped note with its project's id and its day. */
export interface StoredDropped extends DroppedNote {
  project: string;
  day: string | null;
}

/** Notes without a claim, oldest first. @param project id; null: all */
export function droppedNotes(db: Db, project: string | null): Promise<StoredDropped[]> {
  return db.all<StoredDropped>(
    `SELECT d.entry, d.said_by, d.text, d.reason, d.project, strftime(min(e.time), '%Y-%m-%d') AS day
     FROM own.dropped_notes d
     JOIN own.session_facts s ON s.agent = d.agent AND s.session = d.session AND NOT s.is_machine
     LEFT JOIN own.entries e ON e.id = d.entry
     WHERE $project::VARCHAR IS NULL OR d.project = $project
     GROUP BY d.entry, d.said_by, d.text, d.reason, d.project ORDER BY min(e.time), d.entry, d.text`,
    { project },
  );
}

/** How many notes are not lessons, because they have too few words or are tainted. */
export async function notesLeftOut(db: Db): Promise<number> {
  const [row] = await db.all<{ count: number }>(
    `SELECT (SELECT count(*) FROM (SELECT DISTINCT entry, said_by, text, reason, project FROM own.dropped_notes
         SEMI JOIN (FROM own.session_facts WHERE NOT is_machine) USING (agent, session)))
       + (SELECT coalesce(sum(withheld), 0) FROM own.project_state
         WHERE project = '' OR project IN (SELECT id FROM own.projects)) AS count`,
  );
  return Number(row!.count);
}

/** Names in notes, to find contradicting rows. */
interface NoteNames {
  /** Forms of the commands that the notes recommend. */
  forms: readonly string[];
  /** Paths below the project's root. */
  files: readonly string[];
}

/** A command that failed and has not worked since, or a removed file. */
export interface Undone {
  /** Form of the command, or the file or folder. */
  name: string;
  isFile: boolean;
  agent: string;
  session: string;
  entry: string;
  /** ISO 8601 UTC. */
  time: string;
  quote: string;
}

/**
 * Checks also fail if the code is wrong, so they contradict only by "no such command". A program
 * may create a file again after `rm`, so the file must have been edited.
 */
const UNDONE = `WITH s AS MATERIALIZED (
   SELECT *, array_to_string(words, ' ') AS line FROM steps_at($now::TIMESTAMP, of_project := array_to_string($owners::VARCHAR[], ' '))
   WHERE is_first AND folder IS NOT NULL AND outcome IN ('ok', 'failed')),
 passed AS (SELECT project, form, max(known) AS at FROM s WHERE outcome = 'ok' GROUP BY ALL),
 failed AS (
   SELECT s.project, s.form AS name, false AS "isFile", of_agent AS agent, of_session AS session,
     arg_max(entry, (known, entry)) AS entry, max(known) AS time,
     arg_max(line || coalesce(': ' || error, ''), (known, entry)) AS quote
   FROM s LEFT JOIN passed p ON p.project = s.project AND p.form = s.form
   WHERE list_contains($forms::VARCHAR[], s.form) AND outcome = 'failed' AND (p.at IS NULL OR p.at < known)
     AND (absent OR class NOT IN ('test', 'build', 'lint', 'format', 'typecheck', 'check') OR regexp_matches(error,
       '(?i)missing script|no rule to make|unknown (command|option|flag|argument|task)|unrecognized|no such (command|script|target|task)'))
   GROUP BY ALL),
 edits AS MATERIALIZED (FROM edits_at($now::TIMESTAMP, of_project := array_to_string($owners::VARCHAR[], ' '))),
 removing AS (
   SELECT *, words[1] = 'git' AS sure, list_filter(words[CASE WHEN words[1] = 'git' THEN 3 ELSE 2 END:],
     lambda w: NOT starts_with(w, '-')) AS args, list_contains(words, 'mv') AS moves
   FROM s WHERE outcome = 'ok' AND NOT list_contains(words, '--cached')
     AND (words[1] IN ('rm', 'mv', 'unlink') OR words[1] = 'git' AND words[2] IN ('rm', 'mv'))),
 removed AS (
   SELECT project, known, entry, of_agent, of_session, line, sure, regexp_replace(
       CASE WHEN folder = '' THEN word ELSE folder || '/' || word END, '^(\\./)+|/+$', '', 'g') AS path
   FROM (SELECT *, unnest(CASE WHEN moves THEN args[1:len(args) - 1] ELSE args END) AS word FROM removing)
   UNION ALL
   SELECT project, time, entry, of_agent, of_session, 'deleted ' || file, true, file FROM edits WHERE deleted),
 gone AS (
   SELECT r.project, f.name, true, of_agent, of_session, entry, known, line
   FROM removed r JOIN (SELECT unnest($files::VARCHAR[]) AS name) f ON f.name = r.path OR starts_with(f.name, r.path || '/')
   WHERE (sure OR EXISTS (FROM edits e WHERE e.project = r.project AND e.time <= r.known AND e.file = f.name))
     AND NOT EXISTS (FROM edits e WHERE e.project = r.project AND e.time > r.known AND e.file = f.name AND e.deleted IS NOT TRUE)
     AND NOT EXISTS (FROM s WHERE s.project = r.project AND s.known > r.known AND s.outcome = 'ok'
       AND list_has_any(s.words, [f.name, r.path]) AND (s.words[1] <> 'git' OR s.words[2] IN ('checkout', 'restore'))))
 SELECT project AS of, name, "isFile", agent, session, entry, time, quote[:300] AS quote
 FROM (FROM failed UNION ALL FROM gone) ORDER BY time, entry, name`;

/** Contradicted names of each of these projects, oldest first. */
export function undoneSince(
  db: Db,
  owners: readonly string[],
  now: string,
  { forms, files }: NoteNames,
): Promise<(owner: string | null) => Undone[]> {
  const isNone = forms.length + files.length === 0;
  return byOwner<Undone>(db, UNDONE, { ...{ owners: isNone ? [] : owners, now, forms, files } });
}

/** The times of entries, by their ids. */
export async function timesOf(db: Db, entries: readonly string[]): Promise<Map<string, string>> {
  if (entries.length === 0) return new Map();
  const rows = await db.all<{ id: string; time: string }>(
    `SELECT id, min(time) AS time FROM own.entries WHERE id IN (SELECT unnest($entries::VARCHAR[])) AND time IS NOT NULL
     GROUP BY id`,
    { entries },
  );
  return new Map(rows.map(({ id, time }) => [id, time]));
}
