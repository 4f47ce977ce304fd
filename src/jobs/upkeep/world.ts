/** Reads the data for a status once: the home, the logs, the store. The rows check it. */
import { type AppError, messageOf } from '../../errors.js';
import { EXTRACTOR_VERSION } from '../../parse/session.js';
import * as store from '../../store/index.js';
import type { Checkpoint } from '../../types.js';
import { type Discovery, type FoundLog, isSameTime } from '../../watchers/index.js';
import type { JobContext } from '../job.js';
import { lookForLogs } from '../reading/look.js';

export type StatusSources = Pick<
  JobContext,
  'paths' | 'config' | 'clock' | 'store' | 'embedder' | 'env' | 'userHome' | 'progress'
> & { storeExists: boolean; configProblem: AppError | null };

export interface World extends StatusSources {
  now: Date;
  logs: Discovery;
  /** Null if there is no store, or it cannot be read. */
  stored: Awaited<ReturnType<typeof readStore>> | null;
  /** Why the store cannot be read. */
  fault: Error | null;
  /** New logs, and those that changed since they were read; null: unknown. */
  unread: FoundLog[] | null;
}

/** Limit on bad lines, and on paths that are not logs. */
export const SKIPPED_SHOWN = 20;
const FAILURES = 2;
export const DAY_MS = 86_400_000;
/** An extraction that gives way to other jobs may take this long. */
const EXTRACT_DAYS = 1 / 24;
/** In a healthy home, no session waits longer for lessons. */
export const UNLEARNT_DAYS = 3;
const RECEIPT_DAYS = 30;
const BEST_DAYS = 7;

/**
 * A store that is in use or damaged is only one more fact; the others come from files.
 * @throws AppError exit 13 for a store of a newer version
 */
export async function lookAtWorld(from: StatusSources): Promise<World> {
  const logs = await lookForLogs(from).catch((error: unknown): Discovery => ({
    logs: [],
    places: [],
    odd: [{ agent: '', path: from.userHome, reason: `not readable: ${messageOf(error)}` }],
  }));
  let fault: Error | null = null;
  const stored = !from.storeExists
    ? null
    : await readStore(from).catch((error: Error) => {
        if (store.faultKind(error) === 'newer') throw error;
        fault = error;
        return null;
      });
  const unread =
    fault !== null ? null : unreadOf(logs, stored?.checkpoints ?? [], stored?.purged ?? []);
  return { ...from, now: from.clock.now(), logs, stored, fault, unread };
}

function readStore({ store: memory, clock, embedder, config, paths }: StatusSources) {
  const now = clock.now();
  const ago = (days: number): string => new Date(now.getTime() - days * DAY_MS).toISOString();
  return memory.read(async (db) => {
    const model = await embedder.get();
    const days = await store.tierDays(db, now.toISOString().slice(0, 10));
    const { free } = await store.storePacking(db);
    return {
      ...(await store.storeCounts(db)),
      free,
      version: await store.metaValue(db, 'store_version'),
      sources: await store.sourceStats(db),
      bad: await store.loadBadLines(db, SKIPPED_SHOWN),
      checkpoints: await store.loadCheckpoints(db),
      /** Marks of logs that are no longer read. */
      purged: await store.loadPurged(db, 'log:'),
      sessions: await store.countPending(db, { idleBefore: null, extractor: EXTRACTOR_VERSION }),
      embeddings: model === null ? 0 : await store.countMissing(db, model.fingerprint),
      tiers: days.filter((day) => day.is_due).length,
      tierFiles: days.flatMap(({ path, sha256 }) => (path === null ? [] : [{ path, sha256 }])),
      leftOut: await store.notesLeftOut(db),
      review: store.waitingFor(paths.reviewed, await store.reviewableLessons(db)).length,
      wishes: store.offeredWishes(paths.reviewed, await store.storedWishes(db), now).length,
      guards: await store.offeredGuards(db, paths.reviewed, config.hooks.guard),
      receipts: await store.countReceipts(db, ago(RECEIPT_DAYS)),
      best: await store.bestReceipt(db, ago(BEST_DAYS)),
      jobs: await store.lastRuns(db),
      failing: await store.failingJobs(db, FAILURES),
      /** Sessions that were not extracted in time. */
      left: await store.leftSessions(db, ago(EXTRACT_DAYS)),
      waiting: await store.unlearntSince(db, ago(UNLEARNT_DAYS)),
      passed: await store.loadPassed(db),
      embedFault: await store.embedFault(db),
      llm:
        config.llm.provider === 'off'
          ? null
          : await (await import('../asking/llm-facts.js')).gatherLlm(db, { config, clock }),
    };
  });
}

/** The number of logs that are not read yet, for the message of a stopped run. */
export async function countUnread(
  from: Pick<JobContext, 'config' | 'env' | 'userHome' | 'store'>,
): Promise<number> {
  const found = await lookForLogs(from);
  return from.store.read(
    async (db) =>
      unreadOf(found, await store.loadCheckpoints(db), await store.loadPurged(db, 'log:')).length,
  );
}

function unreadOf(
  found: Discovery,
  checkpoints: readonly Pick<Checkpoint, 'path' | 'size' | 'mtime_ms'>[],
  marks: readonly string[],
): FoundLog[] {
  const known = new Map(checkpoints.map((checkpoint) => [checkpoint.path, checkpoint]));
  const purged = new Set(marks);
  return found.logs.filter(({ path, size, mtimeMs }) => {
    if (purged.size > 0 && purged.has(store.purgedLog(path))) return false;
    const read = known.get(path);
    return !read || read.size !== size || !isSameTime(read.mtime_ms, mtimeMs);
  });
}
