/** What the store knows of work that does not succeed, and facts that a job left in it for `status` and `doctor`. */
import { KILLED } from './job-runs.js';
import type { Db } from './db.js';

export interface FailingJob {
  job: string;
  /** Runs in a row without success. */
  failures: number;
  /** Start of the first of them. */
  since: string;
  /** Of the newest, redacted; null when it was done in part. */
  error: string | null;
}

/**
 * Jobs whose last `least` runs or more did not succeed. A run that a person interrupted counts neither way; a rollup that was done in part
 * left tiers unwritten, so it counts as failed here.
 */
export const failingJobs = (db: Db, least: number): Promise<FailingJob[]> =>
  db.all(
    `WITH good AS (SELECT job, max(id) AS id FROM own.job_runs WHERE subject IS NULL AND (outcome = 'ok' OR (outcome = 'partial' AND job <> 'rollup')) GROUP BY job)
     SELECT r.job, count(*) AS failures, min(r.started) AS since, arg_max_null(r.error, r.id) AS error FROM own.job_runs r LEFT JOIN good g ON g.job = r.job
     WHERE r.subject IS NULL AND r.id > coalesce(g.id, 0)
       AND (r.outcome IN ('failed', 'partial') OR (r.outcome = 'killed' AND r.error = $killed))
     GROUP BY r.job HAVING count(*) >= $least ORDER BY r.job`,
    { killed: KILLED, least },
  );

export interface LeftSession {
  agent: string;
  session: string;
  /** When its newest entries were read. */
  since: string;
}

/**
 * Sessions with unlearnt entries that were passed over: a good extraction began a day or more after they were read, and it ended before
 * `before`, so that a long extraction which has not come to them yet does not count.
 */
export const leftSessions = (db: Db, before: string): Promise<LeftSession[]> =>
  db.all(
    `WITH last AS (SELECT max(started) AS started FROM own.job_runs WHERE job = 'extract' AND subject IS NULL AND outcome IN ('ok', 'partial') AND ended < $before::TIMESTAMP)
     SELECT agent, session, touched AS since FROM own.sessions, last
     WHERE last_n > coalesce(extracted_n, 0) AND touched < last.started - INTERVAL 1 DAY ORDER BY touched, agent, session`,
    { before },
  );

/** Something that a person should know, under a stable upper-case code. */
export interface Noted {
  code: string;
  since: string;
  text: string;
}

const KEY = 'fault:';

/** Leaves a fact for `status` and `doctor` until it is cleared; the time of the first telling stays. The cure of its code stands in jobs/degraded.ts. */
export async function noteFault(db: Db, code: string, text: string, now: string): Promise<void> {
  const known = (await notedFaults(db)).find((each) => each.code === code);
  if (known?.text === text) return;
  const key = KEY + code;
  await db.run('DELETE FROM main.meta WHERE key = $key', { key });
  await db.run('INSERT INTO main.meta VALUES ($key, $value)', { key, value: JSON.stringify({ since: known?.since ?? now, text }) });
}

export const clearFault = (db: Db, code: string): Promise<number> => db.run('DELETE FROM main.meta WHERE key = $key', { key: KEY + code });

/** In the order of their codes. */
export async function notedFaults(db: Db): Promise<Noted[]> {
  const rows = await db.all<{ key: string; value: string }>('SELECT key, value FROM main.meta WHERE starts_with(key, $prefix) ORDER BY key', { prefix: KEY });
  return rows.map(({ key, value }) => ({ code: key.slice(KEY.length), ...(JSON.parse(value) as Omit<Noted, 'code'>) }));
}
