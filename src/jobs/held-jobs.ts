/** Jobs that failed before their run could have a row, and when each is asked for again. */
import type { Nudge } from './job.js';
import { mergeNudges } from './lane.js';
import { retryDelayMs } from './run-job.js';

/** Later than every date: the job was nudged again and has not ended yet. */
const NEVER = 8.64e15;

export class HeldJobs {
  private readonly held = new Map<Nudge['job'], { nudge: Nudge; times: number; until: number }>();

  add(nudge: Nudge, isBusy: boolean, now: number): { attempt: number; delayMs: number } {
    const before = this.held.get(nudge.job);
    const attempt = (before?.times ?? 0) + 1;
    const delayMs = retryDelayMs(attempt, isBusy);
    const wanted = before === undefined ? nudge : mergeNudges(before.nudge, nudge);
    this.held.set(nudge.job, { nudge: wanted, times: attempt, until: now + delayMs });
    return { attempt, delayMs };
  }

  /** Each is given once, until it is added again; its nudge is kept, so that a later one is merged with it. */
  takeDue(now: number): Nudge[] {
    const due = [...this.held.values()].filter(({ until }) => now >= until);
    for (const held of due) held.until = NEVER;
    return due.map(({ nudge }) => nudge);
  }

  /** It ran. */
  drop(job: Nudge['job']): void {
    this.held.delete(job);
  }
}
