/** One run of one job with its row in `job_runs`. */
import { endRun, startRun } from '../store/index.js';
import type { Job, JobContext, JobResult, Nudge } from './job.js';

/**
 * Runs a job. The row is written before the work starts, so a run that kills the process is seen afterwards.
 * @throws what the job threw, after the row has its error
 */
export const runJob = async (context: JobContext, job: Job, nudge: Nudge): Promise<JobResult> => {
  const { store, clock, log } = context;
  const begun = clock.mono();
  const id = await store.write((db) => startRun(db, { job: job.name, period: nudge.period ?? null, now: clock.now().toISOString() }));
  const end = (outcome: 'ok' | 'partial' | 'failed', counts: Record<string, number>, error: string | null) =>
    store.write((db) => endRun(db, id, { now: clock.now().toISOString(), outcome, counts, error, nextAttempt: null }));
  try {
    const result = await job.run(context, nudge);
    const ms = Math.round(clock.mono() - begun);
    await end((result.failed ?? 0) > 0 ? 'partial' : 'ok', { done: result.done, failed: result.failed ?? 0, ms, ...result.counts }, null);
    if (result.done > 0 || (result.failed ?? 0) > 0) log.info({ job: job.name, ms, ...result.counts, done: result.done, failed: result.failed }, 'job done');
    return result;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    log.error({ job: job.name, error: message }, 'job failed');
    // The store itself may be what failed: the first error is the one to tell.
    await end('failed', {}, message).catch(() => {});
    throw error;
  }
};
