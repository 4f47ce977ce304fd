/**
 * Every run of a job leaves a row. It has attempts, periods, counts and errors; pending work is a
 * query elsewhere.
 */
import type { JobName } from '../../types.js';
import { type Db, first } from '../db.js';

export type RunOutcome = 'running' | 'ok' | 'partial' | 'failed' | 'killed';

/**
 * Claims a run; commit it before the work begins, so that a crash counts as an attempt. Returns the
 * run's id.
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
 * Closes a run. `error` must be redacted text; `next_attempt` is when a failed run may be tried
 * again; of a slice that left work (`isPart`) the period is not done.
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

/** The error of a run whose process was killed; an interrupted run has another one. */
export const KILLED = 'the process ended while this ran';

/**
 * Runs that a killed process left open become `killed`; call it at start, while holding the home's
 * lock.
 */
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

/** A job whose newest run failed, and when it is tried again. */
export interface PlannedRetry {
  job: string;
  period: string | null;
  /** How many runs failed in a row. */
  attempt: number;
  at: string;
}

/** Soonest first. A run that ended well, or was stopped, plans none. */
export function plannedRetries(db: Db): Promise<PlannedRetry[]> {
  return db.all(
    `SELECT job, period, attempt, next_attempt AS "at" FROM own.job_runs
     QUALIFY row_number() OVER (PARTITION BY job ORDER BY id DESC) = 1 AND outcome = 'failed' AND next_attempt IS NOT NULL
       ORDER BY next_attempt, job`,
  );
}

/** The newest run of every job, and the last that ended well, in the order of their names. */
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
 * Keeps the newest `keep` runs of each job and every run newer than `since`; what fell out is
 * deleted.
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
 * Periods that a job finished well. A set, so that a clock set back repeats nothing and stalls
 * nothing.
 */
export async function donePeriods(db: Db, job: string): Promise<Set<string>> {
  const rows = await db.all<{ period: string }>(
    `SELECT DISTINCT period FROM own.job_runs WHERE job = $job AND period IS NOT NULL AND outcome IN ('ok', 'partial')`,
    { job },
  );
  return new Set(rows.map(({ period }) => period));
}
