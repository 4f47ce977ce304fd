/**
 * The only queue, a wrapper of better-queue: jobs run one at a time, the most urgent first;
 * triggers for a waiting job are merged. A lost trigger is harmless, because a query finds the
 * pending work.
 */
import BetterQueue from 'better-queue';
import type { JobResult, Trigger } from './job.js';

/** Result of a job, its error, or null if it did not run. */
export type Outcome = JobResult | { error: unknown } | null;

export interface JobQueue {
  /** Triggers a job; resolves when it has ended, or at once after `close`. Never rejects. */
  push(trigger: Trigger): Promise<Outcome>;
  /** Triggers of jobs that have not begun. */
  waiting(): Trigger[];
  /** Resolves when no job waits or runs. */
  idle(): Promise<void>;
  /** Whether a job waits or runs. */
  isBusy(): boolean;
  /** Accepts no more triggers, drops waiting ones, and resolves when the running job has ended. */
  close(): Promise<void>;
}

interface Task {
  id: string;
  trigger: Trigger;
}

/** Two triggers for one job: the wider one wins. Pure. */
function mergeTriggers(a: Trigger, b: Trigger): Trigger {
  const { from: _, paths: __, ...both } = { ...a, ...b };
  const from = [a.from, b.from].includes(undefined) ? undefined : [a.from!, b.from!].sort()[0]!;
  return {
    ...both,
    ...(from === undefined ? {} : { from }),
    ...(a.paths && b.paths ? { paths: [...new Set([...a.paths, ...b.paths])] } : {}),
  };
}

/** Every id gets a prefix, because better-queue loses ids like names on Object.prototype. */
function idOf({ job, pass = 0, urgent = false }: Trigger): string {
  return `${urgent ? 'urgent' : pass}:${job}`;
}

/**
 * @param run does one job; an error ends that run alone
 * @param priorityOf higher ones run first; equal ones in the order of their triggers
 */
export function createQueue(
  run: (trigger: Trigger) => Promise<Outcome>,
  priorityOf: (trigger: Trigger) => number,
): JobQueue {
  return new BetterJobQueue(run, priorityOf);
}

class BetterJobQueue implements JobQueue {
  /**
   * Triggers whose job has not ended, because better-queue emits `drain` too early: it takes a task
   * a moment after `push`.
   */
  private readonly open = new Set<Promise<Outcome>>();
  /** Triggers that are not in better-queue's store yet; the next job is chosen after that. */
  private readonly arriving = new Set<Promise<void>>();
  private readonly notBegun = new Map<string, Trigger>();
  private isClosed = false;
  private readonly queue = new BetterQueue<Task, Outcome>({
    id: 'id' as never,
    concurrent: 1,
    merge: (a: Task, b: Task, done: (error: unknown, task: Task) => void) =>
      done(null, { id: a.id, trigger: mergeTriggers(a.trigger, b.trigger) }),
    priority: ({ trigger }: Task, done: (error: unknown, priority: number) => void) =>
      done(null, this.priorityOf(trigger)),
    // If this function threw, or ended with an error, better-queue would hang for ever.
    process: (task: Task, done: (error: null, outcome: Outcome) => void) =>
      void this.work(task).then((outcome) => done(null, outcome)),
  });

  constructor(
    private readonly run: (trigger: Trigger) => Promise<Outcome>,
    private readonly priorityOf: (trigger: Trigger) => number,
  ) {}

  push(trigger: Trigger): Promise<Outcome> {
    if (this.isClosed) return Promise.resolve(null);
    const id = idOf(trigger);
    const waiting = this.notBegun.get(id);
    this.notBegun.set(id, waiting === undefined ? trigger : mergeTriggers(waiting, trigger));
    let ticket: ReturnType<typeof this.queue.push>;
    const ended = new Promise<Outcome>(
      (resolve) =>
        (ticket = this.queue.push({ id, trigger }, (_, outcome) => resolve(outcome ?? null))),
    );
    keep(this.open, ended);
    keep(this.arriving, new Promise<void>((resolve) => ticket.on('queued', () => resolve())));
    return ended;
  }

  waiting(): Trigger[] {
    return [...this.notBegun.values()];
  }

  isBusy(): boolean {
    return this.open.size > 0;
  }

  async idle(): Promise<void> {
    while (this.open.size > 0) await Promise.all(this.open);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.idle();
    await new Promise<void>((resolve) => this.queue.destroy(() => resolve()));
  }

  private async work({ id, trigger }: Task): Promise<Outcome> {
    this.notBegun.delete(id);
    const outcome = this.isClosed
      ? null
      : await this.run(trigger).catch((error: unknown) => ({ error }));
    await Promise.all(this.arriving);
    return outcome;
  }
}

/** Keeps a promise in a set until it settles. */
export function keep<T>(set: Set<Promise<T>>, promise: Promise<T>): void {
  set.add(promise);
  const end = (): boolean => set.delete(promise);
  promise.then(end, end);
}
