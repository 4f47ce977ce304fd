/** Everything once: nudges each job, waits until the lane is idle. The daemon's test, and `dripstone run`. */
import type { JobName } from '../types.js';
import { jobs } from './index.js';
import type { JobContext, JobResult, Nudge } from './job.js';
import { lookAtNight } from './night.js';
import { createLane } from './queue.js';
import { runJob } from './run-job.js';

export interface RunOptions {
  /** Only these jobs, in the order of work. */
  only?: readonly JobName[];
  rebuild?: boolean;
}

export interface RunReport {
  results: Map<JobName, JobResult>;
  errors: { job: JobName; message: string; error: unknown }[];
  seconds: number;
}

/** Jobs that run at night only, or when named. */
const isNightly = (job: JobName): boolean => job === 'rollup' || job === 'decay' || job === 'crystallize';

/** Later results of a job that ran in several slices are added to the earlier ones. */
const addResult = (a: JobResult | undefined, b: JobResult): JobResult => {
  const counts = { ...a?.counts };
  for (const [name, n] of Object.entries(b.counts ?? {})) counts[name] = (counts[name] ?? 0) + n;
  return { ...b, done: (a?.done ?? 0) + b.done, failed: (a?.failed ?? 0) + (b.failed ?? 0), counts };
};

/** A job that fails is told in the report and never keeps the others from running. */
export const runAll = async (context: JobContext, options: RunOptions): Promise<RunReport> => {
  const begun = context.clock.mono();
  const night = await lookAtNight(context);
  const chosen = jobs.filter((job) => options.only?.includes(job.name) ?? (!isNightly(job.name) || night.due.includes(job.name)));
  const report: RunReport = { results: new Map(), errors: [], seconds: 0 };
  const run = async (nudge: Nudge): Promise<void> => {
    const job = chosen.find((candidate) => candidate.name === nudge.job);
    if (!job || context.signal.aborted) return;
    const result = await runJob(context, job, nudge);
    report.results.set(job.name, addResult(report.results.get(job.name), result));
    if (result.more === true && result.done > 0) for (const later of chosen.slice(chosen.indexOf(job))) lane.nudge({ job: later.name });
    for (const woken of result.wakes ?? []) if (chosen.some((each) => each.name === woken)) lane.nudge({ job: woken });
  };
  const lane = createLane(run, ({ job }, error) => report.errors.push({ job, message: error instanceof Error ? error.message : String(error), error }));
  for (const job of chosen) {
    lane.nudge({ job: job.name, ...(options.rebuild ? { rebuild: true } : {}), ...(options.only?.length === 1 && job.name === 'embed' ? { whole: true } : {}), ...(isNightly(job.name) ? { period: night.period } : {}) });
  }
  await lane.idle();
  await lane.close();
  report.seconds = (context.clock.mono() - begun) / 1000;
  return report;
};
