/**
 * The one queue, better-queue wrapped: jobs run one at a time, triggers for a job that waits are merged. The queue holds no
 * truth: what is pending is a query on the store, so a lost trigger costs nothing.
 */
import BetterQueue from 'better-queue';
import type { Trigger } from './job.js';

export interface JobQueue {
  /** Asks for a job; returns at once. Ignored after `close`. */
  push(trigger: Trigger): void;
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>;
  /** Whether a job waits or runs. */
  isBusy(): boolean;
  /** Takes no more triggers, drops what waits, and resolves when the running job ended. */
  close(): Promise<void>;
}

interface Task {
  id: string;
  trigger: Trigger;
}

/** Two triggers for one job: the wider request wins. Pure. */
export function mergeTriggers(a: Trigger, b: Trigger): Trigger {
  const all = !a.paths || !b.paths;
  const period = b.period ?? a.period;
  const merged: Trigger = {
    job: a.job,
    rebuild: a.rebuild === true || b.rebuild === true,
    ...(a.whole === true || b.whole === true ? { whole: true } : {}),
    ...(period === undefined ? {} : { period }),
  };
  return all ? merged : { ...merged, paths: [...new Set([...a.paths!, ...b.paths!])] };
}

/**
 * @param run does one job; an error ends that run alone
 * @param order jobs that go first, in this order; without it jobs run in the order in which they were asked for
 */
export function createQueue(run: (trigger: Trigger) => Promise<void>, order: readonly Trigger['job'][] = []): JobQueue {
  return new BetterJobQueue(run, order);
}

class BetterJobQueue implements JobQueue {
  /** Triggers whose job has not ended. better-queue says `drain` too early: it takes a task over a timer after `push`. */
  private open = 0;
  /** Triggers that are not in better-queue's store yet. The next job is chosen with them. */
  private readonly arriving = new Set<Promise<void>>();
  private readonly waiters: (() => void)[] = [];
  private isClosed = false;
  private readonly queue = new BetterQueue<Task, null>({
    id: 'id' as never,
    concurrent: 1,
    merge: (a: Task, b: Task, done: (error: unknown, task: Task) => void) =>
      done(null, { id: a.id, trigger: mergeTriggers(a.trigger, b.trigger) }),
    priority: ({ trigger }: Task, done: (error: unknown, priority: number) => void) => done(null, this.priorityOf(trigger)),
    // A process function that throws, or ends with an error, would leave better-queue stuck for ever.
    process: ({ trigger }: Task, done: () => void) => void this.work(trigger).finally(done),
  });

  constructor(
    private readonly run: (trigger: Trigger) => Promise<void>,
    private readonly order: readonly Trigger['job'][],
  ) {}

  push(trigger: Trigger): void {
    if (this.isClosed) return;
    this.open++;
    // Ids equal to names on Object.prototype vanish in better-queue: every id has a prefix.
    const ticket = this.queue.push({ id: `job:${trigger.job}`, trigger }, () => {
      this.open--;
      this.settle();
    });
    const arrived = new Promise<void>((resolve) => ticket.on('queued', () => resolve()));
    this.arriving.add(arrived);
    void arrived.then(() => this.arriving.delete(arrived));
  }

  isBusy(): boolean {
    return this.open > 0;
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.waiters.push(resolve);
      this.settle();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.idle();
    await new Promise<void>((resolve) => this.queue.destroy(() => resolve()));
  }

  private priorityOf({ job }: Trigger): number {
    return this.order.includes(job) ? this.order.length - this.order.indexOf(job) : 0;
  }

  private async work(trigger: Trigger): Promise<void> {
    if (!this.isClosed) await this.run(trigger).catch(() => {});
    await Promise.all(this.arriving);
  }

  private settle(): void {
    if (this.open === 0) for (const resolve of this.waiters.splice(0)) resolve();
  }
}
