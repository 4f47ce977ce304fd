/**
 * The one lane in which jobs run, one at a time: better-queue, wrapped. Nudges for the same job are merged. What is pending is
 * a query on the store, so a lost nudge costs nothing.
 */
import BetterQueue from 'better-queue';
import type { Nudge } from './job.js';

export interface Lane {
  /** Asks for a job; returns at once. Ignored after `close`. */
  nudge(nudge: Nudge): void;
  /** Resolves when nothing is queued and nothing runs. */
  idle(): Promise<void>;
  /** Jobs that wait or run now. */
  busy(): Nudge['job'][];
  /** Stops taking nudges, drops what waits and resolves when the running job ended. */
  close(): Promise<void>;
}

/** A place in the queue; the nudge itself is in `waiting`. */
interface Ticket {
  id: string;
  job: Nudge['job'];
}

/** Two nudges for one job: the wider request wins. */
export function mergeNudges(a: Nudge, b: Nudge): Nudge {
  const all = !a.paths || !b.paths;
  const period = b.period ?? a.period;
  const merged: Nudge = {
    job: a.job,
    rebuild: a.rebuild === true || b.rebuild === true,
    ...(a.whole === true || b.whole === true ? { whole: true } : {}),
    ...(period === undefined ? {} : { period }),
  };
  return all ? merged : { ...merged, paths: [...new Set([...a.paths!, ...b.paths!])] };
}

/**
 * @param run does one job; what it throws goes to `failed` and never stops the lane
 */
export function createLane(
  run: (nudge: Nudge) => Promise<void>,
  failed: (nudge: Nudge, error: unknown) => void | Promise<void>,
): Lane {
  return new TicketLane(run, failed);
}

/**
 * better-queue takes a task over one timer after `push`: a job that began and ended before that ran once more after `idle` had
 * resolved (seen: in 115 of 3,000 rounds of six nudges). So its tasks are only tickets, and what waits is known here alone.
 */
class TicketLane implements Lane {
  private readonly waiting = new Map<Nudge['job'], Nudge>();
  private readonly waiters: (() => void)[] = [];
  private running: Nudge['job'] | null = null;
  private closed = false;
  private readonly queue = new BetterQueue<Ticket, null>({
    id: 'id' as never,
    concurrent: 1,
    process: (ticket: Ticket, done: () => void) => this.work(ticket, done),
  });

  constructor(
    private readonly run: (nudge: Nudge) => Promise<void>,
    private readonly failed: (nudge: Nudge, error: unknown) => void | Promise<void>,
  ) {}

  nudge(nudge: Nudge): void {
    if (this.closed) return;
    const before = this.waiting.get(nudge.job);
    this.waiting.set(nudge.job, before === undefined ? nudge : mergeNudges(before, nudge));
    // Ids equal to names on Object.prototype vanish in better-queue: every id has a prefix.
    this.queue.push({ id: `job:${nudge.job}`, job: nudge.job });
  }

  idle(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.waiters.push(resolve);
      this.settle();
    });
  }

  busy(): Nudge['job'][] {
    return [...(this.running === null ? [] : [this.running]), ...this.waiting.keys()];
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.idle();
    await new Promise<void>((resolve) => this.queue.destroy(() => resolve()));
  }

  /**
   * An async process function that throws would leave better-queue stuck for ever: the callback is always called, never with an
   * error.
   */
  private work({ job }: Ticket, done: () => void): void {
    const nudge = this.waiting.get(job);
    if (this.closed || nudge === undefined) return done(); // an earlier ticket ran this nudge
    this.waiting.delete(job);
    this.running = job;
    const end = (): void => {
      this.running = null;
      done();
      this.settle();
    };
    this.run(nudge)
      .catch((error: unknown) => this.failed(nudge, error))
      .finally(end);
  }

  private settle(): void {
    if (this.running === null && (this.closed || this.waiting.size === 0))
      for (const resolve of this.waiters.splice(0)) resolve();
  }
}
