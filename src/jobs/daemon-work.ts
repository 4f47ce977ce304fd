/**
 * Decides when the daemon runs which job: it reads changed logs, learns from silent sessions, does
 * the nightly work once, and retries failed jobs. This state may be lost: each scan queries again
 * what is pending.
 */
import { EXTRACTOR_VERSION } from '../parse/index.js';
import { messageOf } from '../errors.js';
import {
  faultKind,
  isStoreLost,
  pendingTimes,
  plannedRetries,
  renewed,
  type PlannedRetry,
} from '../store/index.js';
import type { JobName } from '../types.js';
import type { SearchedPlace } from '../watchers/index.js';
import { stopAsking } from './asking/ask.js';
import { createChangedLogs, lookForLogs } from './reading/look.js';
import { retryDelayMs } from './run-job.js';
import type { JobContext, JobResult, Trigger } from './job.js';
import { SILENT_MS } from './learning/extract.js';
import { lookAtNight } from './nightly/night.js';
import { STAGES } from './pipeline.js';
import { Loop, type Duties, type JobTrigger } from './loop.js';
import { keep } from './queue.js';
import { summarise } from './publishing/summary.js';
import { requestShape, type Answer, type Request } from './requests.js';
import { act, failedBy, UNREADABLE } from './serve-request.js';
import { foldUses } from './upkeep/fold-uses.js';

export interface Background {
  /** Hints that this log may have changed. */
  hint(path: string): void;
  /** Scans every place; returns the places, so that new ones can be watched. */
  look(): Promise<SearchedPlace[]>;
  /** Does a command's request. `isWanted` is false after the command stopped waiting. */
  take(id: string, request: unknown, isWanted: () => boolean): Promise<Answer>;
  /** Starts work that is due: silent sessions, retries, nights. Fast if nothing is due. */
  tick(): void;
  /** Cron or a jump of the clock: the nightly work may be due. */
  night(): void;
  /**
   * Resolves when no job is queued or running and no scan is in progress. A pending call of a model
   * does not count.
   */
  idle(): Promise<void>;
  /** Drops queued jobs, and resolves when the running job has ended. */
  close(): Promise<void>;
}

/** Called after each run of a job, for tests and for the log. */
export type OnJobDone = (job: Trigger['job'], outcome: JobResult | Error) => void;

/** If the store cannot be read, the nightly work is tried again after this time. */
const NIGHT_AGAIN_MS = 60_000;
/** Later than every date. */
const NEVER = 8.64e15;
/** More changed logs are found by a walk, which gives the event loop turns. */
const MOST_NAMED = 500;
/** A log that changed within this time is read before the rest of a long history. */
const FRESH_MS = 600_000;
/**
 * While a long history is read, lessons are learnt after a second, and again after reading for one
 * minute, two, four and so on: each time computes every project again.
 */
const FIRST_LEARN_MS = 1000;
const NEXT_LEARN_MS = 60_000;
/** If nothing could be learnt yet, as in a missed night at the start, it is tried again. */
const UNLEARNT_MS = 5000;
/** A session that grows all the time is checked at most once in this time. */
const LEAST_WAIT_MS = 1000;

interface Options {
  onJobDone?: OnJobDone;
  /** False while config.yaml is broken, or differs from the options at the start. */
  mayWork?: () => Promise<boolean>;
  /** The database is lost or damaged; only a restart repairs it. */
  lost?: (error: unknown) => void;
}

export function createBackground(context: JobContext, options: Options = {}): Background {
  return new DaemonWork(context, options);
}

class DaemonWork implements Background, Duties {
  private readonly loop: Loop;
  private readonly changed = createChangedLogs();
  /** Scans and passes in progress; each may trigger a job when it ends. */
  private readonly looks = new Set<Promise<unknown>>();
  /**
   * Consecutive failures without a row in `job_runs`: another program uses the store, or it cannot
   * be prepared. Then all jobs are triggered again, after a longer wait each time.
   */
  private unready = { times: 0, until: NEVER };
  /** Retries of requests that could not be done at once. */
  private readonly onTick: (() => void)[] = [];
  /** When a failed job is tried again, from `job_runs`; 0: not read yet. */
  private retryAt = 0;
  private nightAt = 0;
  /** When the oldest silent session may be learnt from. */
  private silentAt = NEVER;
  private isReadingHistory = false;
  /** When lessons are learnt while a history is read, by the clock that never jumps. */
  private learnAt: number | null = null;
  private learnAgainMs = NEXT_LEARN_MS;

  constructor(
    private readonly context: JobContext,
    private readonly options: Options,
  ) {
    this.loop = new Loop(context, this);
  }

  hint(path: string): void {
    this.loop.readNow(path);
  }

  take(id: string, request: unknown, isWanted: () => boolean): Promise<Answer> {
    const { data } = requestShape.safeParse(request);
    return data === undefined ? Promise.resolve(UNREADABLE) : this.answer(id, data, isWanted);
  }

  /** Does not resolve if the daemon stops or restarts before the work is done. */
  private async answer(id: string, asked: Request, isWanted: () => boolean): Promise<Answer> {
    for (;;) {
      const answer = await this.begin(this.serve(id, asked, isWanted)).catch((error: unknown) =>
        isStoreLost(error) ? null : failedBy(error),
      );
      if (answer !== null) return answer;
      await new Promise<void>((again) => this.onTick.push(again));
    }
  }

  /** @returns null if the request cannot be done now */
  private async serve(id: string, asked: Request, isWanted: () => boolean): Promise<Answer | null> {
    const { context, loop } = this;
    const begun = await loop.ask(async () => {
      if (!isWanted()) return UNREADABLE;
      if (asked.kind !== 'run') return act(context, asked, id);
      await foldUses(context);
      const { only, rebuild } = asked;
      // Models are called later, when the queue is empty.
      return loop.begin({ ...(only === null ? {} : { only }), rebuild, asksModel: false });
    });
    const pass = begun !== null && 'triggers' in begun ? begun : null;
    if (pass !== null) await loop.end(pass);
    if (begun === null || pass?.isPostponed === true || context.signal.aborted) return null;
    this.unready.times = 0;
    // A global lesson changes the lessons and pages of every project. The person already has the
    // answer, so the other projects follow later.
    if (asked.kind === 'edit' && asked.owner === null)
      for (const job of ['extract', 'context'] as const) loop.push({ job });
    void this.begin(this.afterRequests().catch(() => {}));
    return 'triggers' in begun ? { kind: 'run', summary: await summarise(context, begun) } : begun;
  }

  async look(): Promise<SearchedPlace[]> {
    return this.context.config.enabled ? this.begin(this.lookAtLogs()) : [];
  }

  private async lookAtLogs(): Promise<SearchedPlace[]> {
    const { logs, places } = await lookForLogs(this.context);
    const now = this.now();
    const isFirst = this.learnAt === null;
    const paths = this.changed.take(logs, now);
    if (isFirst) this.learnAt = this.context.clock.mono() + FIRST_LEARN_MS;
    const fresh = new Set(
      isFirst ? [] : logs.filter(({ mtimeMs }) => now - mtimeMs < FRESH_MS).map(({ path }) => path),
    );
    for (const path of paths) if (fresh.has(path)) this.loop.readNow(path);
    const others = paths.filter((path) => !fresh.has(path));
    if (others.length > MOST_NAMED) this.loop.push({ job: 'ingest' });
    else if (others.length > 0) this.loop.push({ job: 'ingest', paths: others });
    return places;
  }

  tick(): void {
    const [now, mono] = [this.now(), this.context.clock.mono()];
    for (const again of this.onTick.splice(0)) again();
    if (now >= this.unready.until) {
      this.unready.until = NEVER;
      this.askForAll();
    }
    // If the store cannot be read, the next scan reports the error.
    if (now >= this.retryAt) void this.begin(this.planRetries().catch(() => {}));
    const isReading = this.loop.running === 'ingest';
    if (now >= this.silentAt || (isReading && mono >= (this.learnAt ?? NEVER))) {
      [this.silentAt, this.learnAt] = [NEVER, mono + UNLEARNT_MS];
      this.loop.push({ job: 'extract' });
    }
    if (now >= this.nightAt) this.night();
    if (this.context.store.isTouched()) this.lose(renewed(this.context.store.path));
  }

  night(): void {
    this.nightAt = this.now() + NIGHT_AGAIN_MS;
    void this.begin(
      this.planNight().catch((error: unknown) => this.failed({ job: 'request' }, error)),
    );
  }

  async idle(): Promise<void> {
    do await Promise.allSettled([this.loop.idle(), ...this.looks]);
    while (this.looks.size > 0 || this.loop.isBusy());
  }

  private begin<T>(look: Promise<T>): Promise<T> {
    keep(this.looks, look);
    return look;
  }

  async close(): Promise<void> {
    // A call of the compute thread may take seconds, so it is stopped; its work stays pending.
    await this.context.compute.close();
    await this.loop.close();
    await stopAsking(this.context).catch((error: unknown) => {
      if (!isStoreLost(error)) throw error;
    });
  }

  private now(): number {
    return this.context.clock.now().getTime();
  }

  /**
   * Waiting work is tried again until config.yaml is valid, or until the daemon restarts with the
   * new options.
   */
  async mayWork(): Promise<boolean> {
    const isGood = (await this.options.mayWork?.()) ?? true;
    if (!isGood) this.retryLater(true);
    return isGood;
  }

  private async afterRequests(): Promise<void> {
    if (!this.context.config.enabled) return;
    this.triggerModel();
    await this.planExtract();
  }

  /** Triggers every job; each looks for its own pending work. */
  private askForAll(): void {
    this.changed.forget();
    for (const job of ['ingest', 'extract', 'context', 'embed'] as const) this.loop.push({ job });
    this.triggerModel();
    this.nightAt = 0;
  }

  private retryLater(isBusy: boolean): { attempt: number; delayMs: number } {
    // Several jobs that fail at once count as one failure.
    const { times, until } = this.unready;
    if (until !== NEVER) return { attempt: times, delayMs: until - this.now() };
    const attempt = times + 1;
    const delayMs = retryDelayMs(attempt, isBusy);
    this.unready = { times: attempt, until: this.now() + delayMs };
    return { attempt, delayMs };
  }

  async did(trigger: JobTrigger, result: JobResult): Promise<void> {
    const wasReading = this.isReadingHistory;
    if (trigger.job === 'ingest' && trigger.urgent !== true) {
      this.isReadingHistory = result.more === true;
      if (!this.isReadingHistory) this.learnAgainMs = NEXT_LEARN_MS;
    } else if (trigger.job === 'extract' && (result.counts?.['projects'] ?? 0) > 0) {
      this.learnAt = this.context.clock.mono() + this.learnAgainMs;
      if (this.isReadingHistory) this.learnAgainMs *= 2;
    }
    const isNews = trigger.job === 'ingest' && (result.done > 0 || wasReading);
    // While a history is read, lessons follow their own schedule (`learnAt`).
    if (
      !this.isReadingHistory &&
      (isNews || (trigger.job === 'extract' && this.silentAt === NEVER))
    )
      await this.planExtract();
    this.unready.times = 0;
    this.options.onJobDone?.(trigger.job, result);
  }

  /** Learns from silent sessions at once, and plans the time for the others. */
  private async planExtract(): Promise<void> {
    const now = this.now();
    const idleBefore = new Date(now - SILENT_MS).toISOString();
    const { silent, last_entry } = await this.context.store.read((db) =>
      pendingTimes(db, { idleBefore, extractor: EXTRACTOR_VERSION }),
    );
    if (silent > 0) this.loop.push({ job: 'extract' });
    this.silentAt =
      last_entry === null
        ? NEVER
        : Math.max(now + LEAST_WAIT_MS, Date.parse(last_entry) + SILENT_MS);
  }

  private async planNight(): Promise<void> {
    const night = await lookAtNight(this.context);
    this.nightAt = night.next.getTime();
    for (const job of night.due)
      this.loop.push({ job, ...(job === 'extract' ? {} : { period: night.period }) });
    if (night.due.length > 0) this.triggerModel();
  }

  private triggerModel(): void {
    if (this.context.config.llm.provider !== 'off') this.loop.push({ job: 'ask' });
  }

  /** These times are only in the database, so a restart does not lose them. */
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
        this.loop.push({ job: job as JobName, ...(period === null ? {} : { period }) });
    this.retryAt = Math.min(
      ...(due.length > 0 ? [this.retryAt] : []),
      ...later.map(({ at }) => Date.parse(at)),
      NEVER,
    );
  }

  private lose(error: unknown): void {
    this.context.log.warn(
      { error: messageOf(error) },
      'the database is lost or damaged: boots again',
    );
    this.options.lost?.(error);
  }

  async failed(trigger: Trigger, error: unknown): Promise<void> {
    if (trigger.job === 'ingest') {
      this.changed.forget();
      this.isReadingHistory = false;
    }
    if (this.context.signal.aborted) return;
    if (isStoreLost(error)) return this.lose(error);
    const isBusy = faultKind(error) === 'busy';
    const { attempt, delayMs } =
      (isBusy ? null : await this.plannedFor(trigger.job)) ?? this.retryLater(isBusy);
    const message = messageOf(error);
    this.context.log.warn(
      { job: trigger.job, attempt, retry_seconds: delayMs / 1000, error: message },
      isBusy
        ? 'another program has the store open; nothing is lost'
        : 'a job failed and is tried again',
    );
    this.options.onJobDone?.(trigger.job, error instanceof Error ? error : new Error(message));
  }

  /** Attempt and wait from the row of the failed run; null without a row. */
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
