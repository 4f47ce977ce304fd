/** What is looked at for a status: the home, the logs, the store. Read once, judged by the table. */
import { EXTRACTOR_VERSION } from '../../parse/index.js';
import { type AppError, messageOf } from '../../errors.js';
import {
  bestReceipt,
  countMissing,
  countPending,
  countReceipts,
  embedFault,
  failingJobs,
  faultKind,
  lastRuns,
  leftSessions,
  loadBadLines,
  loadCheckpoints,
  loadPassed,
  loadPurged,
  metaValue,
  notesLeftOut,
  offeredGuards,
  offeredWishes,
  oldestText,
  purgedLog,
  reviewableLessons,
  sourceStats,
  storeCounts,
  storeFilling,
  storedWishes,
  tierDays,
  tiersRemade,
  unknownRecords,
  unlearntSince,
  waitingFor,
} from '../../store/index.js';
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
  /** Null: there is no store, or it cannot be read. */
  stored: Awaited<ReturnType<typeof readStore>> | null;
  /** Why it cannot be read. */
  fault: Error | null;
  /** Logs that are new or changed since they were read; null: unknown. */
  unread: FoundLog[] | null;
}

const BAD_LINES = 20;
const FAILURES = 2;
/** An extraction that gives way to other jobs may take a while to come to the last session. */
const EXTRACT_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Sessions wait for lessons no longer than this in a healthy home. */
export const UNLEARNT_DAYS = 3;
const RECEIPT_DAYS = 30;
const BEST_DAYS = 7;
/** Tiers that were written again are reported for so long: the person can find the cause. */
const REMADE_DAYS = 7;

/**
 * A store that another program holds, or that is damaged, is a fact among others: the rest comes
 * from the files.
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
        if (faultKind(error) === 'newer') throw error;
        fault = error;
        return null;
      });
  const unread =
    fault !== null ? null : unreadOf(logs, stored?.checkpoints ?? [], stored?.purged ?? new Set());
  return { ...from, now: from.clock.now(), logs, stored, fault, unread };
}

function readStore({ store, clock, embedder, config, paths }: StatusSources) {
  const now = clock.now();
  const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();
  return store.read(async (db) => {
    const model = await embedder.get();
    const { entries, lessons } = await storeCounts(db);
    const days = await tierDays(db, now.toISOString().slice(0, 10));
    return {
      version: await metaValue(db, 'store_version'),
      ...{ entries, lessons },
      sources: await sourceStats(db),
      bad: await loadBadLines(db, BAD_LINES),
      unknown: await unknownRecords(db),
      checkpoints: await loadCheckpoints(db),
      /** Marks of logs that are not read any more. */
      purged: new Set(await loadPurged(db, 'log:')),
      sessions: await countPending(db, { idleBefore: null, extractor: EXTRACTOR_VERSION }),
      embeddings: model === null ? 0 : await countMissing(db, model.fingerprint),
      tiers: days.filter(({ isDue }) => isDue).length,
      tierFiles: days.flatMap(({ path, sha256 }) => (path === null ? [] : [{ path, sha256 }])),
      leftOut: await notesLeftOut(db),
      review: waitingFor(paths.reviewed, await reviewableLessons(db)).length,
      wishes: offeredWishes(paths.reviewed, await storedWishes(db), now).length,
      guards: await offeredGuards(db, paths.reviewed, config.hooks.guard),
      receipts: await countReceipts(db, ago(RECEIPT_DAYS * DAY_MS)),
      best: await bestReceipt(db, ago(BEST_DAYS * DAY_MS)),
      runs: await lastRuns(db),
      failing: await failingJobs(db, FAILURES),
      /** Sessions that extractions skipped. */
      left: await leftSessions(db, ago(EXTRACT_MS)),
      waiting: await unlearntSince(db, ago(UNLEARNT_DAYS * DAY_MS)),
      passed: await loadPassed(db),
      oldest: await oldestText(db),
      free: (await storeFilling(db)).free,
      remade: await tiersRemade(db, ago(REMADE_DAYS * DAY_MS)),
      embedFault: await embedFault(db),
      llm:
        config.llm.provider === 'off'
          ? null
          : await (await import('../asking/llm-facts.js')).gatherLlm(db, { config, clock }),
    };
  });
}

/** How many logs wait to be read; a run that was stopped says it. */
export async function countUnread(
  from: Pick<JobContext, 'config' | 'env' | 'userHome' | 'store'>,
): Promise<number> {
  const found = await lookForLogs(from);
  return from.store.read(
    async (db) =>
      unreadOf(found, await loadCheckpoints(db), new Set(await loadPurged(db, 'log:'))).length,
  );
}

function unreadOf(
  found: Discovery,
  checkpoints: readonly Pick<Checkpoint, 'path' | 'size' | 'mtimeMs'>[],
  purged: ReadonlySet<string>,
): FoundLog[] {
  const known = new Map(checkpoints.map((checkpoint) => [checkpoint.path, checkpoint]));
  return found.logs.filter(({ path, size, mtimeMs }) => {
    if (purged.size > 0 && purged.has(purgedLog(path))) return false;
    const read = known.get(path);
    return !read || read.size !== size || !isSameTime(read.mtimeMs, mtimeMs);
  });
}
