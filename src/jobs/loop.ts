/**
 * The only loop, on the only queue: runs one job at a time, writes its row in `job_runs`, and
 * triggers the jobs that have new work. `run` and `crystallize` are a pass through the jobs. The
 * daemon adds its duties: silent sessions, retries, nights, requests.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.js';
import {
  donePeriods,
  isStoreLost,
  newestCall,
  takeUpAllSessions,
  takeUpPassed,
} from '../store/index.js';
import type { JobName } from '../types.js';
import { patienceMs, stopAsking } from './asking/ask.js';
import type { Job, JobContext, JobResult, Trigger } from './job.js';
import { lookAtNight, type Night } from './nightly/night.js';
import { addResult, fedBy, STAGES } from './pipeline.js';
import { createQueue, type JobQueue } from './queue.js';
import { runJob } from './run-job.js';
import { prepareStore } from './upkeep/boot.js';
import type { Recovered } from './upkeep/recover.js';

/** Tasks of the daemon in addition to running jobs. */
export interface Duties {
  /** Whether jobs may run now. If not, the loop drops the job, and the daemon triggers it later. */
  mayWork(): Promise<boolean>;
  /** Receives the result of a job that ran outside a pass. */
  did(trigger: JobTrigger, result: JobResult): Promise<void>;
  failed(trigger: Trigger, error: unknown): Promise<void>;
}

export interface PassOptions {
  /** Only these jobs, in the order of the stages. */
  only?: readonly JobName[];
  rebuild?: boolean;
  /** Bytes to read before each early context.md, newest sessions first; absent: none is early. */
  firstBytes?: readonly number[];
  /** False while other jobs are queued: then no model is called. */
  asksModel: boolean;
}

/** A trigger for a job of the stages. */
export type JobTrigger = Trigger & { job: JobName };

/** One pass through the stages: its jobs and their results. */
export interface Pass {
  readonly triggers: readonly JobTrigger[];
  readonly firstBytes: readonly number[];
  /** By the clock that never jumps, in milliseconds. */
  readonly begun: number;
  /** The duration of the pass, once it has ended. */
  seconds: number;
  results: Map<JobName, JobResult>;
  errors: { job: JobName; message: string }[];
  /** A job of the pass could not run, so the pass counts as not done. */
  isPostponed: boolean;
}

/** The jobs that make context.md from logs. */
const READING_JOBS: readonly JobName[] = ['ingest', 'extract', 'context'];

/** The shortest time that a job works before it gives way to growing logs. */
const LEAST_MS = 1000;
/** The shortest time between two reads of growing logs during a job. */
const URGENT_EVERY_MS = 250;

/**
 * The order: requests of commands, a pass, due jobs, then long histories and vectors, which may
 * take hours. Growing logs are read between items, so the job that only reads these is last. Pure.
 */
function rankOf({ job, pass, urgent }: Trigger): number {
  if (job === 'request') return 5;
  if (pass !== undefined) return 4;
  if (urgent === true) return 0;
  return job === 'embed' ? 1 : job === 'ingest' ? 2 : 3;
}

/** An interrupted job keeps its place, so that the nightly jobs keep their order. */
const placeOf = (trigger: Trigger): number => 2 * rankOf(trigger) + Number(trigger.goesOn === true);

export class Loop {
  /** What `prepare` restored from tiers and crystals. */
  recovered: Recovered | null = null;
  private readonly queue: JobQueue;
  private prepared: Promise<void> | null = null;
  private passes = 0;
  /** Growing logs, to be read before other work. */
  private readonly urgent = new Set<string>();
  private urgentAt = -Infinity;
  private reading: Promise<void> | null = null;
  /** The running job. Growing logs are read during it. */
  running: JobName | null = null;

  /** The error of a lost or damaged database, which only a restart repairs. */
  lostBy: unknown;

  constructor(
    private readonly context: JobContext,
    private readonly duties: Duties | null = null,
  ) {
    this.queue = createQueue((trigger) => this.work(trigger), placeOf);
  }

  /**
   * Does a command's request before all other work.
   * @returns null if it cannot be done now
   * @throws the error of `work`
   */
  async ask<T>(work: () => Promise<T>): Promise<T | null> {
    let done: T | null = null;
    const serve = async (): Promise<void> => void (done = await work());
    const outcome = await this.queue.push({ job: 'request', pass: ++this.passes, serve });
    if (outcome !== null && 'error' in outcome) throw outcome.error;
    return done;
  }

  push(trigger: Trigger): void {
    void this.queue.push(trigger);
  }

  /** Reads this growing log before other work. */
  readNow(path: string): void {
    this.urgent.add(path);
    this.push({ job: 'ingest', urgent: true });
  }

  isBusy(): boolean {
    return this.queue.isBusy();
  }

  /** Resolves when no job is queued or running. */
  idle(): Promise<void> {
    return this.queue.idle();
  }

  close(): Promise<void> {
    return this.queue.close();
  }

  /** Restores missing data once; after a failure the next call tries again. */
  prepare(): Promise<void> {
    return (this.prepared ??= prepareStore(this.context).then(
      (recovered) => void (this.recovered = recovered),
      (error: unknown) => {
        this.prepared = null;
        throw error;
      },
    ));
  }

  /**
   * Plans a pass. Call it while no job runs, or during a request; `end` runs the jobs.
   * @throws the error of preparing the store
   */
  async begin(options: PassOptions): Promise<Pass> {
    const { context } = this;
    const begun = context.clock.mono();
    await this.prepare();
    const triggers = planPass(context, options, await lookAtNight(context), ++this.passes);
    if (triggers.some(({ job }) => job === 'extract')) {
      await context.store.write(options.rebuild === true ? takeUpAllSessions : takeUpPassed);
    }
    const { firstBytes = [] } = options;
    return {
      ...{ triggers, firstBytes, begun, seconds: 0 },
      ...{ results: new Map(), errors: [], isPostponed: false },
    };
  }

  /**
   * Runs each job of the pass in the order of the stages, and again while it has new work. Waits a
   * limited time for a pending call of a model; the next run does the rest.
   */
  async end(pass: Pass): Promise<void> {
    const { clock, signal, store } = this.context;
    const triggers = new Map(pass.triggers.map((trigger) => [trigger.job, trigger]));
    const due = new Set(triggers.keys());
    if (await this.lookFirst(pass)) due.delete('ingest');
    let waitsSince: number | null = null;
    while (!signal.aborted && !pass.isPostponed && this.lostBy === undefined) {
      const job = STAGES.find(({ name }) => due.has(name))?.name;
      if (job !== undefined) {
        due.delete(job);
        const result = await this.runIn(pass, triggers.get(job)!);
        for (const fed of result === null ? [] : fedBy(job, result))
          if (triggers.has(fed)) due.add(fed);
        continue;
      }
      const call = pass.results.get('ask')?.later;
      if (call === undefined) break;
      waitsSince ??= clock.mono();
      const left = waitsSince + patienceMs(await store.read(newestCall)) - clock.mono();
      if (!(await waitForCall(this.context, call, left))) break;
      due.add('ask');
    }
    pass.seconds = (clock.mono() - pass.begun) / 1000;
  }

  /**
   * Makes a context.md from the newest sessions before the rest of a long history is read. A job
   * that fails here fails again in the pass, which reports the error.
   * @returns whether every log was read
   */
  private async lookFirst(pass: Pass): Promise<boolean> {
    const look = pass.triggers.filter(({ job }) => READING_JOBS.includes(job));
    if (look.length < READING_JOBS.length) return false;
    for (const newestBytes of pass.firstBytes) {
      for (const trigger of look) {
        const isReading = trigger.job === 'ingest';
        const outcome = await this.queue.push(isReading ? { ...trigger, newestBytes } : trigger);
        if (outcome === null || 'error' in outcome) return false;
        noteResult(pass, trigger.job, outcome);
        if (isReading && outcome.more !== true) return true;
      }
    }
    return false;
  }

  /** @returns null if the job failed or could not run; the pass has the reason */
  private async runIn(pass: Pass, trigger: JobTrigger): Promise<JobResult | null> {
    for (let next: Trigger = trigger; ;) {
      const outcome = await this.queue.push(next);
      if (outcome === null) {
        pass.isPostponed ||= !this.context.signal.aborted;
        return null;
      }
      if ('error' in outcome) {
        pass.errors.push({ job: trigger.job, message: messageOf(outcome.error) });
        return null;
      }
      noteResult(pass, trigger.job, outcome);
      if (outcome.more !== true || this.context.signal.aborted)
        return pass.results.get(trigger.job)!;
      next = { ...trigger, ...outcome.next };
    }
  }

  private async work(trigger: Trigger): Promise<JobResult | { error: unknown } | null> {
    // After a stop, the next start does the remaining jobs.
    if (this.context.signal.aborted || this.lostBy !== undefined) return null;
    try {
      if (this.duties !== null && !(await this.duties.mayWork())) return null;
      await this.prepare();
      if (trigger.urgent === true || this.isUrgentDue()) await this.readUrgent();
      if (trigger.urgent === true) return null;
      if (trigger.serve === undefined)
        return (await this.isDone(trigger)) ? null : await this.run(trigger as JobTrigger);
      await trigger.serve();
      return null;
    } catch (error) {
      await this.fail(trigger, error);
      return { error };
    }
  }

  /** Whether a pass did this nightly job while its own trigger waited. */
  private async isDone({ job, period, pass }: Trigger): Promise<boolean> {
    if (period === undefined || pass !== undefined) return false;
    return (await this.context.store.read((db) => donePeriods(db, job))).has(period);
  }

  private async fail(trigger: Trigger, error: unknown): Promise<void> {
    if (isStoreLost(error)) this.lostBy = error;
    if (trigger.pass === undefined || this.lostBy === error)
      await this.duties?.failed(trigger, error);
  }

  private async run(trigger: JobTrigger): Promise<JobResult> {
    const { clock } = this.context;
    const begun = clock.mono();
    const isReading = trigger.job === 'ingest';
    const turn = async (): Promise<boolean> => {
      if (this.context.signal.aborted) return false;
      if (isReading && this.urgent.size > 0 && clock.mono() - begun >= LEAST_MS) return false;
      if (!isReading && this.isUrgentDue()) await this.readUrgent();
      return !this.queue.waiting().some((other) => rankOf(other) > rankOf(trigger));
    };
    const mode = trigger.pass === undefined ? this.context.mode : 'once';
    const job = STAGES.find(({ name }) => name === trigger.job)!;
    if (trigger.urgent !== true) this.running = trigger.job;
    // Growing logs are read even during a long item, but not during a rollup, which must write
    // tiers as planned.
    const beat =
      job.name === 'rollup' || isReading
        ? undefined
        : setInterval(
            () => void (this.isUrgentDue() && this.readUrgent().catch(() => {})),
            URGENT_EVERY_MS,
          );
    const result = await runJob({ ...this.context, mode, turn }, job, trigger).finally(async () => {
      if (trigger.urgent !== true) this.running = null;
      clearInterval(beat);
      if (beat !== undefined) await this.reading?.catch(() => {});
    });
    if (trigger.pass === undefined) await this.follow(trigger, result);
    return result;
  }

  /** Triggers the remaining work of a job outside a pass, and the jobs with new work. */
  private async follow(trigger: JobTrigger, result: JobResult): Promise<void> {
    const { job, period, urgent, paths } = trigger;
    if (result.more === true) {
      const again = { job, ...(period !== undefined && { period }), ...result.next };
      // The rest of a large log must not delay a line in another log.
      this.push(urgent === true ? { ...again, paths: paths! } : { ...again, goesOn: true });
    }
    void result.later?.then(() => this.push({ job }));
    // The daemon learns from sessions when they are silent.
    for (const fed of fedBy(job, result))
      if (fed !== 'extract' || job !== 'ingest') this.push({ job: fed });
    await this.duties?.did(trigger, result);
  }

  private isUrgentDue(): boolean {
    return this.urgent.size > 0 && this.context.clock.mono() - this.urgentAt >= URGENT_EVERY_MS;
  }

  /** Reads growing logs; an error affects only these logs. */
  private readUrgent(): Promise<void> {
    return (this.reading ??= this.readUrgentNow().finally(() => (this.reading = null)));
  }

  private async readUrgentNow(): Promise<void> {
    if (this.urgent.size === 0) return;
    const trigger: JobTrigger = { job: 'ingest', urgent: true, paths: [...this.urgent] };
    this.urgent.clear();
    try {
      await this.run(trigger);
    } catch (error) {
      await this.fail(trigger, error);
    }
    this.urgentAt = this.context.clock.mono();
  }
}

/** The triggers of a pass, in the order of the stages. Pure. */
function planPass(
  { config }: Pick<JobContext, 'config'>,
  options: PassOptions,
  night: Night,
  pass: number,
): JobTrigger[] {
  const isWanted = ({ name, due }: Job): boolean =>
    due === 'with a model' && (!options.asksModel || config.llm.provider === 'off')
      ? false
      : (options.only?.includes(name) ?? (due !== 'nightly' || night.due.includes(name)));
  return STAGES.filter(isWanted).map(({ name, due }) => ({
    job: name,
    pass,
    ...(options.only?.length === 1 ? { whole: true } : {}),
    ...(due === 'nightly' ? { period: night.period } : {}),
  }));
}

function noteResult(pass: Pass, job: JobName, result: JobResult): void {
  pass.results.set(job, addResult(pass.results.get(job), result));
}

/**
 * Waits for a call of a model, and shows this on the terminal.
 * @returns whether the call ended in time
 */
async function waitForCall(
  { progress, signal }: Pick<JobContext, 'progress' | 'signal'>,
  call: Promise<void>,
  ms: number,
): Promise<boolean> {
  const total = Math.round(ms / 1000);
  for (let done = 0; done < total && !signal.aborted; done++) {
    progress({ job: 'ask', done, total, unit: 's at most for an answer' });
    const second = sleep(1000, false, { signal, ref: false }).catch(() => false);
    if (await Promise.race([call.then(() => true), second])) return true;
  }
  return false;
}

/** Tests set a small `firstBytes`. */
export type RunOptions = Omit<PassOptions, 'asksModel'>;

export interface RunReport extends Pick<Pass, 'results' | 'errors' | 'seconds'> {
  /** Restored data, if the database was new. */
  recovered?: Recovered | null;
}

/**
 * Bytes to read before the first and the second early context.md, newest sessions first. Not a
 * time, since the same logs must give the same projects on a slow machine.
 */
const FIRST_BYTES = [12 * 1024 * 1024, 60 * 1024 * 1024];

/**
 * Runs one pass in the only process that uses the home. The report contains a failed job; the other
 * jobs still run.
 * @throws the error of a lost or damaged database, which a restart repairs
 */
export async function runAll(context: JobContext, options: RunOptions): Promise<RunReport> {
  const loop = new Loop(context);
  try {
    const pass = await loop.begin({ firstBytes: FIRST_BYTES, ...options, asksModel: true });
    await loop.end(pass);
    if (loop.lostBy !== undefined) throw loop.lostBy;
    await stopAsking(context);
    return { ...pass, recovered: loop.recovered };
  } finally {
    await loop.close();
  }
}
