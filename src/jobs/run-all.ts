/** Everything once: nudges each job, waits until the lane is idle. The daemon's test, and `dripstone run`. */
import { messageOf } from '../errors.js';
import { metaValue, setMeta, type BootReport } from '../store/index.js';
import type { JobName } from '../types.js';
import { stopAsking } from './ask.js';
import { foldUses } from './fold-uses.js';
import { healStore } from './heal.js';
import { jobs } from './index.js';
import { stopReading } from './ingest.js';
import type { Job, JobContext, JobResult, Nudge } from './job.js';
import { lookAtNight, type Night } from './night.js';
import { finishPurge } from './purge.js';
import { createLane, type Lane } from './queue.js';
import { recoverHome, recoverStrays, type Recovered } from './recover.js';
import { runJob } from './run-job.js';
import { sweepHome } from './sweep.js';

export interface RunOptions {
  /** Only these jobs, in the order of work. */
  only?: readonly JobName[];
  rebuild?: boolean;
  /** Bytes of logs that are read before the first context.md; tests take few. */
  firstBytes?: number;
}

export interface RunReport {
  results: Map<JobName, JobResult>;
  errors: { job: JobName; message: string }[];
  seconds: number;
  /** What came back from tiers and crystals because the database was new. */
  recovered?: Recovered | null;
  /** Damage that showed while the jobs ran; the run began anew after it. */
  rescued?: BootReport;
}

/** Jobs that run at night only, or when named. */
const isNightly = (job: JobName): boolean => job === 'rollup' || job === 'decay' || job === 'crystallize';

/** Later results of a job that ran in several slices are added to the earlier ones. */
const addResult = (a: JobResult | undefined, b: JobResult): JobResult => {
  const counts = { ...a?.counts };
  for (const [name, n] of Object.entries(b.counts ?? {})) counts[name] = (counts[name] ?? 0) + n;
  return { ...b, done: (a?.done ?? 0) + b.done, failed: (a?.failed ?? 0) + (b.failed ?? 0), counts };
};

const choose = ({ config }: JobContext, options: RunOptions, night: Night): Job[] =>
  jobs.filter((job) => (job.name !== 'ask' || config.llm.provider !== 'off') && (options.only?.includes(job.name) ?? (!isNightly(job.name) || night.due.includes(job.name))));

const nudgeFor = (job: Job, options: RunOptions, night: Night): Nudge => ({
  job: job.name,
  ...(options.rebuild ? { rebuild: true } : {}),
  ...(options.only?.length === 1 && job.name === 'embed' ? { whole: true } : {}),
  ...(isNightly(job.name) ? { period: night.period } : {}),
});

/** Says in the database that tiers and crystals were looked at; a run that was killed before looks again. */
const RECOVERED = 'recovered';

/** False for a database that is new, or whose recovery was cut short. */
export const isRecovered = async ({ store }: Pick<JobContext, 'store'>): Promise<boolean> => (await store.read((db) => metaValue(db, RECOVERED))) !== null;

/**
 * What must be true before the first job: no leftovers of killed runs, rows back from tiers when the database is new, and what readers
 * noted folded in.
 */
export const prepareStore = async (context: JobContext): Promise<Recovered | null> => {
  await sweepHome(context.paths);
  await context.store.settle();
  let recovered: Recovered | null = null;
  if (!(await isRecovered(context))) {
    recovered = await recoverHome(context);
    await context.store.write((db) => setMeta(db, RECOVERED, 'yes'));
  } else recovered = await recoverStrays(context);
  await foldUses(context);
  return recovered;
};

/**
 * The chosen jobs one after the other in a lane of their own. A job that fails is told in the report and never keeps the others from
 * running. A store whose damage shows only now is set aside, and everything is done once more; so it is when the store was deleted or replaced.
 */
export const runAll = async (context: JobContext, options: RunOptions): Promise<RunReport> => {
  const failures: unknown[] = [];
  const report = await runThrough(context, options, failures).catch((error: unknown) => {
    failures.push(error);
    return null;
  });
  for (const failure of failures) {
    const rescued = context.signal.aborted ? null : await healStore(context, failure);
    if (rescued !== null) return { ...(await runThrough(context, options, [])), rescued };
  }
  if (report === null) throw failures.at(-1);
  return report;
};

/** What makes a context.md of logs. */
const LOOK: readonly JobName[] = ['ingest', 'extract', 'context'];
/**
 * So much is read before the first context.md, newest sessions first. By bytes and not by time: on a slow machine the same logs must
 * give the same projects.
 */
const FIRST_BYTES = 48 * 1024 * 1024;

/**
 * A context.md of the newest sessions while the rest of a long history waits. What fails here fails again in the lane and is told there.
 * @returns whether logs are left to read
 */
const lookFirst = async (runOne: (nudge: Nudge) => Promise<JobResult | null>, newestBytes = FIRST_BYTES): Promise<boolean> => {
  try {
    const read = await runOne({ job: 'ingest', newestBytes });
    if (read !== null && read.more !== true) return false;
    await runOne({ job: 'extract' });
    await runOne({ job: 'context' });
  } catch {
    // see above
  }
  return true;
};

const runThrough = async (context: JobContext, options: RunOptions, failures: unknown[]): Promise<RunReport> => {
  const begun = context.clock.mono();
  const recovered = await prepareStore(context);
  await finishPurge(context);
  const night = await lookAtNight(context);
  const chosen = choose(context, options, night);
  const report: RunReport = { results: new Map(), errors: [], seconds: 0, recovered };
  const outside = new Map<JobName, Promise<void>>();
  const runOne = async (nudge: Nudge): Promise<JobResult | null> => {
    const job = chosen.find((candidate) => candidate.name === nudge.job);
    if (!job || context.signal.aborted) return null;
    const result = await runJob(context, job, nudge);
    report.results.set(job.name, addResult(report.results.get(job.name), result));
    if (result.later !== undefined) outside.set(job.name, result.later);
    return result;
  };
  const run = async (nudge: Nudge): Promise<void> => {
    const result = await runOne(nudge);
    const again = result?.more === true && result.done > 0 ? chosen.slice(chosen.findIndex(({ name }) => name === nudge.job)).map(({ name }) => name) : [];
    for (const name of [...again, ...(result?.wakes ?? [])]) if (chosen.some((each) => each.name === name)) lane.nudge({ job: name });
  };
  const lane = createLane(run, ({ job }, error) => {
    failures.push(error);
    report.errors.push({ job: job as JobName, message: messageOf(error) });
  });
  const isLeft = !LOOK.every((name) => chosen.some((job) => job.name === name)) || (await lookFirst(runOne, options.firstBytes));
  for (const job of chosen) if (isLeft || job.name !== 'ingest') lane.nudge(nudgeFor(job, options, night));
  await lane.idle();
  await waitOutside(context, outside, lane);
  await lane.close();
  await stopAsking(context);
  await stopReading(context.store);
  report.seconds = (context.clock.mono() - begun) / 1000;
  return report;
};

/** Work outside the lane may take its time, when everything else is done; what is left then is for the next run. */
const waitOutside = async ({ clock, config, signal }: JobContext, outside: Map<JobName, Promise<void>>, lane: Lane): Promise<void> => {
  const end = clock.mono() + config.llm.seconds_per_run * 1000;
  while (outside.size > 0 && !signal.aborted) {
    const [[job, later]] = [...outside] as [[JobName, Promise<void>]];
    if (!(await settlesBefore(later, end - clock.mono(), signal))) return;
    outside.delete(job);
    lane.nudge({ job });
    await lane.idle();
  }
};

/** Whether a promise settles before the time is over or the signal comes. */
const settlesBefore = async (later: Promise<void>, ms: number, signal: AbortSignal): Promise<boolean> => {
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
};

/** The same inside a lane that is taken already: the daemon serves a command. Models are asked when the lane is free again. */
export const runChosen = async (context: JobContext, options: RunOptions, failures: unknown[] = []): Promise<RunReport> => {
  const begun = context.clock.mono();
  await foldUses(context);
  const night = await lookAtNight(context);
  const report: RunReport = { results: new Map(), errors: [], seconds: 0 };
  for (const job of choose(context, options, night)) {
    if (context.signal.aborted) break;
    if (job.name === 'ask') continue;
    try {
      report.results.set(job.name, await runJob(context, job, nudgeFor(job, options, night)));
    } catch (error) {
      failures.push(error);
      report.errors.push({ job: job.name, message: messageOf(error) });
    }
  }
  report.seconds = (context.clock.mono() - begun) / 1000;
  return report;
};
