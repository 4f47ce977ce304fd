/** Every job, in the order of work: a line becomes entries, entries lessons, lessons context.md; then the night. */
import { contextJob } from './context.js';
import { extractJob } from './extract.js';
import { ingestJob } from './ingest.js';
import type { Job } from './job.js';

export const jobs = [ingestJob, extractJob, contextJob] as const satisfies readonly Job[];

/** Names that `--only` takes. */
export const JOB_NAMES = jobs.map((job) => job.name);
