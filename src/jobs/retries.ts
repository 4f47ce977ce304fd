/** Jobs that failed, and when each is tried again. Pure. */
import { retryDelayMs } from './backoff.js';
import type { Nudge } from './job.js';

export interface Retries {
  /** Plans the next try. @returns how many tries failed in a row, and the wait before the next */
  failed(nudge: Nudge, now: number, isBusy: boolean): { attempt: number; delayMs: number };
  /** The job ended well: its failures are forgotten. */
  succeeded(job: Nudge['job']): void;
  /** Takes the nudges whose time has come. */
  takeDue(now: number): Nudge[];
}

export const createRetries = (): Retries => {
  const attempts = new Map<Nudge['job'], number>();
  const planned = new Map<Nudge['job'], { at: number; nudge: Nudge }>();
  return {
    failed(nudge, now, isBusy) {
      const attempt = (attempts.get(nudge.job) ?? 0) + 1;
      const delayMs = retryDelayMs(attempt, isBusy);
      attempts.set(nudge.job, attempt);
      planned.set(nudge.job, { at: now + delayMs, nudge });
      return { attempt, delayMs };
    },
    succeeded: (job) => void attempts.delete(job),
    takeDue(now) {
      const due = [...planned].filter(([, { at }]) => now >= at);
      for (const [job] of due) planned.delete(job);
      return due.map(([, { nudge }]) => nudge);
    },
  };
};
