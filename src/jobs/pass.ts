/**
 * One pass through the stages, for `run`, `crystallize` and a request to run: which jobs, and what
 * came of them.
 */
import { messageOf } from '../errors.js';
import type { BootReport } from '../store/index.js';
import type { JobName } from '../types.js';
import type { Job, JobContext, JobResult, Trigger } from './job.js';
import type { Night } from './nightly/night.js';
import { addResult, STAGES } from './pipeline.js';

export interface PassOptions {
  /** Only these jobs, in the order of work. */
  only?: readonly JobName[];
  rebuild?: boolean;
  /**
   * So much is read before the first context.md, newest sessions first; absent: everything is read
   * first.
   */
  firstBytes?: readonly number[];
  /** False where others wait for the queue: a model is not asked. */
  asksModel: boolean;
}

/** A trigger of one of the stages. */
export type JobTrigger = Trigger & { job: JobName };

export interface Pass {
  readonly id: number;
  /** By the clock that never jumps, in milliseconds. */
  readonly begun: number;
  /** How long it took, when it ended. */
  seconds: number;
  readonly jobs: readonly Job[];
  /** What it asks for; asked for again when the database is another one. */
  readonly triggers: readonly JobTrigger[];
  results: Map<JobName, JobResult>;
  errors: { job: JobName; message: string }[];
  /** Damage that showed while it worked. */
  rescued: BootReport | null;
  /** A job of it was not allowed to run: it counts as not done. */
  isHeld: boolean;
  /** Triggers whose job has not ended. */
  readonly open: Set<Promise<void>>;
  /** Work outside the queue, by job: calls of a model. */
  readonly outside: Map<JobName, Promise<void>>;
}

export function planPass(
  id: number,
  { config }: Pick<JobContext, 'config'>,
  options: PassOptions,
  night: Night,
  begun: number,
): Pass {
  const jobs = STAGES.filter(({ name, due }) => {
    if (due === 'with a model' && (!options.asksModel || config.llm.provider === 'off'))
      return false;
    return options.only?.includes(name) ?? (due !== 'nightly' || night.due.includes(name));
  });
  const triggers = jobs.map(({ name, due }) => ({
    job: name,
    pass: id,
    ...(options.only?.length === 1 ? { whole: true } : {}),
    ...(due === 'nightly' ? { period: night.period } : {}),
  }));
  return {
    id,
    begun,
    seconds: 0,
    jobs,
    triggers,
    ...NOTHING_YET(),
    open: new Set(),
    outside: new Map(),
  };
}

const NOTHING_YET = (): Pick<Pass, 'results' | 'errors' | 'rescued' | 'isHeld'> => ({
  results: new Map(),
  errors: [],
  rescued: null,
  isHeld: false,
});

export function forgetResults(pass: Pass): void {
  Object.assign(pass, NOTHING_YET());
}

export function noteResult(pass: Pass, job: JobName, result: JobResult): void {
  pass.results.set(job, addResult(pass.results.get(job), result));
  if (result.later !== undefined) pass.outside.set(job, result.later);
}

export function noteError(pass: Pass, job: JobName, error: unknown): void {
  pass.errors.push({ job, message: messageOf(error) });
}

/**
 * Waits for work outside the queue, shows a person that it does, and tells whether it ended in
 * time.
 */
export async function waitForCall(
  { progress, signal }: Pick<JobContext, 'progress' | 'signal'>,
  [job, later]: [JobName, Promise<void>],
  ms: number,
): Promise<boolean> {
  if (ms <= 0) return false;
  const total = Math.round(ms / 1000);
  let done = 0;
  const tick = setInterval(
    () => progress({ job, done: ++done, total, unit: 's at most for an answer' }),
    1000,
  );
  const over = new AbortController();
  const late = AbortSignal.any([signal, over.signal]);
  const timer = setTimeout(() => over.abort(), ms);
  const stopped = new Promise<false>((resolve) =>
    late.addEventListener('abort', () => resolve(false), { once: true }),
  );
  try {
    return await Promise.race([later.then(() => true), stopped]);
  } finally {
    clearTimeout(timer);
    clearInterval(tick);
  }
}
