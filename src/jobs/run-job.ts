/** Runs a job once, with its row in `job_runs`. */
import { messageOf } from '../errors.js';
import {
  type Db,
  type RunOutcome,
  endRun,
  failuresInRow,
  faultKind,
  startRun,
} from '../store/index.js';
import type { Job, JobContext, JobResult, Trigger } from './job.js';
import { maskText } from './upkeep/mask.js';

/**
 * Runs a job. The row is written before the work, to record a run that kills the process; reading a
 * growing log writes its row only at the end.
 * @throws the error of the job, after the row has it; the caller reports it
 */
export async function runJob(
  context: JobContext,
  job: Pick<Job, 'name' | 'run'>,
  trigger: Trigger,
): Promise<JobResult> {
  const { store, clock, log } = context;
  const begun = clock.mono();
  const row = { job: job.name, period: trigger.period ?? null, now: clock.now().toISOString() };
  const begin = (db: Db): Promise<number> => startRun(db, row);
  const id = trigger.urgent === true ? null : await store.write(begin);
  try {
    const result = await job.run(context, trigger);
    const ms = Math.round(clock.mono() - begun);
    const counts = { done: result.done, failed: result.failed ?? 0, ms, ...result.counts };
    await store.write(async (db) =>
      endRun(db, id ?? (await begin(db)), {
        now: clock.now().toISOString(),
        outcome: outcomeOf(context, result),
        counts,
        isPart: result.more === true,
      }),
    );
    if (result.done > 0 || counts.failed > 0) log.info({ job: job.name, ...counts }, 'job done');
    return result;
  } catch (error) {
    // The store itself may have failed, so only the first error is reported.
    await closeFailed(context, job, async (db) => id ?? begin(db), error).catch(() => {});
    throw error;
  }
}

/** A stopped run does not count for its night. */
function outcomeOf({ signal }: JobContext, result: JobResult): Exclude<RunOutcome, 'running'> {
  return signal.aborted ? 'killed' : (result.failed ?? 0) > 0 ? 'partial' : 'ok';
}

async function closeFailed(
  context: JobContext,
  job: Pick<Job, 'name'>,
  rowIn: (db: Db) => Promise<number>,
  error: unknown,
): Promise<void> {
  const { store, clock, signal } = context;
  // The message may quote stored text.
  const message = await maskText(context, messageOf(error));
  await store.write(async (db) => {
    const now = clock.now();
    const failures = (await failuresInRow(db, job.name)) + 1;
    const next = new Date(
      now.getTime() + retryDelayMs(failures, faultKind(error) === 'busy'),
    ).toISOString();
    await endRun(db, await rowIn(db), {
      now: now.toISOString(),
      outcome: signal.aborted ? 'killed' : 'failed',
      error: message,
      next_attempt: signal.aborted ? null : next,
    });
  });
}

// Decides when a failed job is tried again. Pure.

const MINUTE_MS = 60_000;
const LONGEST_MS = 60 * MINUTE_MS;
/** Another process uses the store only for a short time, so the retry comes sooner. */
const BUSY_MS = 1000;
const BUSY_LONGEST_MS = 30_000;

/** @param failures consecutive failures, at least 1 */
export function retryDelayMs(failures: number, isBusy: boolean): number {
  const [first, longest] = isBusy ? [BUSY_MS, BUSY_LONGEST_MS] : [MINUTE_MS, LONGEST_MS];
  return Math.min(first * 2 ** Math.max(0, failures - 1), longest);
}
