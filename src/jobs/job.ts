/** The type of a job, and of its inputs. */
import type { Config, Environment, HomePaths } from '../config.js';
import type { EmbedderLease } from '../embed/embedder.js';
import type { Log } from '../log.js';
import type { PendingCall } from './asking/pending-call.js';
import type { ComputePool } from './compute-pool.js';
import type { Store } from '../store/index.js';
import type { Caller, Clock, JobName } from '../types.js';

/** The progress of a long job, for a terminal. */
export interface Progress {
  job: JobName | 'check';
  done: number;
  total: number;
  /** What is counted, e.g. `MB` or `sessions`. */
  unit: string;
}

/** A request to run a job. It may be lost or doubled, since pending work is a query. */
export interface Trigger {
  job: JobName | 'request';
  /** For a `request`: does what a command asks of the daemon. */
  serve?: () => Promise<void>;
  /** Logs that may have grown; absent: all. */
  paths?: string[];
  /** These logs are growing, so they are read before anything else. */
  urgent?: boolean;
  /** The night that this run belongs to, `YYYY-MM-DD`. */
  period?: string;
  /** The pass or request that triggered the job; absent: the job was due. */
  pass?: number;
  /**
   * A person asks for this job alone: then it embeds without the limit of a `run`, and also ages
   * lessons that were just learnt.
   */
  whole?: boolean;
  /** The job gave way to another before its end. */
  goesOn?: boolean;
  /** Where the last run ended, see `JobResult.next`. */
  from?: string;
  /** Embed until then, by the clock that never jumps. */
  until?: number;
  /** Read only the newest logs, up to so many bytes; the result says whether others wait. */
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
   * Logs of excluded projects that were opened, by place and size: they have no checkpoint, and
   * must not be opened at every scan.
   */
  excludedLogs: Map<string, string>;
  /** The one call to a person's model that may be pending. */
  asking: { pending: PendingCall | null };
  log: Log;
  env: Environment;
  userHome: string;
  /** The home's secret, for the marks of masked secrets. */
  redactKey: string;
  /**
   * `once` takes every session at once (`run`, `crystallize`); the daemon only those that fell
   * silent.
   */
  mode: RunMode;
  signal: AbortSignal;
  /** The person or agent who asked for the work; absent: the work was due. */
  caller?: () => Caller;
  /**
   * A long job awaits this between two items, outside any read or write; growing logs are read
   * meanwhile.
   * @returns false if the job has to give way; then its result has `more`
   */
  turn(): Promise<boolean>;
  progress(report: Progress): void;
}

/** The result of a run; stored in `job_runs`. */
export interface JobResult {
  /** Units of work that were done; 0 when nothing was pending. */
  done: number;
  /** Work is left: the job is triggered again. */
  more?: boolean;
  /** Data for that trigger which a query for pending work cannot give. */
  next?: Pick<Trigger, 'from' | 'until' | 'whole'>;
  /** Units that failed and stay pending or were skipped. */
  failed?: number;
  /** Counts for the summary, by name. */
  counts?: Record<string, number>;
  /**
   * Work that continues outside the queue; the job is triggered again when this settles. Never
   * rejects.
   */
  later?: Promise<void>;
  /** The data that later jobs read has changed; see `Job.after`. */
  changed?: boolean;
}

/** One file per job; a second run with nothing pending does nothing. */
export interface Job {
  name: JobName;
  /** Jobs that give this job new work: when they did anything, or only if they changed its data. */
  after?: Partial<Record<JobName, 'done' | 'changed'>>;
  /** With every pass, once a night, or when the person's own model may be asked. */
  due: 'always' | 'nightly' | 'with a model';
  run(context: JobContext, trigger: Trigger): Promise<JobResult>;
}
