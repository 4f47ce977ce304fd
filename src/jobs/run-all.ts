/** Everything once: nudges each job, waits until the lane is idle. The daemon's test, and `dripstone run`. */
import { metaValue, setMeta } from '../store/index.js';
import type { JobName } from '../types.js';
import { foldUses } from './fold-uses.js';
import { jobs } from './index.js';
import { stopReading } from './ingest.js';
import type { Job, JobContext, JobResult, Nudge } from './job.js';
import { lookAtNight, type Night } from './night.js';
import { createLane } from './queue.js';
import { recoverHome } from './recover.js';
import { runJob } from './run-job.js';

export interface RunOptions {
  /** Only these jobs, in the order of work. */
  only?: readonly JobName[];
  rebuild?: boolean;
}

export interface RunReport {
  results: Map<JobName, JobResult>;
  errors: { job: JobName; message: string }[];
  seconds: number;
}

/** Jobs that run at night only, or when named. */
export const isNightly = (job: JobName): boolean => job === 'rollup' || job === 'decay' || job === 'crystallize';

/** Later results of a job that ran in several slices are added to the earlier ones. */
const addResult = (a: JobResult | undefined, b: JobResult): JobResult => {
  const counts = { ...a?.counts };
  for (const [name, n] of Object.entries(b.counts ?? {})) counts[name] = (counts[name] ?? 0) + n;
  return { ...b, done: (a?.done ?? 0) + b.done, failed: (a?.failed ?? 0) + (b.failed ?? 0), counts };
};

const choose = (options: RunOptions, night: Night): Job[] =>
  jobs.filter((job) => options.only?.includes(job.name) ?? (!isNightly(job.name) || night.due.includes(job.name)));

const nudgeFor = (job: Job, options: RunOptions, night: Night): Nudge => ({
  job: job.name,
  ...(options.rebuild ? { rebuild: true } : {}),
  ...(options.only?.length === 1 && job.name === 'embed' ? { whole: true } : {}),
  ...(isNightly(job.name) ? { period: night.period } : {}),
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Says in the database that tiers and crystals were looked at; a run that was killed before looks again. */
const RECOVERED = 'recovered';

/** What must be true before the first job: rows come back from tiers when the database is new, and what readers noted is folded in. */
export const prepareStore = async (context: JobContext): Promise<void> => {
  if ((await context.store.read((db) => metaValue(db, RECOVERED))) === null) {
    await recoverHome(context);
    await context.store.write((db) => setMeta(db, RECOVERED, 'yes'));
  }
  await foldUses(context);
};

/** The chosen jobs one after the other in a lane of their own. A job that fails is told in the report and never keeps the others from running. */
export const runAll = async (context: JobContext, options: RunOptions): Promise<RunReport> => {
  const begun = context.clock.mono();
  await prepareStore(context);
  const night = await lookAtNight(context);
  const chosen = choose(options, night);
  const report: RunReport = { results: new Map(), errors: [], seconds: 0 };
  const run = async (nudge: Nudge): Promise<void> => {
    const job = chosen.find((candidate) => candidate.name === nudge.job);
    if (!job || context.signal.aborted) return;
    const result = await runJob(context, job, nudge);
    report.results.set(job.name, addResult(report.results.get(job.name), result));
    const again = result.more === true && result.done > 0 ? chosen.slice(chosen.indexOf(job)).map((later) => later.name) : [];
    for (const name of [...again, ...(result.wakes ?? [])]) if (chosen.some((each) => each.name === name)) lane.nudge({ job: name });
  };
  const lane = createLane(run, ({ job }, error) => report.errors.push({ job: job as JobName, message: messageOf(error) }));
  for (const job of chosen) lane.nudge(nudgeFor(job, options, night));
  await lane.idle();
  await lane.close();
  await stopReading(context.store);
  report.seconds = (context.clock.mono() - begun) / 1000;
  return report;
};

/** The same inside a lane that is taken already: the daemon serves a command. */
export const runChosen = async (context: JobContext, options: RunOptions): Promise<RunReport> => {
  const begun = context.clock.mono();
  await foldUses(context);
  const night = await lookAtNight(context);
  const report: RunReport = { results: new Map(), errors: [], seconds: 0 };
  for (const job of choose(options, night)) {
    if (context.signal.aborted) break;
    try {
      report.results.set(job.name, await runJob(context, job, nudgeFor(job, options, night)));
    } catch (error) {
      report.errors.push({ job: job.name, message: messageOf(error) });
    }
  }
  report.seconds = (context.clock.mono() - begun) / 1000;
  return report;
};
