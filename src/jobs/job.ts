/** Types of jobs and of their inputs. */
import type { Config, Environment, HomePaths } from '../config.js';
import type { EmbedderLease } from '../embed/embedder.js';
import type { Log } from '../log.js';
import type { PendingCall } from './asking/pending-call.js';
import type { ComputePool } from './compute-pool.js';
import type { Store } from '../store/index.js';
import type { Caller, Clock, JobName } from '../types.js';

/** Progress of a long job, shown on a terminal. */
export interface Progress {
  job: JobName | 'check';
  done: number;
  total: number;
  /** Unit of the counts, such as `MB` or `sessions`. */
  unit: string;
}

/** A request to run a job. It may get lost or come twice: a query finds the pending work. */
export interface Trigger {
  job: JobName | 'request';
  /** For a `request`: the work that a command asks for. */
  serve?: () => Promise<void>;
  /** Logs that may have grown; absent: all. */
  paths?: string[];
  /** These logs are growing, so they are read before anything else. */
  urgent?: boolean;
  /** The night of this run, `YYYY-MM-DD`. */
  period?: string;
  /** The pass or request that triggered the job; absent: the job was due. */
  pass?: number;
  /**
   * A person asks for this job alone: it embeds without the limit of a `run`, and also ages lessons
   * that were just learnt.
   */
  whole?: boolean;
  /** The job was interrupted by another job and continues. */
  goesOn?: boolean;
  /** Where the last run ended; see `JobResult.next`. */
  from?: string;
  /** Embed until this time of the clock that never jumps. */
  until?: number;
  /** Read only the newest logs, up to so many bytes; the result shows whether there are others. */
  newestBytes?: number;
}

export type RunMode = 'once' | 'daemon';

/** Everything that a job may touch. */
export interface JobContext {
  paths: HomePaths;
  config: Config;
  clock: Clock;
  store: Store;
  embedder: EmbedderLease;
  compute: ComputePool;
  /**
   * Logs of excluded projects that were opened, by place and size: they have no checkpoint, and are
   * not opened again at every scan.
   */
  excludedLogs: Map<string, string>;
  /** The pending call to a person's model; at most one. */
  asking: { pending: PendingCall | null };
  log: Log;
  env: Environment;
  userHome: string;
  /** The home's secret, for the marks of masked secrets. */
  redactKey: string;
  /** `once` takes all sessions (`run`, `crystallize`), the daemon only silent ones. */
  mode: RunMode;
  signal: AbortSignal;
  /** The person or agent who asked for the work; absent: the work was due. */
  caller?: () => Caller;
  /**
   * A long job awaits this between two items, outside any read or write, so that growing logs are
   * read.
   * @returns false if the job must end early; then its result has `more`
   */
  turn(): Promise<boolean>;
  progress(report: Progress): void;
}

/** The result of a run; stored in `job_runs`. */
export interface JobResult {
  /** Units of work that were done; 0 if nothing was pending. */
  done: number;
  /** Work is left, so the job is triggered again. */
  more?: boolean;
  /** Data for that trigger, in addition to the query for pending work. */
  next?: Pick<Trigger, 'from' | 'until' | 'whole'>;
  /** Units that failed and stay pending or were skipped. */
  failed?: number;
  /** Counts for the summary, by name. */
  counts?: Record<string, number>;
  /** Work outside the queue. When it settles, the job is triggered again. Never rejects. */
  later?: Promise<void>;
  /** The data that later jobs read has changed; see `Job.after`. */
  changed?: boolean;
}

/** Each job has one file; a second run with nothing pending does nothing. */
export interface Job {
  name: JobName;
  /** Jobs that give this job new work: if they did anything, or only if they changed its data. */
  after?: Partial<Record<JobName, 'done' | 'changed'>>;
  /** With every pass, once a night, or when the person's own model may be asked. */
  due: 'always' | 'nightly' | 'with a model';
  run(context: JobContext, trigger: Trigger): Promise<JobResult>;
}
