/**
 * The stages: the jobs in their order (a line becomes entries, entries lessons, lessons context.md;
 * then the night), and which jobs get new work from each.
 */
import { loadProjects } from '../store/index.js';
import type { JobName } from '../types.js';
import { askJob } from './asking/ask.js';
import { contextJob } from './publishing/context.js';
import { crystallizeJob } from './nightly/crystallize.js';
import { takeAllHandEdits } from './learning/hand-edits.js';
import { learnProjects, learntBetween } from './learning/learn.js';
import { stepOfAll } from './learning/passed-over.js';
import { planDue } from './schedule.js';
import { embedJob } from './publishing/embed.js';
import { extractJob } from './learning/extract.js';
import { ingestJob } from './reading/ingest.js';
import type { Job, JobResult } from './job.js';
import { rollupJob } from './nightly/rollup.js';

/** Ages lessons by the project clock. Skips projects that were learnt since the night began. */
const decayJob: Job = {
  name: 'decay',
  due: 'nightly',
  async run(context, { from, whole = false }) {
    const { clock, config, store } = context;
    const now = clock.now();
    const { begun } = planDue(now, config.schedule.nightly_at, new Set());
    await takeAllHandEdits(context);
    const projects = await store.read(async (db) => {
      const learnt = whole
        ? new Set()
        : await learntBetween(db, begun.toISOString(), now.toISOString());
      return [null, ...(await loadProjects(db))].filter(
        (project) => !learnt.has(project?.id ?? ''),
      );
    });
    const { results, next } = await stepOfAll(
      context,
      'project',
      projects,
      (group) => learnProjects(context, group),
      from,
    );
    const changed = results.filter((learnt) => learnt?.changed === true).length;
    return {
      done: changed,
      counts: { projects: changed },
      changed: changed > 0,
      ...(next === undefined ? {} : { more: true, next: { ...next, whole } }),
    };
  },
};

export const STAGES: readonly Job[] = [
  ingestJob,
  extractJob,
  contextJob,
  rollupJob,
  decayJob,
  crystallizeJob,
  embedJob,
  askJob,
];

/** Jobs with new work after this one; nightly jobs and models have their own times. Pure. */
export function fedBy(name: JobName, result: JobResult): JobName[] {
  return STAGES.filter(({ after = {} }) =>
    after[name] === 'done' ? result.done > 0 : after[name] === 'changed' && result.changed === true,
  ).map((job) => job.name);
}

/** Adds up the results of an interrupted job. Pure. */
export function addResult(a: JobResult | undefined, b: JobResult): JobResult {
  const counts = { ...a?.counts };
  for (const [name, n] of Object.entries(b.counts ?? {})) counts[name] = (counts[name] ?? 0) + n;
  return {
    ...b,
    done: (a?.done ?? 0) + b.done,
    failed: (a?.failed ?? 0) + (b.failed ?? 0),
    counts,
    changed: a?.changed === true || b.changed === true,
  };
}
