/**
 * Repeated failures in a history, with their place in the log and their cost. Each is judged by the
 * data before it.
 */
import { first, type Db } from './db.js';
import { rowsOf } from './facts.js';
import { withPlaces } from './search/numbers.js';

/** A failure that already occurred in an earlier session. */
export interface RepeatRow {
  kind: 'error' | 'command' | 'program';
  /** Project id and slug. */
  project: string;
  slug: string;
  agent: string;
  session: string;
  entry: string;
  /** ISO 8601 UTC. */
  time: string;
  program: string | null;
  /** Form of the command. */
  form: string;
  /** The command as it ran. */
  command: string;
  error: string | null;
  /** An earlier session solved it. */
  was_cured: boolean;
  /** Keys of the facts that had a cure at that moment. */
  cures: string[];
  /**
   * Places of the failure and of the success that ended it among the shell calls of the session;
   * null if none.
   */
  at: number | null;
  until: number | null;
  path: string | null;
  line: number | null;
}

/** A shell call: its place in the session and its time. */
export interface CallRow {
  agent: string;
  session: string;
  at: number;
  time: string;
  ended: string | null;
}

/** Tokens of a model's answer. */
export interface AnswerRow {
  agent: string;
  session: string;
  time: string;
  model: string | null;
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
  reasoning: number;
  cost: number | null;
}

export interface Repeats {
  rows: RepeatRow[];
  calls: CallRow[];
  answers: AnswerRow[];
}

const FAILURES = `WITH b AS MATERIALIZED (
   SELECT c.*, s."at", s.class, array_to_string(s.words, ' ') AS command
   FROM came_back($now::TIMESTAMP, of_project := $project::VARCHAR) c
   JOIN own.steps s ON s.agent = c.agent AND s.session = c.session AND s.entry = c.entry AND s.n = c.n
   WHERE $since::TIMESTAMP IS NULL OR c.failed_at >= $since::TIMESTAMP),
 ends AS (
   SELECT b.agent, b.session, b.entry, b.n, min(w."at") AS until FROM b
   JOIN own.steps w ON w.agent = b.agent AND w.session = b.session AND w."at" > b."at" AND w.outcome = 'ok'
     AND (w.form = b.form OR w.class = b.class AND w.class NOT IN ('vcs', 'other'))
   GROUP BY ALL)
 SELECT CASE WHEN b.absent THEN 'program' WHEN b.by_form THEN 'command' ELSE 'error' END AS kind, b.project, p.slug, b.agent,
   b.session, b.entry, b.failed_at AS time, b.program, b.form, b.command, b.error, b.was_cured, b.cures,
   b."at", u.until FROM b
   JOIN own.projects p ON p.id = b.project
   LEFT JOIN ends u ON u.agent = b.agent AND u.session = b.session AND u.entry = b.entry AND u.n = b.n
 ORDER BY b.failed_at, b.entry, b.n`;

/**
 * Judges each failure by the data before it. Only `until` comes from later data, for the cost.
 * @param project id; null: all
 * @param since ISO 8601 UTC; null: all
 */
export async function loadRepeats(
  db: Db,
  { project, since, now }: { project: string | null; since: string | null; now: string },
) {
  const wanted = { project, since, now };
  const has = await rowsOf(db, project === null ? null : [project]);
  const rows: RepeatRow[] = has.failures
    ? await withPlaces(db, await db.all<Omit<RepeatRow, 'path' | 'line'>>(FAILURES, wanted))
    : [];
  const sessions = [...new Set(rows.map(({ session }) => session))];
  const calls = await db.all<CallRow>(
    `SELECT agent, session, "at", min(time) AS time, max(ended) AS ended FROM own.steps
     WHERE session IN (SELECT unnest($sessions::VARCHAR[])) AND time IS NOT NULL GROUP BY ALL ORDER BY agent, session, "at"`,
    { sessions },
  );
  const answers = await db.all<AnswerRow>(
    `SELECT agent, session, time, model, input, cache_read, cache_write, output, reasoning, cost
     FROM own.usage WHERE session IN (SELECT unnest($sessions::VARCHAR[])) AND time IS NOT NULL
     ORDER BY agent, session, time, id`,
    { sessions },
  );
  return { rows, calls, answers } satisfies Repeats;
}

/** The queries read all steps of a history; only `replay` judges a larger one. */
const MOST_STEPS = 20_000;

/** Whether a history is small enough to judge in about two seconds. @param project id; null: all */
export async function isQuicklyJudged(db: Db, project: string | null): Promise<boolean> {
  const steps = await first<{ n: number }>(
    db,
    'SELECT count(*) AS n FROM own.steps WHERE $project::VARCHAR IS NULL OR project = $project',
    { project },
  );
  return (steps?.n ?? 0) <= MOST_STEPS;
}
