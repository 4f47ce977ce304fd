/** The rows of job runs, one for each run. Other queries find pending work. */
import type { JobName } from '../../types.js';
import { type Db, first } from '../db.js';

export type RunOutcome = 'running' | 'ok' | 'partial' | 'failed' | 'killed';

/**
 * Adds the row of a run and returns its id. Commit it before the work begins, so that a crash
 * counts as an attempt.
 */
export async function startRun(
  db: Db,
  { job, period = null, now }: { job: JobName | string; period?: string | null; now: string },
): Promise<number> {
  const rows = await db.all<{ id: number }>(
    `INSERT INTO own.job_runs SELECT coalesce(max(id), 0) + 1, $job, $period, 1 + (${FAILURES}), $now::TIMESTAMP, NULL,
      'running', '{}', NULL, NULL
     FROM own.job_runs RETURNING id`,
    { job, period, now },
  );
  return (rows[0] as { id: number }).id;
}

/**
 * Closes a run. `error` must be redacted; `next_attempt` is the earliest time of the next try. The
 * period of an unfinished slice (`isPart`) is not done.
 */
export async function endRun(
  db: Db,
  id: number,
  {
    outcome,
    counts = {},
    error = null,
    next_attempt = null,
    isPart = false,
    now,
  }: {
    outcome: Exclude<RunOutcome, 'running'>;
    counts?: Record<string, number>;
    error?: string | null;
    next_attempt?: string | null;
    isPart?: boolean;
    now: string;
  },
): Promise<void> {
  await db.run(
    'UPDATE own.job_runs SET ended = $now::TIMESTAMP, outcome = $outcome, counts = $counts, error = $error, next_attempt = ' +
      '$next_attempt::TIMESTAMP, period = CASE WHEN $isPart THEN NULL ELSE period END WHERE id = $id',
    { id, outcome, counts: JSON.stringify(counts), error, next_attempt, isPart, now },
  );
}

/** The error of a run whose process was killed; an interrupted run has another error. */
export const KILLED = 'the process ended while this ran';

/** Marks the open runs of a killed process as `killed`; call it at start, with the home's lock. */
export function closeKilledRuns(db: Db, now: string): Promise<number> {
  return db.run(
    `UPDATE own.job_runs SET outcome = 'killed', ended = $now::TIMESTAMP, error = $error WHERE outcome = 'running'`,
    { now, error: KILLED },
  );
}

const FAILURES = `SELECT count(*) AS count FROM own.job_runs WHERE job = $job AND outcome IN ('failed', 'killed')
  AND id > coalesce((SELECT max(id) FROM own.job_runs WHERE job = $job AND outcome IN ('ok', 'partial')), 0)`;

/** Failed or killed runs of this job since the last good one. */
export async function failuresInRow(db: Db, job: string): Promise<number> {
  const row = await first<{ count: number }>(db, FAILURES, { job });
  return row?.count ?? 0;
}

/** A job whose newest run failed, and the time of its next try. */
export interface PlannedRetry {
  job: string;
  period: string | null;
  /** Number of failed runs in a row. */
  attempt: number;
  at: string;
}

/** Planned retries, soonest first. A run that succeeded or was stopped has none. */
export function plannedRetries(db: Db): Promise<PlannedRetry[]> {
  return db.all(
    `SELECT job, period, attempt, next_attempt AS "at" FROM own.job_runs
     QUALIFY row_number() OVER (PARTITION BY job ORDER BY id DESC) = 1 AND outcome = 'failed' AND next_attempt IS NOT NULL
       ORDER BY next_attempt, job`,
  );
}

/** The newest run and the last successful run of every job, ordered by job name. */
export function lastRuns(
  db: Db,
): Promise<{ name: string; last_run: string; last_ok: string | null; error: string | null }[]> {
  return db.all(
    `SELECT job AS name, max_by(started, id) AS last_run, max(started) FILTER (outcome IN ('ok', 'partial')) AS last_ok,
       arg_max_null(error, id) AS error
     FROM own.job_runs GROUP BY job ORDER BY job`,
  );
}

/**
 * Deletes the runs that are neither among the newest `keep` of their job nor newer than `since`.
 */
export function trimRuns(db: Db, keep: number, since: string): Promise<number> {
  return db.run(
    `DELETE FROM own.job_runs WHERE started < $since::TIMESTAMP AND id NOT IN (
       SELECT id FROM own.job_runs QUALIFY row_number() OVER (PARTITION BY job ORDER BY id DESC) <= $keep)
       AND id NOT IN (SELECT max(id) FROM own.job_runs WHERE outcome IN ('ok', 'partial') GROUP BY job)`,
    { keep, since },
  );
}

/**
 * Periods that a job finished. A set, so that a clock that is set back neither repeats nor blocks
 * work.
 */
export async function donePeriods(db: Db, job: string): Promise<Set<string>> {
  const rows = await db.all<{ period: string }>(
    `SELECT DISTINCT period FROM own.job_runs WHERE job = $job AND period IS NOT NULL AND outcome IN ('ok', 'partial')`,
    { job },
  );
  return new Set(rows.map(({ period }) => period));
}
