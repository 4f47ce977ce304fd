/** Finds work that does not succeed. */
import { type Db, first } from '../db.js';
import { KILLED } from './job-runs.js';

interface FailingJob {
  job: string;
  /** Runs in a row without success. */
  failures: number;
  /** Start of the first failed run. */
  since: string;
  /** Error of the newest run, redacted; null if that run was partly done. */
  error: string | null;
}

/**
 * Jobs whose last `least` or more runs failed. Ignores runs that a person interrupted. A partly
 * done rollup counts as failed, since tiers are missing.
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
  /** Time when its newest entries were read. */
  since: string;
}

/**
 * Sessions with unlearnt entries that were read at least a day before the start of the last good
 * extraction, which skipped them and ended before `before`.
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

// Overdue work.

interface Unlearnt {
  /** Sessions with entries that were read before the given time and are not extracted. */
  sessions: number;
  /** Time of the last extraction of any session. */
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
