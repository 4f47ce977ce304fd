/**
 * Decides when the daemon runs which job: changed logs are read, silent sessions learnt from, each
 * night done once, failed jobs retried. All of this state may be lost: each look queries again what
 * is pending.
 */
import { EXTRACTOR_VERSION } from '../parse/index.js';
import { messageOf } from '../errors.js';
import { faultKind, pendingTimes, plannedRetries, type PlannedRetry } from '../store/index.js';
import type { JobName } from '../types.js';
import type { SearchedPlace } from '../watchers/index.js';
import { stopAsking } from './asking/ask.js';
import { createChangedLogs, lookForLogs } from './reading/look.js';
import { retryDelayMs } from './run-job.js';
import type { JobContext, JobResult, Trigger } from './job.js';
import { SILENT_MS } from './learning/extract.js';
import { lookAtNight } from './nightly/night.js';
import type { JobTrigger } from './pass.js';
import { STAGES } from './pipeline.js';
import { keep } from './queue.js';
import { Scheduler, type Duties } from './scheduler.js';
import { RequestDesk } from './serve-request.js';

export interface Background {
  /** Something may have happened to this log. */
  hint(path: string): void;
  /** Looks at every place; returns the places, so that new ones get watched. */
  look(): Promise<SearchedPlace[]>;
  /** What time brings: silent sessions, retries, nights, requests. Cheap when there is nothing. */
  tick(): void;
  /** A night may have begun: cron, or the clock jumped. */
  night(): void;
  /**
   * Resolves when nothing is queued, nothing runs, and no look that may ask for a job is under way.
   * A pending call of a model is not waited for.
   */
  idle(): Promise<void>;
  /** Drops what waits, lets the running job end. */
  close(): Promise<void>;
}

/** Called after each run of a job, for tests and for the log. */
export type OnJobDone = (job: Trigger['job'], outcome: JobResult | Error) => void;

/** The night is asked for again after so long when the store could not be read. */
const NIGHT_AGAIN_MS = 60_000;
/** Beyond every date. */
const NEVER = 8.64e15;

/**
 * @param mayWork false while config.yaml is broken, or other than the options that this work began
 * with
 */
export function createBackground(
  context: JobContext,
  onJobDone: OnJobDone = () => {},
  mayWork = always,
): Background {
  return new DaemonWork(context, onJobDone, mayWork);
}
const always = (): Promise<boolean> => Promise.resolve(true);

class DaemonWork implements Background, Duties {
  private readonly scheduler: Scheduler;
  private readonly desk: RequestDesk;
  private readonly changed = createChangedLogs();
  private readonly learning: LearningTimes;
  /** Running looks and passes; each may trigger a job when it ends. */
  private readonly looks = new Set<Promise<unknown>>();
  /**
   * Failures in a row before a run could have a row: the store is held by another program, or
   * cannot be prepared. Then everything is asked for again, each time later.
   */
  private unready = { times: 0, until: NEVER };
  /** When a failed job is tried again, as `job_runs` has it; 0: not looked yet. */
  private retryAt = 0;
  private nightAt = 0;
  /** UTC day that was looked at last. */

  constructor(
    private readonly context: JobContext,
    private readonly onJobDone: OnJobDone,
    private readonly isConfigGood: () => Promise<boolean>,
  ) {
    this.learning = createLearningTimes(SILENT_MS);
    this.scheduler = new Scheduler(context, this);
    this.desk = new RequestDesk(context, this.scheduler);
  }

  hint(path: string): void {
    this.scheduler.push({ job: 'ingest', paths: [path], urgent: true });
  }

  async look(): Promise<SearchedPlace[]> {
    return this.context.config.enabled ? this.begin(this.lookAtLogs()) : [];
  }

  private async lookAtLogs(): Promise<SearchedPlace[]> {
    const found = await lookForLogs(this.context);
    const paths = this.changed.take(found.logs, this.now());
    if (paths.length > 0) this.scheduler.push({ job: 'ingest', paths });
    return found.places;
  }

  tick(): void {
    const now = this.now();
    if (this.desk.waiting().length > 0) this.scheduler.push({ job: 'request' });
    if (now >= this.unready.until) {
      this.unready.until = NEVER;
      this.askForAll();
    }
    // a store that cannot be read is reported by the next look
    if (now >= this.retryAt) void this.begin(this.planRetries().catch(() => {}));
    if (this.learning.takeDue(now)) this.scheduler.push({ job: 'extract' });
    if (now >= this.nightAt) this.night();
    this.lookAtStore();
  }

  night(): void {
    this.nightAt = this.now() + NIGHT_AGAIN_MS;
    void this.begin(
      this.planNight().catch((error: unknown) => this.failed({ job: 'request' }, error)),
    );
  }

  async idle(): Promise<void> {
    do await Promise.allSettled([this.scheduler.idle(), ...this.looks]);
    while (this.looks.size > 0 || this.scheduler.isBusy());
  }

  private begin<T>(look: Promise<T>): Promise<T> {
    keep(this.looks, look);
    return look;
  }

  async close(): Promise<void> {
    // A call of the compute thread may take seconds. It is cut off; what it was for stays pending.
    await this.context.compute.close();
    await this.scheduler.close();
    await stopAsking(this.context);
  }

  private now(): number {
    return this.context.clock.now().getTime();
  }

  /**
   * The database was deleted, replaced or changed while no job ran: what it lost is read again now,
   * not only when the next line is written.
   */
  private lookAtStore(): void {
    const isFree = !this.scheduler.isBusy() && this.unready.until === NEVER;
    if (isFree && this.context.store.isTouched()) this.scheduler.push({ job: 'ingest' });
  }

  /**
   * What waits is requested again until config.yaml is right, or until the daemon restarts and
   * serves the requests then.
   */
  async mayWork(): Promise<boolean> {
    const isGood = await this.isConfigGood();
    if (!isGood) this.retryLater(true);
    return isGood;
  }

  async serve(): Promise<void> {
    const { changesAll, ends } = await this.desk.serve();
    // A global lesson stands on every page, and no project repeats it: the others follow now that
    // the person is answered.
    if (changesAll) for (const job of ['extract', 'context'] as const) this.scheduler.push({ job });
    for (const end of ends)
      void this.begin(
        end()
          .then(() => this.afterRequests())
          .catch(() => {}),
      );
    await this.afterRequests();
    this.unready.times = 0;
  }

  private async afterRequests(): Promise<void> {
    this.triggerModel();
    await this.planExtract();
  }

  /** What was remembered of the old database is void. */
  renewed(): void {
    this.askForAll();
    this.retryAt = 0;
  }

  /** What is pending is found by each job. */
  private askForAll(): void {
    this.changed.forget();
    for (const job of ['ingest', 'extract', 'context', 'embed'] as const)
      this.scheduler.push({ job });
    this.triggerModel();
    this.nightAt = 0;
  }

  private retryLater(isBusy: boolean): { attempt: number; delayMs: number } {
    // The jobs that fail with the first one are not counted again.
    const { times, until } = this.unready;
    if (until !== NEVER) return { attempt: times, delayMs: until - this.now() };
    const attempt = times + 1;
    const delayMs = retryDelayMs(attempt, isBusy);
    this.unready = { times: attempt, until: this.now() + delayMs };
    return { attempt, delayMs };
  }

  async did(trigger: JobTrigger, result: JobResult): Promise<void> {
    const mono = this.context.clock.mono();
    if (trigger.job === 'ingest' && this.learning.afterReading(trigger, result, mono))
      await this.planExtract();
    if (trigger.job === 'extract') {
      if (result.more !== true) this.learning.learnt(mono);
      if (!this.learning.isWaiting()) await this.planExtract();
    }
    this.unready.times = 0;
    this.onJobDone(trigger.job, result);
  }

  /** Sessions that are silent now are taken at once; the others when they can be. */
  private async planExtract(): Promise<void> {
    const idleBefore = new Date(this.now() - SILENT_MS).toISOString();
    const pending = await this.context.store.read((db) =>
      pendingTimes(db, { idleBefore, extractor: EXTRACTOR_VERSION }),
    );
    if (pending.silent > 0) this.scheduler.push({ job: 'extract' });
    this.learning.waitFor(
      pending.lastEntry === null ? null : Date.parse(pending.lastEntry),
      this.now(),
    );
  }

  private async planNight(): Promise<void> {
    const night = await lookAtNight(this.context);
    this.nightAt = night.next.getTime();
    for (const job of night.due)
      this.scheduler.push({ job, ...(job === 'extract' ? {} : { period: night.period }) });
    if (night.due.length > 0) this.triggerModel();
  }

  private triggerModel(): void {
    if (this.context.config.llm.provider !== 'off') this.scheduler.push({ job: 'ask' });
  }

  /** A restart keeps these times: they stand in the database alone. */
  private async planRetries(): Promise<void> {
    const now = this.now();
    this.retryAt = now + NIGHT_AGAIN_MS;
    const planned = await this.context.store.read(plannedRetries);
    const [due, later] = [
      planned.filter(({ at }) => Date.parse(at) <= now),
      planned.filter(({ at }) => Date.parse(at) > now),
    ];
    for (const { job, period } of due)
      if (STAGES.some(({ name }) => name === job))
        this.scheduler.push({ job: job as JobName, ...(period === null ? {} : { period }) });
    this.retryAt = Math.min(
      ...(due.length > 0 ? [this.retryAt] : []),
      ...later.map(({ at }) => Date.parse(at)),
      NEVER,
    );
  }

  async failed(trigger: Trigger, error: unknown): Promise<void> {
    if (trigger.job === 'ingest') this.changed.forget();
    if (this.context.signal.aborted) return;
    // The next look at the store brings back what can be, and asks for everything.
    if (faultKind(error) === 'renewed') return;
    const isBusy = faultKind(error) === 'busy';
    const { attempt, delayMs } =
      (isBusy ? null : await this.plannedFor(trigger.job)) ?? this.retryLater(isBusy);
    const message = messageOf(error);
    this.context.log.warn(
      { job: trigger.job, attempt, retry_seconds: delayMs / 1000, error: message },
      isBusy
        ? 'the store is held by another program; nothing is lost'
        : 'a job failed and is tried again',
    );
    this.onJobDone(trigger.job, error instanceof Error ? error : new Error(message));
  }

  /** What the row of the failed run says; null when there is none. */
  private async plannedFor(
    job: Trigger['job'],
  ): Promise<{ attempt: number; delayMs: number } | null> {
    const planned = await this.context.store.read(plannedRetries).catch((): PlannedRetry[] => []);
    const own = planned.find((each) => each.job === job);
    const delayMs = own === undefined ? 0 : Date.parse(own.at) - this.now();
    if (own === undefined || delayMs <= 0) return null;
    this.retryAt = Math.min(this.retryAt, Date.parse(own.at));
    return { attempt: own.attempt, delayMs };
  }
}

// When the daemon looks for sessions to learn from

/**
 * While a long history is read, lessons are learnt no more often than this: each time every project
 * is computed again.
 */
const LEARN_EVERY_MS = 60_000;
/** Without an idle time a session that is written to all the time is looked at so often at most. */
const LEAST_WAIT_MS = 1000;

/** `now` is the wall clock, `mono` the clock that never jumps, both in milliseconds. */
interface LearningTimes {
  /** Logs were read. @returns whether sessions are to be looked at now */
  afterReading(trigger: Trigger, result: JobResult, mono: number): boolean;
  /** Lessons were drawn from everything that was silent. */
  learnt(mono: number): void;
  /**
   * Sessions that are still written to: the one that was silent longest had its last entry then;
   * null: there is none.
   */
  waitFor(lastEntry: number | null, now: number): void;
  isWaiting(): boolean;
  /** True once when a session that this waits for may be silent now. */
  takeDue(now: number): boolean;
}

/** @param idleMs a session without a new entry for so long is silent */
export function createLearningTimes(idleMs: number): LearningTimes {
  let silentAt: number | null = null;
  let learntAt: number | null = null;
  let isHistoryLeft = false;
  return {
    afterReading(trigger, result, mono) {
      const wasLeft = isHistoryLeft;
      // A look at single logs tells nothing about the others.
      if (trigger.paths === undefined || result.more === true) isHistoryLeft = result.more === true;
      const isSoon = isHistoryLeft && learntAt !== null && mono - learntAt < LEARN_EVERY_MS;
      return (result.done > 0 || wasLeft) && !isSoon;
    },
    learnt(mono) {
      learntAt = mono;
    },
    waitFor(lastEntry, now) {
      silentAt = lastEntry === null ? null : Math.max(now + LEAST_WAIT_MS, lastEntry + idleMs);
    },
    isWaiting: () => silentAt !== null,
    takeDue(now) {
      if (silentAt === null || now < silentAt) return false;
      silentAt = null;
      return true;
    },
  };
}
