/**
 * How dripstone is: what was read, what is pending, what failed, what does not work. Facts only;
 * each interface prints them in its own way.
 */
import { EXTRACTOR_VERSION } from '../../parse/index.js';
import { accessSync, constants, statSync } from 'node:fs';
import type { Environment } from '../../config.js';
import type { AppError } from '../../errors.js';
import {
  type SourceStats,
  type Unlearnt,
  countMissing,
  countPending,
  countReceipts,
  dueTiers,
  faultKind,
  lastRuns,
  loadBadLines,
  loadCheckpoints,
  loadPurged,
  offeredWishes,
  purgedLog,
  reviewableLessons,
  sourceStats,
  storeBytes,
  storeCounts,
  storedWishes,
  unlearntSince,
  waitingFor,
} from '../../store/index.js';
import type { BadLine, Checkpoint, StatusFacts } from '../../types.js';
import { type Discovery, type FoundLog, isSameTime } from '../../watchers/index.js';
import { readDaemon, readDaemonNotes } from './daemon-note.js';
import { findDegraded } from './degraded.js';
import { CONFIG_HELD, type Degraded } from './degraded-fact.js';
import { healthOfStore } from './health.js';
import type { JobContext } from '../job.js';
import { type LlmFacts, gatherLlm } from '../asking/llm-facts.js';
import { notesLeftOut } from '../learning/learn.js';
import { retentionOf } from '../reading/log-retention.js';
import { lookForLogs } from '../reading/look.js';
import { NIGHTLY } from '../nightly/night.js';
import { UNLEARNT_DAYS, findOverdue } from './overdue.js';
import { gatherRetention } from '../nightly/retention.js';
import { planDue } from '../schedule.js';

/** Bad lines, and paths that are no logs; `status --check` lists more. */
const SKIPPED_SHOWN = 5;

type StatusSources = Pick<
  JobContext,
  'paths' | 'config' | 'clock' | 'store' | 'embedder' | 'env' | 'userHome'
> & { storeExists: boolean; configProblem: AppError | null };

/**
 * A store that another program holds, or that is damaged, is a fact among others: the rest comes
 * from the files.
 * @throws AppError exit 13 for a store of a newer version
 */
export async function gatherStatus(from: StatusSources): Promise<StatusFacts> {
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
  const notRead = stored.checkpoints && unread(found, stored.checkpoints, stored.purged);
  return {
    daemon: readDaemon(from.paths),
    agents: agentsFound(found, from),
    sources: stored.sources.map(({ agent, files, entries, badLines, unknownTypes, lastRead }) => ({
      agent,
      files,
      entries,
      bad_lines: badLines,
      unknown_types: unknownTypes,
      last_read: lastRead,
    })),
    skipped: [
      ...stored.bad,
      ...found.odd
        .slice(0, SKIPPED_SHOWN)
        .map(({ path, reason }) => ({ path, line: null, offset: null, reason })),
    ],
    pending: {
      files: notRead && notRead.length,
      embeddings: stored.embeddings,
      sessions: stored.sessions,
      tiers: stored.tiers,
    },
    jobs: jobsOf(from, stored.runs),
    store: {
      bytes: from.storeExists ? await storeBytes(from.paths.store) : 0,
      entries: stored.entries,
      lessons: stored.lessons,
    },
    review: { waiting: stored.review, wishes: stored.wishes },
    notes: { left_out: stored.leftOut },
    receipts: { month: stored.receipts },
    retention,
    llm: stored.llm,
    degraded: [
      ...ofConfig(from),
      ...(await findDegraded(from, fault)),
      ...stored.health,
      ...readDaemonNotes(from.paths).filter(
        ({ code }) => code !== 'CONFIG_REFUSED' || from.configProblem === null,
      ),
      ...(from.storeExists && notRead ? overdueOf(from, found, notRead, stored) : []),
    ],
  };
}

/** The daemon tells the same, and only when one runs. */
function ofConfig({ configProblem: problem, paths }: StatusSources): Degraded[] {
  const since = statSync(paths.config, { throwIfNoEntry: false })?.mtime.toISOString() ?? null;
  return problem === null
    ? []
    : [{ code: 'CONFIG_REFUSED', since, text: `${problem.message}; ${CONFIG_HELD}` }];
}

interface Stored {
  sources: SourceStats[];
  bad: BadLine[];
  checkpoints: Pick<Checkpoint, 'path' | 'size' | 'mtimeMs'>[] | null;
  /** Marks of logs that are not read any more. */
  purged: ReadonlySet<string>;
  sessions: number | null;
  embeddings: number | null;
  tiers: number | null;
  entries: number | null;
  lessons: number | null;
  leftOut: number | null;
  review: number | null;
  wishes: number | null;
  receipts: number | null;
  unlearnt: Unlearnt;
  /** Log -> slug of its project. */
  runs: {
    job: string;
    lastRun: { started: string; error: string | null };
    lastOk: string | null;
  }[];
  llm: LlmFacts | null;
  health: Degraded[];
}

const NEVER = {
  bad: [],
  health: [],
  purged: new Set<string>(),
  unlearnt: { sessions: 0, last: null },
  runs: [],
  llm: null,
};
const NOTHING: Stored = {
  sources: [],
  checkpoints: [],
  sessions: 0,
  embeddings: 0,
  tiers: 0,
  entries: 0,
  lessons: 0,
  leftOut: 0,
  review: 0,
  wishes: 0,
  receipts: 0,
  ...NEVER,
};
const UNKNOWN: Stored = {
  sources: [],
  checkpoints: null,
  sessions: null,
  embeddings: null,
  tiers: null,
  entries: null,
  lessons: null,
  leftOut: null,
  review: null,
  wishes: null,
  receipts: null,
  ...NEVER,
};

async function readStore({
  store,
  clock,
  embedder,
  config,
  paths,
}: StatusSources): Promise<Stored> {
  const model = await embedder.get();
  const daysAgo = (days: number): string =>
    new Date(clock.now().getTime() - days * 86_400_000).toISOString();
  return store.read(async (db) => {
    const counts = await storeCounts(db);
    return {
      sources: await sourceStats(db),
      bad: await loadBadLines(db, SKIPPED_SHOWN),
      checkpoints: await loadCheckpoints(db),
      sessions: await countPending(db, { idleBefore: null, extractor: EXTRACTOR_VERSION }),
      embeddings: model === null ? 0 : await countMissing(db, model.fingerprint),
      tiers: (await dueTiers(db, clock.now().toISOString().slice(0, 10))).length,
      entries: counts.entries,
      lessons: counts.lessons,
      leftOut: await notesLeftOut(db),
      review: waitingFor(paths.reviewed, await reviewableLessons(db)).length,
      wishes: offeredWishes(paths.reviewed, await storedWishes(db), clock.now()).length,
      receipts: await countReceipts(db, daysAgo(30)),
      purged: new Set(await loadPurged(db, 'log:')),
      unlearnt: await unlearntSince(db, daysAgo(UNLEARNT_DAYS)),
      runs: await lastRuns(db),
      llm: await gatherLlm(db, { config, clock }),
      health: await healthOfStore(db, { clock, config }),
    };
  });
}

/** How many logs wait to be read; a run that was stopped tells it. */
export async function countUnread(
  from: Pick<JobContext, 'config' | 'env' | 'userHome' | 'store'>,
): Promise<number> {
  const found = await lookForLogs(from);
  return from.store.read(
    async (db) =>
      unread(found, await loadCheckpoints(db), new Set(await loadPurged(db, 'log:'))).length,
  );
}

/** Logs that are new or changed since they were read. */
function unread(
  found: Discovery,
  checkpoints: NonNullable<Stored['checkpoints']>,
  purged: ReadonlySet<string>,
): FoundLog[] {
  const known = new Map(checkpoints.map((checkpoint) => [checkpoint.path, checkpoint]));
  return found.logs.filter(({ path, size, mtimeMs }) => {
    if (purged.size > 0 && purged.has(purgedLog(path))) return false;
    const read = known.get(path);
    return !read || read.size !== size || !isSameTime(read.mtimeMs, mtimeMs);
  });
}

/** Some logs have no checkpoint. */
function overdueOf(
  { clock, userHome, env, config }: StatusSources,
  { logs }: Discovery,
  notRead: readonly FoundLog[],
  { runs, unlearnt }: Stored,
): Degraded[] {
  const lastOk = (job: string): number =>
    Date.parse(runs.find((run) => run.job === job)?.lastOk ?? '') || 0;
  return !config.enabled
    ? []
    : findOverdue({
        now: clock.now(),
        logs,
        unlearnt,
        unread: notRead.filter(({ mtimeMs }) => mtimeMs > lastOk('ingest')),
        retention: [...new Set(logs.map(({ agent }) => agent))].flatMap(
          (agent) => retentionOf(agent, { userHome, env }) ?? [],
        ),
      });
}

function jobsOf({ clock, config }: StatusSources, runs: Stored['runs']): StatusFacts['jobs'] {
  const night = planDue(clock.now(), config.schedule.nightly_at, new Set()).next.toISOString();
  return runs.map(({ job, lastRun, lastOk }) => ({
    name: job,
    last_run: lastRun.started,
    last_ok: lastOk,
    next_run: (NIGHTLY as readonly string[]).includes(job) ? night : null,
    error: lastRun.error,
  }));
}

/** Field names as in `status --json`. */
function agentsFound(
  { logs, places }: Discovery,
  where: { userHome: string; env: Environment },
): StatusFacts['agents'] {
  return [...new Set(places.map(({ agent }) => agent))].map((agent) => {
    const own = logs.filter((log) => log.agent === agent);
    const newest = own.reduce((most, { mtimeMs }) => Math.max(most, mtimeMs), 0);
    return {
      agent,
      places: places
        .filter((place) => place.agent === agent)
        .map(({ path, exists }) => ({ path, exists, readable: exists && canRead(path) })),
      logs: own.length,
      newest: newest === 0 ? null : new Date(newest).toISOString(),
      deletes_after_days: retentionOf(agent, where)?.days ?? null,
    };
  });
}

function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
