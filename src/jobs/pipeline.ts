/**
 * The one pipeline: the jobs in the order of work (a line becomes entries, entries lessons, lessons context.md; then the night),
 * what each gives to the next, and one pass through them. The daemon, `run`, `crystallize` and what commands ask of the daemon
 * all work by it, on the same queue.
 */
import { messageOf } from '../errors.js';
import { newestCall } from '../store/index.js';
import type { JobName } from '../types.js';
import { askJob, patienceMs } from './asking/ask.js';
import { contextJob } from './publishing/context.js';
import { crystallizeJob } from './nightly/crystallize.js';
import { decayJob } from './nightly/decay.js';
import { embedJob } from './publishing/embed.js';
import { extractJob } from './learning/extract.js';
import { ingestJob } from './reading/ingest.js';
import type { Job, JobContext, JobResult, Trigger } from './job.js';
import { lookAtNight, type Night } from './nightly/night.js';
import { rollupJob } from './nightly/rollup.js';
import { createQueue, type JobQueue } from './queue.js';
import { runJob } from './run-job.js';

export const STAGES: readonly Job[] = [ingestJob, extractJob, contextJob, rollupJob, decayJob, crystallizeJob, embedJob, askJob];

/** Jobs that have work because of what this one did; nights and models have times of their own. Pure. */
export function fedBy(name: JobName, result: JobResult): JobName[] {
  return STAGES.filter(
    ({ after, due }) =>
      due === 'always' && (after[name] === 'done' ? result.done > 0 : after[name] === 'changed' && result.changed === true),
  ).map((job) => job.name);
}

export interface PassOptions {
  /** Only these jobs, in the order of work. */
  only?: readonly JobName[];
  rebuild?: boolean;
  /** So much is read before the first context.md, newest sessions first; absent: everything is read first. */
  firstBytes?: readonly number[];
  /** False where others wait for the queue: a model is not asked. */
  asksModel: boolean;
}

export interface Pass {
  results: Map<JobName, JobResult>;
  errors: { job: JobName; message: string }[];
  /** The errors themselves, in the same order. */
  failures: unknown[];
}

/** Later results of a job that ran in several slices are added to the earlier ones. */
function addResult(a: JobResult | undefined, b: JobResult): JobResult {
  const counts = { ...a?.counts };
  for (const [name, n] of Object.entries(b.counts ?? {})) counts[name] = (counts[name] ?? 0) + n;
  return { ...b, done: (a?.done ?? 0) + b.done, failed: (a?.failed ?? 0) + (b.failed ?? 0), counts };
}

function choose({ config }: JobContext, { only, asksModel }: PassOptions, night: Night): Job[] {
  return STAGES.filter(({ name, due }) => {
    if (due === 'with a model' && (!asksModel || config.llm.provider === 'off')) return false;
    return only?.includes(name) ?? (due !== 'nightly' || night.due.includes(name));
  });
}

function triggerFor({ name, due }: Job, { only, rebuild }: PassOptions, night: Night): Trigger & { job: JobName } {
  return {
    job: name,
    ...(rebuild ? { rebuild: true } : {}),
    ...(only?.length === 1 && name === 'embed' ? { whole: true } : {}),
    ...(due === 'nightly' ? { period: night.period } : {}),
  };
}

/**
 * Each chosen job once, in the order of work, and again while it has more to do or was given more. A job that fails is told and
 * never keeps the others from running.
 */
export async function runPass(context: JobContext, options: PassOptions): Promise<Pass> {
  const night = await lookAtNight(context);
  const work = new PassWork(context, choose(context, options, night));
  let isAllRead = false;
  for (const bytes of options.firstBytes ?? []) isAllRead ||= !(await work.lookFirst(bytes));
  await work.finish(
    work.chosen.filter(({ name }) => name !== 'ingest' || !isAllRead).map((job) => triggerFor(job, options, night)),
  );
  return work.pass;
}

/** What makes a context.md of logs. */
const LOOK: readonly JobName[] = ['ingest', 'extract', 'context'];

class PassWork {
  readonly pass: Pass = { results: new Map(), errors: [], failures: [] };
  private readonly queue: JobQueue;
  /** Work outside the queue, by job: calls of a model. */
  private readonly outside = new Map<JobName, Promise<void>>();

  constructor(
    private readonly context: JobContext,
    readonly chosen: readonly Job[],
  ) {
    const names = chosen.map(({ name }) => name);
    this.queue = createQueue((trigger) => this.work(trigger), names);
  }

  /**
   * A context.md of the newest sessions while the rest of a long history waits. What fails here fails again in the pass and is
   * told there.
   * @returns whether logs are left to read
   */
  async lookFirst(newestBytes: number): Promise<boolean> {
    const jobs = this.chosen.filter(({ name }) => LOOK.includes(name));
    if (jobs.length < LOOK.length) return true;
    try {
      for (const job of jobs) {
        if (this.context.signal.aborted) break;
        const result = await this.run(job, { job: job.name, ...(job.name === 'ingest' ? { newestBytes } : {}) });
        if (job.name === 'ingest' && result.more !== true) return false;
      }
    } catch {
      // it fails again in the pass, which reports it
    }
    return true;
  }

  /** Runs until no job waits. A pending call of a model is waited for only so long; what is left is for the next run. */
  async finish(triggers: readonly Trigger[]): Promise<void> {
    const { clock, config, signal, store } = this.context;
    for (const trigger of triggers) this.queue.push(trigger);
    let begun: number | null = null;
    for (;;) {
      await this.queue.idle();
      const [beside] = this.outside;
      if (beside === undefined || signal.aborted) break;
      begun ??= clock.mono();
      const left = begun + patienceMs(await store.read(newestCall), config.llm.seconds_per_run) - clock.mono();
      if (!(await this.settles(beside, left))) break;
      this.outside.delete(beside[0]);
      this.queue.push({ job: beside[0] });
    }
    await this.queue.close();
  }

  /** Waits, and shows a person that it does. */
  private async settles([job, later]: [JobName, Promise<void>], ms: number): Promise<boolean> {
    const total = Math.round(ms / 1000);
    let done = 0;
    const tick = setInterval(() => this.context.progress({ job, done: ++done, total, unit: 's at most for an answer' }), 1000);
    try {
      return await settlesBefore(later, ms, this.context.signal);
    } finally {
      clearInterval(tick);
    }
  }

  private async work(trigger: Trigger): Promise<void> {
    const at = this.chosen.findIndex(({ name }) => name === trigger.job);
    const job = this.chosen[at];
    if (job === undefined || this.context.signal.aborted) return;
    try {
      const result = await this.run(job, trigger);
      // A job that did something again gives work to all jobs after it.
      const again = result.more === true && result.done > 0 ? this.chosen.slice(at).map(({ name }) => name) : [];
      for (const name of new Set([...again, ...fedBy(job.name, result)])) this.queue.push({ job: name });
    } catch (error) {
      this.pass.failures.push(error);
      this.pass.errors.push({ job: job.name, message: messageOf(error) });
    }
  }

  private async run(job: Job, trigger: Trigger): Promise<JobResult> {
    const result = await runJob(this.context, job, trigger);
    this.pass.results.set(job.name, addResult(this.pass.results.get(job.name), result));
    if (result.later !== undefined) this.outside.set(job.name, result.later);
    return result;
  }
}

/** Whether a promise settles before the time is over or the signal comes. */
async function settlesBefore(later: Promise<void>, ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms <= 0) return false;
  const over = new AbortController();
  const late = AbortSignal.any([signal, over.signal]);
  const timer = setTimeout(() => over.abort(), ms);
  const stopped = new Promise<false>((resolve) => late.addEventListener('abort', () => resolve(false), { once: true }));
  try {
    return await Promise.race([later.then(() => true), stopped]);
  } finally {
    clearTimeout(timer);
  }
}
