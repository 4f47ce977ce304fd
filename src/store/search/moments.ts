/** What the rows say of earlier moments: failures with the same error, and what their sessions did next. */
import type { Role } from '../../types.js';
import type { Db } from '../db.js';
import { textsOf } from '../rows/texts.js';

/** Which sessions may speak. */
export interface Reach {
  /** Project id; null: every project. */
  project: string | null;
  /** ISO 8601: only what was there before it; absent: everything. */
  asOf?: string;
  /** A session that hears the answer: what it said itself is no memory. */
  session?: string | null;
}

/** A failed result. */
export interface EarlierFailure {
  id: string;
  agent: string;
  session: string;
  seq: number;
  time: string | null;
  command: string | null;
  path: string;
  line: number;
}

/** A step of the session around a failure. */
export interface NextStep {
  seq: number;
  time: string | null;
  at: number;
  program: string;
  form: string;
  class: string;
  words: string[];
  shown: boolean;
  outcome: 'ok' | 'failed' | 'unknown';
}

/** All that followed a failure in its session, in order. */
export interface Aftermath {
  /** The step that failed; null when no row tells. */
  failed: NextStep | null;
  steps: NextStep[];
  edits: { seq: number; time: string | null; file: string }[];
  /** What the agent and the person said. */
  texts: { seq: number; time: string | null; role: Role; text: string; path: string; line: number }[];
}

/** `file: what` and another `file: what` are one error, as for facts (`came_back`). */
function whatOf(signature: string): string {
  return `regexp_replace(${signature}, '^[\\w.-]+\\.\\w{1,5}: ', '')`;
}

/**
 * What failed with an error of `wanted(error)`: results by their signature, and steps by the line that names their error, which
 * differ for half of the outputs. A step's failure stands right behind its call.
 */
const FAILED = `
  SELECT e.id, e.agent, e.session, e.seq, e.time, e.command, e.path, e.line, e.project_id AS project, w.error
  FROM own.current_entries e JOIN wanted w ON ${whatOf('w.error')} = ${whatOf('e.error')}
  WHERE e.role = 'tool_result' AND NOT e.machine
  UNION ALL
  SELECT e.id, e.agent, s.session, s.seq + 1 AS seq, coalesce(s.ended, s.time) AS time, e.command, e.path, e.line,
    e.project_id AS project, w.error
  FROM own.steps s JOIN wanted w ON ${whatOf('w.error')} = ${whatOf('s.error')} JOIN own.current_entries e ON e.id = s.entry
  WHERE s.outcome = 'failed' AND NOT e.machine`;

/** Failures of other sessions with one of these errors, of this file or another one, newest first. */
export function failuresLike(db: Db, errors: readonly string[], reach: Reach, limit: number): Promise<EarlierFailure[]> {
  return db.all<EarlierFailure>(
    `WITH wanted AS (SELECT DISTINCT unnest($errors::VARCHAR[]) AS error), failed AS (${FAILED})
     SELECT DISTINCT e.* EXCLUDE (project, error) FROM failed e WHERE ${reachCondition(reach)}
     ORDER BY e.time DESC NULLS LAST, e.id LIMIT $limit`,
    { errors, limit, ...reachParams(reach) },
  );
}

/** Failures with these errors in these projects, newest first. */
export function failuresOf(db: Db, wanted: readonly { project: string; error: string }[]) {
  return db.all<EarlierFailure & { project: string; error: string }>(
    `WITH wanted AS (SELECT DISTINCT unnest($projects::VARCHAR[]) AS of, unnest($errors::VARCHAR[]) AS error),
       failed AS (${FAILED})
     SELECT DISTINCT e.* FROM failed e JOIN wanted w ON w.of = e.project AND w.error = e.error
     ORDER BY e.time DESC NULLS LAST, e.id`,
    { projects: wanted.map(({ project }) => project), errors: wanted.map(({ error }) => error) },
  );
}

/** So far behind a failure its cure is looked for, in lines of the log times a thousand. */
const AFTER_SEQ = 200_000;
const MOST_ROWS = 120;

export async function aftermathOf(db: Db, { agent, session, seq }: EarlierFailure): Promise<Aftermath> {
  const place = { agent, session, seq, until: seq + AFTER_SEQ };
  const here = 'agent = $agent AND session = $session';
  const columns = 'seq, time, "at", program, form, class, words, shown, outcome';
  const steps = await db.all<NextStep>(
    `SELECT ${columns} FROM own.steps WHERE ${here} AND seq > $seq AND seq <= $until ORDER BY seq, n LIMIT ${MOST_ROWS}`,
    place,
  );
  const failed = await db.all<NextStep>(
    `SELECT ${columns} FROM own.steps WHERE ${here} AND seq < $seq AND seq <= $until AND outcome = 'failed'
     ORDER BY seq DESC, n DESC LIMIT 1`,
    place,
  );
  const edits = await db.all<Aftermath['edits'][number]>(
    `SELECT seq, time, file FROM own.file_edits WHERE ${here} AND seq > $seq AND seq <= $until ORDER BY seq LIMIT ${MOST_ROWS}`,
    place,
  );
  const rows = await db.all<Omit<Aftermath['texts'][number], 'text'> & { n: number; length: number }>(
    `SELECT n, length, seq, time, role, path, line FROM own.entries
     WHERE ${here} AND seq > $seq AND seq <= $until AND role IN ('assistant', 'user') AND origin IN ('agent', 'user')
     ORDER BY seq LIMIT ${MOST_ROWS}`,
    place,
  );
  const texts = await textsOf(db, rows);
  return {
    failed: failed[0] ?? null,
    steps,
    edits,
    texts: rows.map(({ n, length: _, ...row }) => ({ ...row, text: texts.get(n) ?? '' })),
  };
}

/** How many of these files a session edited on a later day than the item's, by the item's id. */
export async function changedSince(
  db: Db,
  project: string | null,
  items: readonly { id: string; day: string | null; files?: readonly string[] | undefined }[],
): Promise<Map<string, number>> {
  const about = items.flatMap(({ id, day, files = [] }) => (day === null ? [] : files.map((file) => ({ id, day, file }))));
  if (about.length === 0) return new Map();
  const rows = await db.all<{ id: string; changed: number }>(
    `WITH about AS (
       SELECT unnest($ids::VARCHAR[]) AS id, unnest($days::VARCHAR[])::DATE AS day, unnest($files::VARCHAR[]) AS file)
     SELECT a.id, count(DISTINCT a.file) AS changed FROM about a JOIN own.file_edits e ON e.file = a.file AND e.time::DATE > a.day
     WHERE $project::VARCHAR IS NULL OR e.project = $project GROUP BY a.id`,
    { project, ids: about.map(({ id }) => id), days: about.map(({ day }) => day), files: about.map(({ file }) => file) },
  );
  return new Map(rows.map(({ id, changed }) => [id, changed]));
}

function reachCondition({ project, asOf, session }: Reach): string {
  return [
    ...(project === null ? [] : ['e.project = $project']),
    ...(asOf === undefined ? [] : ['e.time < $asOf::TIMESTAMP']),
    ...(session == null ? [] : ['e.session <> $heard']),
    'true',
  ].join(' AND ');
}

function reachParams({ project, asOf, session }: Reach): Record<string, string> {
  return {
    ...(project === null ? {} : { project }),
    ...(asOf === undefined ? {} : { asOf }),
    ...(session == null ? {} : { heard: session }),
  };
}
