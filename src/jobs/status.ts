/** How dripstone is: what was read, what is pending, what failed, what does not work. Facts only; every door prints them its own way. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EXTRACTOR_VERSION } from '../extract/index.js';
import { countMissing, countPending, dueTiers, isProcessAlive, lastRuns, loadCheckpoints, loadProjects, sourceStats, storeBytes, storeCounts, type SourceStats } from '../store/index.js';
import type { Checkpoint } from '../types.js';
import type { Discovery } from '../watchers/discover.js';
import { folderOf } from './crystal-file.js';
import type { JobContext } from './job.js';
import { lookForLogs } from './look.js';
import { NIGHTLY } from './night.js';
import { planDue } from './schedule.js';

export interface DaemonFacts {
  pid: number;
  version: string;
  started: string;
  heartbeat: string;
}

export interface Degraded {
  code: string;
  since: string | null;
  text: string;
}

/** Field names as in `status --json`. */
export interface StatusFacts {
  daemon: DaemonFacts | null;
  sources: { agent: string; files: number; entries: number; bad_lines: number; unknown_types: Record<string, number>; last_read: string | null }[];
  pending: { files: number; embeddings: number; sessions: number; tiers: number };
  jobs: { name: string; last_run: string | null; last_ok: string | null; next_run: string | null; error: string | null }[];
  store: { bytes: number; entries: number; lessons: number };
  degraded: Degraded[];
}

type From = Pick<JobContext, 'paths' | 'config' | 'clock' | 'store' | 'embedder' | 'env' | 'userHome'> & { storeExists: boolean };

export const gatherStatus = async (from: From): Promise<StatusFacts> => {
  const found = await lookForLogs(from);
  const stored = from.storeExists ? await readStore(from) : NOTHING;
  return {
    daemon: readDaemon(from),
    sources: stored.sources.map(({ agent, files, entries, badLines, unknownTypes, lastRead }) => ({
      agent, files, entries, bad_lines: badLines, unknown_types: unknownTypes, last_read: lastRead,
    })),
    pending: { files: unread(found, stored.checkpoints), embeddings: stored.embeddings, sessions: stored.sessions, tiers: stored.tiers },
    jobs: jobsOf(from, stored.runs),
    store: { bytes: from.storeExists ? await storeBytes(from.paths.store) : 0, entries: stored.entries, lessons: stored.lessons },
    degraded: [...degradedModel(from), ...degradedHome(from), ...degradedCrystals(from, stored.slugs)],
  };
};

interface Stored {
  sources: SourceStats[];
  checkpoints: Pick<Checkpoint, 'path' | 'size' | 'mtimeMs'>[];
  sessions: number;
  embeddings: number;
  tiers: number;
  entries: number;
  lessons: number;
  slugs: string[];
  runs: { job: string; lastRun: { started: string; error: string | null }; lastOk: string | null }[];
}

const NOTHING: Stored = { sources: [], checkpoints: [], sessions: 0, embeddings: 0, tiers: 0, entries: 0, lessons: 0, slugs: [], runs: [] };

const readStore = async ({ store, clock, embedder }: From): Promise<Stored> => {
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
      slugs: (await loadProjects(db)).map((project) => project.slug),
      runs: await lastRuns(db),
    };
  });
};

/** Logs that are new or changed since they were read. */
const unread = (found: Discovery, checkpoints: Stored['checkpoints']): number => {
  const known = new Map(checkpoints.map((checkpoint) => [checkpoint.path, checkpoint]));
  return found.logs.filter(({ path, size, mtimeMs }) => {
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

/** The daemon that daemon.json names, if that process is alive. */
export const readDaemon = ({ paths }: Pick<From, 'paths'>): DaemonFacts | null => {
  try {
    const { pid, version, started, heartbeat } = JSON.parse(readFileSync(paths.daemon, 'utf8')) as DaemonFacts;
    return typeof pid === 'number' && isProcessAlive(pid) ? { pid, version, started, heartbeat } : null;
  } catch {
    return null;
  }
};

const STALE_MS = 120_000;

/** Switched off by the person is no fault. */
const degradedModel = ({ config, embedder }: From): Degraded[] => {
  const problem = config.embed.enabled ? embedder.problem() : null;
  return problem === null ? [] : [{ code: 'NO_MODEL', since: null, text: `search works with words alone: ${problem}` }];
};

const degradedHome = (from: From): Degraded[] => {
  const { config, paths, clock } = from;
  const out: Degraded[] = [];
  if (!config.enabled) out.push({ code: 'SWITCHED_OFF', since: null, text: '`enabled: false` in config.yaml: nothing is read' });
  const daemon = readDaemon(from);
  if (daemon && clock.now().getTime() - Date.parse(daemon.heartbeat) > STALE_MS) {
    out.push({ code: 'DAEMON_SILENT', since: daemon.heartbeat, text: `process ${daemon.pid} gave no sign of life since ${daemon.heartbeat}` });
  }
  const names = existsSync(paths.home) ? readdirSync(paths.home) : [];
  for (const name of names.filter((each) => /^memory\.duckdb.*\.damaged-/.test(each))) {
    out.push({ code: 'STORE_SET_ASIDE', since: timeOf(join(paths.home, name)), text: `${name} was damaged and set aside; remove it when you no longer need it` });
  }
  return out;
};

const degradedCrystals = ({ paths }: From, slugs: readonly string[]): Degraded[] =>
  [null, ...slugs].flatMap((slug) => {
    const bad = join(folderOf(paths, slug === null ? null : { slug }), 'crystal.json.bad');
    return existsSync(bad) ? [{ code: 'CRYSTAL_UNREADABLE', since: timeOf(bad), text: `an edit could not be read and is kept in ${bad}; take its words over and remove it` }] : [];
  });

const timeOf = (path: string): string => statSync(path).mtime.toISOString();
