/**
 * What the daemon does when: logs that changed are read, sessions that fell silent are learnt from, nights are done once, failures are tried
 * again later. Nothing here holds truth: every look finds what is pending again.
 */
import { messageOf } from '../errors.js';
import { EXTRACTOR_VERSION } from '../extract/index.js';
import { countPending, faultKind } from '../store/index.js';
import type { SearchedPlace } from '../watchers/discover.js';
import { retryDelayMs } from './backoff.js';
import { stopAsking } from './ask.js';
import { createChangedLogs } from './changed-logs.js';
import { jobs } from './index.js';
import { stopReading } from './ingest.js';
import type { JobContext, JobResult, Nudge } from './job.js';
import { lookForLogs } from './look.js';
import { lookAtNight } from './night.js';
import { finishPurge } from './purge.js';
import { createLane } from './queue.js';
import { readRequests } from './requests.js';
import { prepareStore } from './run-all.js';
import { runJob } from './run-job.js';
import { serveRequests } from './serve-request.js';
import { stopThinking } from './think.js';

export interface Background {
  /** Something may have happened to this log. */
  hint(path: string): void;
  /** Looks at every place; returns the places, so that new ones get watched. */
  look(): Promise<SearchedPlace[]>;
  /** What time brings: silent sessions, retries, nights, requests. Cheap when there is nothing. */
  tick(): void;
  /** A night may have begun: cron, or the clock jumped. */
  night(): void;
  /** Resolves when the lane is empty. */
  idle(): Promise<void>;
  /** Drops what waits, lets the running job end. */
  close(): Promise<void>;
}

type Name = Nudge['job'];

/** Told after each run, for tests and for the log. */
export type Told = (job: Name, outcome: JobResult | Error) => void;

/** While a long history is read, lessons are drawn from what is there no more often: each time every project is computed anew. */
const LEARN_EVERY_MS = 60_000;
/** A session that is still written to is looked at again after this part of the idle time. */
const LEAST_WAIT_MS = 1000;

export const createBackground = (context: JobContext, told: Told = () => {}): Background => {
  const { store, clock, config, log } = context;
  const changed = createChangedLogs();
  const failures = new Map<Name, number>();
  const retries = new Map<Name, { at: number; nudge: Nudge }>();
  const idleMs = config.extract.idle_minutes * 60_000;
  const now = () => clock.now().getTime();
  let prepared = false;
  /** When the next session may have fallen silent; null when none waits. */
  let extractAt: number | null = null;
  let nightAt = 0;
  /** Logs that are written to now: no long job keeps them waiting. */
  const urgent = new Set<string>();
  /** When lessons were last drawn, on the clock that never jumps. */
  let learntAt: number | null = null;
  let isHistoryLeft = false;

  const prepare = async (): Promise<void> => {
    if (prepared) return;
    await prepareStore(context);
    await finishPurge(context);
    prepared = true;
  };

  /** The next moment at which a waiting session can be silent; sessions that are silent now are taken at once. */
  const planExtract = async (): Promise<void> => {
    const counts = await store.read(async (db) => ({
      silent: await countPending(db, { idleBefore: new Date(now() - idleMs).toISOString(), extractor: EXTRACTOR_VERSION }),
      all: await countPending(db, { idleBefore: null, extractor: EXTRACTOR_VERSION }),
    }));
    if (counts.silent > 0) lane.nudge({ job: 'extract' });
    extractAt = counts.all > counts.silent ? now() + Math.max(LEAST_WAIT_MS, idleMs) : null;
  };

  const planNight = async (): Promise<void> => {
    const night = await lookAtNight(context);
    nightAt = night.next.getTime();
    for (const job of night.due) lane.nudge({ job, ...(job === 'extract' ? {} : { period: night.period }) });
    if (night.due.length > 0 && config.llm.provider !== 'off') lane.nudge({ job: 'ask' });
  };

  const runOne = async (nudge: Nudge): Promise<void> => {
    await prepare();
    if (nudge.job === 'request') {
      await serveRequests(context);
      if (config.llm.provider !== 'off') lane.nudge({ job: 'ask' });
      await planExtract();
    } else {
      await runNamed(nudge);
    }
    failures.delete(nudge.job);
  };

  const runNamed = async (nudge: Nudge): Promise<void> => {
    if (nudge.job === 'ingest') urgent.clear();
    else await readUrgent();
    const job = jobs.find((each) => each.name === nudge.job)!;
    const result = await runJob(job.name === 'ingest' ? context : { ...context, breathe: readUrgent }, job, nudge);
    if (result.more === true) lane.nudge({ job: job.name });
    void result.later?.then(() => lane.nudge({ job: job.name }));
    if (job.name === 'extract' && result.more !== true) learntAt = clock.mono();
    if (job.name === 'ingest') await afterReading(nudge, result);
    if (job.name === 'extract' && extractAt === null) await planExtract();
    for (const woken of result.wakes ?? []) if (woken !== 'extract') lane.nudge({ job: woken });
    if (result.done > 0 && (job.name === 'ingest' || job.name === 'extract')) lane.nudge({ job: 'embed' });
    told(job.name, result);
  };

  const afterReading = async (nudge: Nudge, result: JobResult): Promise<void> => {
    const wasLeft = isHistoryLeft;
    // A look at single logs tells nothing about the others.
    if (nudge.paths === undefined || result.more === true) isHistoryLeft = result.more === true;
    const isSoon = isHistoryLeft && learntAt !== null && clock.mono() - learntAt < LEARN_EVERY_MS;
    if ((result.done > 0 || wasLeft) && !isSoon) await planExtract();
  };

  /** In the middle of another job: what fails here is tried again like any other job, and disturbs nothing. */
  const readUrgent = async (): Promise<void> => {
    if (urgent.size === 0 || context.signal.aborted) return;
    const nudge: Nudge = { job: 'ingest', paths: [...urgent] };
    await runNamed(nudge).catch((error: unknown) => failed(nudge, error));
  };

  const failed = (nudge: Nudge, error: unknown): void => {
    if (nudge.job === 'ingest') changed.forget();
    if (context.signal.aborted) return;
    const count = (failures.get(nudge.job) ?? 0) + 1;
    failures.set(nudge.job, count);
    const isBusy = faultKind(error) === 'busy';
    const delay = retryDelayMs(count, isBusy);
    retries.set(nudge.job, { at: now() + delay, nudge });
    const message = messageOf(error);
    log.warn({ job: nudge.job, attempt: count, retry_seconds: delay / 1000, error: message }, isBusy ? 'the store is held by another program; nothing is lost' : 'a job failed and is tried again');
    told(nudge.job, error instanceof Error ? error : new Error(message));
  };

  const lane = createLane(async (nudge) => {
    // A stop between two jobs leaves the rest for the next start.
    if (!context.signal.aborted) await runOne(nudge);
  }, failed);

  return {
    hint(path) {
      urgent.add(path);
      lane.nudge({ job: 'ingest', paths: [path] });
    },
    async look() {
      if (!config.enabled) return [];
      const found = await lookForLogs(context);
      const paths = changed.take(found.logs, now());
      if (paths.length > 0) lane.nudge({ job: 'ingest', paths });
      return found.places;
    },
    tick() {
      const time = now();
      if (readRequests(context.paths).length > 0) lane.nudge({ job: 'request' });
      for (const [name, { at, nudge }] of retries) {
        if (time < at) continue;
        retries.delete(name);
        lane.nudge(nudge);
      }
      if (extractAt !== null && time >= extractAt) {
        extractAt = null;
        lane.nudge({ job: 'extract' });
      }
      if (time >= nightAt) this.night();
    },
    night() {
      // Asked again in a minute when the store could not be read.
      nightAt = now() + 60_000;
      planNight().catch((error: unknown) => failed({ job: 'request' }, error));
    },
    idle: () => lane.idle(),
    async close() {
      // A thought may take seconds; what it was for stays pending.
      await stopThinking();
      await lane.close();
      await stopAsking(context);
      await stopReading(store);
    },
  };
};
