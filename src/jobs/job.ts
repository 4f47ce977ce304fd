/** What every job is, and what it is given. */
import type { Config, Environment, HomePaths } from '../config.js';
import type { EmbedderLease } from '../embed/embedder.js';
import type { Log } from '../log.js';
import type { PendingCall } from './asking/pending-call.js';
import type { ComputePool } from './compute-pool.js';
import type { Store } from '../store/index.js';
import type { Caller, Clock, JobName } from '../types.js';

/** How far a long job is; shown on a terminal only. */
export interface Progress {
  job: JobName | 'check';
  done: number;
  total: number;
  /** What is counted, e.g. `MB` or `sessions`. */
  unit: string;
}

/** A request to look again. It may be lost or doubled: what is pending is a query. */
export interface Trigger {
  job: JobName | 'request';
  /** Of a `request`: does what a command asks the daemon for. */
  serve?: () => Promise<void>;
  /** Logs that may have grown; absent: all. */
  paths?: string[];
  /** These logs are written to now: they are read before anything else. */
  urgent?: boolean;
  /** The night that this run belongs to, `YYYY-MM-DD`. */
  period?: string;
  /** The pass or request that asked for it; absent: it was due. */
  pass?: number;
  /**
   * A person asks for this job alone: it embeds without the limit of one `run`, and ages also what
   * was learnt just now.
   */
  whole?: boolean;
  /** It gave way to another job before its end. */
  goesOn?: boolean;
  /** Where it ended, see `JobResult.next`. */
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
  /** Who asked for the work, a person or an agent; absent: nobody, it was due. */
  caller?: () => Caller;
  /**
   * A long job awaits it between two items, outside of any read or write: logs that are written to
   * now are read meanwhile.
   * @returns false when the job has to give way; then its result says `more`
   */
  turn(): Promise<boolean>;
  progress(report: Progress): void;
}

/** What a run of a job did; kept in `job_runs`. */
export interface JobResult {
  /** Units of work that were done; 0 when nothing was pending. */
  done: number;
  /** Work is left: the job is triggered again. */
  more?: boolean;
  /** What the trigger for that carries, where the query for what is pending does not say it. */
  next?: Pick<Trigger, 'from' | 'until' | 'whole'>;
  /** Units that failed and stay pending or were skipped. */
  failed?: number;
  /** Counts for the summary, by name. */
  counts?: Record<string, number>;
  /**
   * Work goes on outside the queue, where it delays nothing: the job is triggered again when this
   * settles. Never rejects.
   */
  later?: Promise<void>;
  /** What later jobs read has changed; see `Job.after`. */
  changed?: boolean;
}

/** One file per job; a second run with nothing pending does nothing. */
export interface Job {
  name: JobName;
  /**
   * Jobs that give a job of each pass work: when they did anything, or only when what it reads
   * changed.
   */
  after?: Partial<Record<JobName, 'done' | 'changed'>>;
  /** With every pass, once a night, or when the person's own model may be asked. */
  due: 'always' | 'nightly' | 'with a model';
  run(context: JobContext, trigger: Trigger): Promise<JobResult>;
}
