/** How dripstone is: what was read, what is pending, what failed, what does not work. Facts only; every door prints them its own way. */
import { EXTRACTOR_VERSION } from '../extract/index.js';
import { countMissing, countPending, dueTiers, faultKind, lastRuns, loadCheckpoints, loadPurged, purgedLog, sourceStats, storeBytes, storeCounts, type SourceStats } from '../store/index.js';
import type { Checkpoint } from '../types.js';
import type { Discovery } from '../watchers/discover.js';
import { findDegraded, readDaemon, type DaemonFacts, type Degraded } from './degraded.js';
import { gatherLlm, type LlmFacts } from './llm-facts.js';
import type { JobContext } from './job.js';
import { lookForLogs } from './look.js';
import { NIGHTLY } from './night.js';
import { gatherRetention, overBudget, type RetentionFacts } from './retention.js';
import { planDue } from './schedule.js';

/** Field names as in `status --json`. Counts that stand in a store which cannot be read are null. */
export interface StatusFacts {
  daemon: DaemonFacts | null;
  sources: { agent: string; files: number; entries: number; bad_lines: number; unknown_types: Record<string, number>; last_read: string | null }[];
  pending: { files: number | null; embeddings: number | null; sessions: number | null; tiers: number | null };
  jobs: { name: string; last_run: string | null; last_ok: string | null; next_run: string | null; error: string | null }[];
  store: { bytes: number; entries: number | null; lessons: number | null };
  retention: RetentionFacts;
  /** What a model was asked and what it cost; null when none is used. */
  llm: LlmFacts | null;
  degraded: Degraded[];
}

type From = Pick<JobContext, 'paths' | 'config' | 'clock' | 'store' | 'embedder' | 'env' | 'userHome'> & { storeExists: boolean };

/**
 * A store that another program holds, or that is damaged, is a fact among others: the rest is told from the files.
 * @throws AppError exit 13 for a store of a newer version
 */
export const gatherStatus = async (from: From): Promise<StatusFacts> => {
  const found = await lookForLogs(from);
  let fault: Error | null = null;
  const stored = !from.storeExists
    ? NOTHING
    : await readStore(from).catch((error: Error) => {
        if (faultKind(error) === 'newer') throw error;
        fault = error;
        return UNKNOWN;
      });
  const retention = await gatherRetention(from, from.storeExists && fault === null);
  const full = overBudget(retention);
  return {
    daemon: readDaemon(from),
    sources: stored.sources.map(({ agent, files, entries, badLines, unknownTypes, lastRead }) => ({
      agent, files, entries, bad_lines: badLines, unknown_types: unknownTypes, last_read: lastRead,
    })),
    pending: { files: stored.checkpoints && unread(found, stored.checkpoints, stored.purged), embeddings: stored.embeddings, sessions: stored.sessions, tiers: stored.tiers },
    jobs: jobsOf(from, stored.runs),
    store: { bytes: from.storeExists ? await storeBytes(from.paths.store) : 0, entries: stored.entries, lessons: stored.lessons },
    retention,
    llm: stored.llm,
    degraded: [...(await findDegraded(from, fault)), ...(full === null ? [] : [{ code: 'DISK_BUDGET', since: null, text: full }])],
  };
};

interface Stored {
  sources: SourceStats[];
  checkpoints: Pick<Checkpoint, 'path' | 'size' | 'mtimeMs'>[] | null;
  /** Marks of logs that are not read any more. */
  purged: ReadonlySet<string>;
  sessions: number | null;
  embeddings: number | null;
  tiers: number | null;
  entries: number | null;
  lessons: number | null;
  runs: { job: string; lastRun: { started: string; error: string | null }; lastOk: string | null }[];
  llm: LlmFacts | null;
}

const NOTHING: Stored = { sources: [], checkpoints: [], purged: new Set(), sessions: 0, embeddings: 0, tiers: 0, entries: 0, lessons: 0, runs: [], llm: null };
const UNKNOWN: Stored = { sources: [], checkpoints: null, purged: new Set(), sessions: null, embeddings: null, tiers: null, entries: null, lessons: null, runs: [], llm: null };

const readStore = async ({ store, clock, embedder, config }: From): Promise<Stored> => {
  const model = await embedder.get();
  return store.read(async (db) => {
    const counts = await storeCounts(db);
    return {
      sources: await sourceStats(db),
      checkpoints: await loadCheckpoints(db),
      sessions: await countPending(db, { idleBefore: null, extractor: EXTRACTOR_VERSION }),
      embeddings: model === null ? 0 : await countMissing(db, model.fingerprint),
      tiers: (await dueTiers(db, clock.now().toISOString().slice(0, 10))).length,
      entries: counts.entries,
      lessons: counts.lessons,
      purged: new Set(await loadPurged(db, 'log:')),
      runs: await lastRuns(db),
      llm: await gatherLlm(db, { config, clock }),
    };
  });
};

/** Logs that are new or changed since they were read. */
const unread = (found: Discovery, checkpoints: NonNullable<Stored['checkpoints']>, purged: ReadonlySet<string>): number => {
  const known = new Map(checkpoints.map((checkpoint) => [checkpoint.path, checkpoint]));
  return found.logs.filter(({ path, size, mtimeMs }) => {
    if (purged.size > 0 && purged.has(purgedLog(path))) return false;
    const read = known.get(path);
    return !read || read.size !== size || read.mtimeMs !== mtimeMs;
  }).length;
};

const jobsOf = ({ clock, config }: From, runs: Stored['runs']): StatusFacts['jobs'] => {
  const night = planDue(clock.now(), config.schedule.nightly_at, new Set()).next.toISOString();
  return runs.map(({ job, lastRun, lastOk }) => ({
    name: job,
    last_run: lastRun.started,
    last_ok: lastOk,
    next_run: (NIGHTLY as readonly string[]).includes(job) ? night : null,
    error: lastRun.error,
  }));
};
