/**
 * How dripstone is: what was read, what is pending, what failed, what does not work. Facts only;
 * each interface prints them in its own way.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { storeBytes } from '../../store/index.js';
import type { StatusFacts } from '../../types.js';
import { NIGHTLY } from '../nightly/night.js';
import { retentionOf } from '../reading/log-retention.js';
import { planDue } from '../schedule.js';
import { readDaemon } from './daemon-note.js';
import { homeFiles } from './home-files.js';
import { findDegraded } from './status-table.js';
import { lookAtWorld, type StatusSources, type World } from './world.js';

/** Bad lines, and paths that are no logs; `status --check` lists more. */
const SKIPPED_SHOWN = 5;

/**
 * Counts of the database are null while it cannot be read.
 * @throws AppError exit 13 for a store of a newer version
 */
export async function gatherStatus(from: StatusSources): Promise<StatusFacts> {
  const world = await lookAtWorld(from);
  const { paths, storeExists, stored, fault, unread, logs } = world;
  const count = <Name extends keyof NonNullable<World['stored']>>(name: Name) =>
    stored?.[name] ?? (fault === null ? 0 : null);
  return {
    daemon: readDaemon(paths),
    agents: agentsFound(world),
    sources: (stored?.sources ?? []).map((source) => ({
      agent: source.agent,
      files: source.files,
      entries: source.entries,
      bad_lines: source.badLines,
      unknown_types: source.unknownTypes,
      last_read: source.lastRead,
    })),
    skipped: [
      ...(stored?.bad ?? []).slice(0, SKIPPED_SHOWN),
      ...logs.odd
        .slice(0, SKIPPED_SHOWN)
        .map(({ path, reason }) => ({ path, line: null, offset: null, reason })),
    ],
    pending: {
      files: unread && unread.length,
      embeddings: count('embeddings'),
      sessions: count('sessions'),
      tiers: count('tiers'),
    },
    jobs: jobsOf(world),
    store: {
      bytes: storeExists ? await storeBytes(paths.store) : 0,
      entries: count('entries'),
      lessons: count('lessons'),
    },
    review: {
      waiting: count('review'),
      wishes: count('wishes'),
      guards: stored?.guards ?? (fault === null ? [] : null),
    },
    notes: { left_out: count('leftOut') },
    receipts: { month: count('receipts'), best: stored?.best ?? null },
    retention: {
      oldest_text: stored?.oldest ?? null,
      store_free_bytes: stored?.free ?? null,
      home_bytes: homeFiles(paths).reduce(
        (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
    },
    llm: stored?.llm ?? null,
    degraded: await findDegraded(world),
  };
}

function jobsOf({ now, config, stored }: World): StatusFacts['jobs'] {
  const night = planDue(now, config.schedule.nightly_at, new Set()).next.toISOString();
  return (stored?.runs ?? []).map(({ job, lastRun, lastOk }) => ({
    name: job,
    last_run: lastRun.started,
    last_ok: lastOk,
    next_run: (NIGHTLY as readonly string[]).includes(job) ? night : null,
    error: lastRun.error,
  }));
}

function agentsFound({ logs: { logs, places }, userHome, env }: World): StatusFacts['agents'] {
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
      deletes_after_days: retentionOf(agent, { userHome, env })?.days ?? null,
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
