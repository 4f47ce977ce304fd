/** Every job, in the order of work: a line becomes entries, entries lessons, lessons context.md; then the night. */
import { askJob } from './ask.js';
import { contextJob } from './context.js';
import { crystallizeJob } from './crystallize.js';
import { decayJob } from './decay.js';
import { embedJob } from './embed.js';
import { extractJob } from './extract.js';
import { ingestJob } from './ingest.js';
import type { Job } from './job.js';
import { rollupJob } from './rollup.js';

export const jobs: readonly Job[] = [ingestJob, extractJob, contextJob, rollupJob, decayJob, crystallizeJob, embedJob, askJob];

/** Names that `--only` takes. */
export const JOB_NAMES = jobs.map((job) => job.name);
