/** Which nights are done. */
import type { Db } from './db.js';

/** Periods that a job finished well. A set, so that a clock set back repeats nothing and stalls nothing. */
export async function donePeriods(db: Db, job: string): Promise<Set<string>> {
  const rows = await db.all<{ period: string }>(
    `SELECT DISTINCT period FROM own.job_runs WHERE job = $job AND period IS NOT NULL AND outcome IN ('ok', 'partial')`,
    { job },
  );
  return new Set(rows.map(({ period }) => period));
}
