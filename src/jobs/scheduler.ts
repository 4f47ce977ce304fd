/**
 * The one scheduler, on the one queue. It runs what a trigger asks for, with its row in `job_runs`
 * and with recovery of the store, and asks for what follows: the next slice, the jobs that the
 * result feeds, the job again when work outside the queue ended. `run` and `crystallize` are a pass
 * on it; the daemon adds its duties (silent sessions, retries, nights, requests).
 */
import { newestCall, takeUpAllSessions } from '../store/index.js';
import { JOB_NAMES, type JobName } from '../types.js';
import { patienceMs } from './asking/ask.js';
import { sliceOf, type JobContext, type JobResult, type Trigger } from './job.js';
import { takeUpAgain } from './learning/passed-over.js';
import { lookAtNight } from './nightly/night.js';
import {
  forgetResults,
  noteError,
  noteResult,
  planPass,
  type JobTrigger,
  type Pass,
  type PassOptions,
  waitForCall,
} from './pass.js';
import { addResult, fedBy, STAGES } from './pipeline.js';
import { createQueue, keep, type JobQueue } from './queue.js';
import { runJob } from './run-job.js';
import { createReadiness, withRecovery } from './upkeep/heal.js';
import type { Recovered } from './upkeep/recover.js';

/** What the daemon does beside running jobs. */
export interface Duties {
  /** Whether jobs may run now; what may not is dropped, and asked for again by whoever said no. */
  mayWork(): Promise<boolean>;
  /** Does what commands ask for. */
  serve(): Promise<void>;
  /** A job that no pass asked for did this. */
  did(trigger: JobTrigger, result: JobResult): Promise<void>;
  failed(trigger: Trigger, error: unknown): Promise<void>;
  /**
   * The database is another one than before: what was remembered of the old one is void, and
   * everything is asked for again.
   */
  renewed(): void;
}

/** What makes a context.md of logs. */
const LOOK: readonly JobName[] = ['ingest', 'extract', 'context'];

/** These may have work for hours: their slices take turns with all other jobs. */
const IN_TURNS: readonly JobName[] = ['ingest', 'embed'];

/**
 * What is written now and what a command asks, then passes in the order of work, then jobs that
 * have begun, so that a night keeps its order; of equals the one that was asked for first. Higher
 * goes first. Pure.
 */
function priorityOf({ job, pass, urgent, goesOn }: Trigger): number {
  if (urgent === true || job === 'request') return 3 + JOB_NAMES.length;
  return pass === undefined
    ? Number(goesOn === true)
    : 2 + JOB_NAMES.length - JOB_NAMES.indexOf(job);
}

export class Scheduler {
  /** What the last preparing brought back from tiers and crystals. */
  recovered: Recovered | null = null;
  private readonly queue: JobQueue;
  private readonly passes = new Map<number, Pass>();
  /**
   * Results of jobs that have more to do, until their last slice: what they feed is asked for then.
   */
  private readonly unfinished = new Map<string, JobResult>();
  private readonly ready: ReturnType<typeof createReadiness>;
  private begunPasses = 0;
  /** An urgent log or a request waits. */
  private isAwaited = false;
  /** Triggers that wait or run and are not urgent. */
  private others = 0;
  /**
   * Urgent logs while another job has the next turn: one that is written to all the time must not
   * keep them all waiting.
   */
  private readonly held: Trigger[] = [];
  private isTurnOwed = false;

  constructor(
    private readonly context: JobContext,
    private readonly duties: Duties | null = null,
  ) {
    this.ready = createReadiness(context);
    this.queue = createQueue((trigger) => this.work(trigger), priorityOf);
  }

  push(trigger: Trigger): void {
    const isUrgent = trigger.urgent === true;
    this.isAwaited ||= isUrgent || trigger.job === 'request';
    if (isUrgent && this.isTurnOwed && this.others > 0) return void this.held.push(trigger);
    const ended = this.queue.push(trigger);
    if (!isUrgent) {
      this.others++;
      void ended.then(() => this.others--);
    }
    const pass = this.passes.get(trigger.pass ?? 0);
    if (pass !== undefined) keep(pass.open, ended);
  }

  isBusy(): boolean {
    return this.queue.isBusy();
  }

  idle(): Promise<void> {
    return this.queue.idle();
  }

  close(): Promise<void> {
    return this.queue.close();
  }

  /**
   * Brings back what is missing, once more when the store is lost meanwhile. @throws what
   * `withRecovery` throws
   */
  prepare(): Promise<void> {
    return this.recovering(() => Promise.resolve());
  }

  /**
   * Does work on a store that is ready, once more when the store is lost meanwhile. @throws what
   * `withRecovery` throws
   */
  async recovering<T>(work: () => Promise<T>): Promise<T> {
    const { result, rescued } = await withRecovery(this.context, () => this.renew(), work);
    if (rescued !== null) for (const pass of this.passes.values()) pass.rescued = rescued;
    return result;
  }

  /**
   * Asks for each job of a pass, in the order of work; a job runs again while it has more to do or
   * was given more. Call it when no job runs, or in the turn of a request: what it prepares is
   * prepared for all.
   */
  async begin(options: PassOptions): Promise<Pass> {
    const { context } = this;
    const begun = context.clock.mono();
    await this.prepare();
    const pass = planPass(++this.begunPasses, context, options, await lookAtNight(context), begun);
    let isAllRead = false;
    for (const bytes of options.firstBytes ?? [])
      isAllRead ||= !(await this.lookFirst(pass, bytes));
    if (pass.jobs.some(({ name }) => name === 'extract')) {
      await takeUpAgain(context);
      if (options.rebuild === true) await context.store.write(takeUpAllSessions);
    }
    this.passes.set(pass.id, pass);
    for (const trigger of pass.triggers)
      if (trigger.job !== 'ingest' || !isAllRead) this.push(trigger);
    return pass;
  }

  /**
   * A context.md of the newest sessions while the rest of a long history waits. What fails here
   * fails again in the pass, which reports it.
   * @returns whether logs are left to read
   */
  private async lookFirst(pass: Pass, newestBytes: number): Promise<boolean> {
    const look = pass.triggers.filter(({ job }) => LOOK.includes(job));
    if (look.length < LOOK.length) return true;
    try {
      for (const trigger of look) {
        const { more } = await this.run(
          trigger.job === 'ingest' ? { ...trigger, newestBytes } : trigger,
          pass,
        );
        if (trigger.job === 'ingest' && more !== true) return false;
      }
    } catch {
      // it fails again in the pass, which reports it
    }
    return true;
  }

  /**
   * Until no job of the pass waits. A pending call of a model is waited for only so long; what is
   * left is for the next run.
   */
  async end(pass: Pass): Promise<void> {
    const { clock, signal, store } = this.context;
    let begun: number | null = null;
    for (;;) {
      while (pass.open.size > 0) await Promise.all(pass.open);
      const [call] = pass.outside;
      if (call === undefined || signal.aborted) break;
      begun ??= clock.mono();
      const left = begun + patienceMs(await store.read(newestCall)) - clock.mono();
      if (!(await waitForCall(this.context, call, left))) break;
      pass.outside.delete(call[0]);
      this.push({ job: call[0], pass: pass.id });
    }
    this.passes.delete(pass.id);
    pass.seconds = (clock.mono() - pass.begun) / 1000;
  }

  private async work(trigger: Trigger): Promise<void> {
    this.isTurnOwed = trigger.urgent === true;
    this.isAwaited = this.held.length > 0;
    await this.doOne(trigger);
    if (this.isTurnOwed && this.others > 0) return;
    this.isTurnOwed = false;
    for (const urgent of this.held.splice(0)) this.push(urgent);
  }

  private async doOne(trigger: Trigger): Promise<void> {
    const pass = this.passes.get(trigger.pass ?? 0);
    // A stop between two jobs leaves the rest for the next start.
    if (this.context.signal.aborted) return;
    try {
      if (this.duties !== null && !(await this.duties.mayWork())) {
        if (pass !== undefined) pass.isHeld = true;
      } else if (trigger.job === 'request') await this.duties?.serve();
      else await this.recovering(() => this.runAndFollow(trigger as JobTrigger, pass));
    } catch (error) {
      if (pass === undefined) await this.duties?.failed(trigger, error);
      else noteError(pass, trigger.job as JobName, error);
    }
  }

  private async runAndFollow(trigger: JobTrigger, pass?: Pass): Promise<void> {
    const result = await this.run(trigger, pass);
    const { job, period } = trigger;
    const next = { job, ...(pass === undefined ? {} : { pass: pass.id }) };
    if (result.more === true)
      this.push({
        ...next,
        goesOn: !IN_TURNS.includes(job),
        ...(period === undefined ? {} : { period }),
        ...result.next,
      });
    if (pass === undefined) void result.later?.then(() => this.push(next));
    const key = `${pass?.id ?? 0}:${job}`;
    const whole = addResult(this.unfinished.get(key), result);
    if (result.more === true) this.unfinished.set(key, whole);
    else {
      this.unfinished.delete(key);
      for (const fed of fedBy(job, whole))
        if (this.takes(fed, job, pass)) this.push({ ...next, job: fed });
    }
    if (pass === undefined) await this.duties?.did(trigger, result);
  }

  /** Without a pass sessions are learnt from when they fell silent, which the daemon sees. */
  private takes(fed: JobName, by: JobName, pass: Pass | undefined): boolean {
    return pass === undefined
      ? fed !== 'extract' || by !== 'ingest'
      : pass.jobs.some(({ name }) => name === fed);
  }

  private async run(trigger: JobTrigger, pass: Pass | undefined): Promise<JobResult> {
    const job = STAGES.find(({ name }) => name === trigger.job)!;
    const context: JobContext = {
      ...this.context,
      ...(pass === undefined ? {} : { mode: 'once' }),
      ...(this.duties === null
        ? {}
        : {
            isOver: sliceOf(
              () => this.context.clock.mono(),
              () => this.isAwaited,
            ),
          }),
    };
    const result = await runJob(context, job, trigger);
    if (pass !== undefined) noteResult(pass, job.name, result);
    return result;
  }

  /** Before every job. */
  private async renew(): Promise<void> {
    const found = await this.ready();
    if (found === null) return;
    this.recovered = found.recovered;
    if (!found.isAnother) return;
    for (const pass of this.passes.values()) {
      forgetResults(pass);
      for (const trigger of pass.triggers) this.push(trigger);
    }
    this.duties?.renewed();
  }
}
