/** Rows about work that does not succeed. */
import { type Db, first } from '../db.js';
import { KILLED } from './job-runs.js';

interface FailingJob {
  job: string;
  /** Runs in a row without success. */
  failures: number;
  /** Start of the first of them. */
  since: string;
  /** Error of the newest run, redacted; null if the run did a part. */
  error: string | null;
}

/**
 * Jobs whose last `least` runs or more did not succeed. A run that a person interrupted counts
 * neither way; a rollup that was done in part left tiers unwritten, so it counts as failed here.
 */
export function failingJobs(db: Db, least: number): Promise<FailingJob[]> {
  return db.all(
    `WITH good AS (SELECT job, max(id) AS id FROM own.job_runs WHERE outcome = 'ok' OR (outcome = 'partial'
      AND job <> 'rollup') GROUP BY job)
     SELECT r.job, count(*) AS failures, min(r.started) AS since, arg_max_null(r.error, r.id) AS error FROM own.job_runs r LEFT
       JOIN good g ON g.job = r.job
     WHERE r.id > coalesce(g.id, 0)
       AND (r.outcome IN ('failed', 'partial') OR (r.outcome = 'killed' AND r.error = $killed))
     GROUP BY r.job HAVING count(*) >= $least ORDER BY r.job`,
    { killed: KILLED, least },
  );
}

interface LeftSession {
  agent: string;
  session: string;
  /** When its newest entries were read. */
  since: string;
}

/**
 * Sessions with unlearnt entries that were skipped: a good extraction began a day or more after
 * they were read, and ended before `before`.
 */
export function leftSessions(db: Db, before: string): Promise<LeftSession[]> {
  return db.all(
    `WITH last AS (SELECT max(started) AS started FROM own.job_runs WHERE job = 'extract'
      AND outcome IN ('ok', 'partial') AND ended < $before::TIMESTAMP)
     SELECT agent, session, touched AS since FROM own.sessions, last
     WHERE last_n > coalesce(extracted_n, 0) AND touched < last.started - INTERVAL 1 DAY ORDER BY touched, agent, session`,
    { before },
  );
}

// Work that should have happened long ago, as the store shows it.

interface Unlearnt {
  /**
   * Sessions with entries that were read before the given time and have not been extracted since.
   */
  sessions: number;
  /** When any session was extracted last. */
  last: string | null;
}

/** Sessions whose newest entries were read before `before` and wait for extraction. */
export async function unlearntSince(db: Db, before: string): Promise<Unlearnt> {
  const row = await first<Unlearnt>(
    db,
    'SELECT count(*) FILTER (WHERE last_n > coalesce(extracted_n, 0) AND touched < $before::TIMESTAMP) AS sessions, ' +
      'max(extracted) AS last FROM own.sessions',
    { before },
  );
  return row!;
}
