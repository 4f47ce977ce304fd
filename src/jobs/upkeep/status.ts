/**
 * Reports the state of dripstone: what was read, is pending, or failed. Each interface prints these
 * facts in its own way.
 */
import { chmodSync, constants, rmSync, statSync } from 'node:fs';
import type { HomePaths } from '../../config.js';
import { messageOf } from '../../errors.js';
import { storeBytes } from '../../store/index.js';
import type { StatusFacts } from '../../types.js';
import { NIGHTLY } from '../nightly/night.js';
import { retentionOf } from '../reading/log-retention.js';
import { planDue } from '../schedule.js';
import { readDaemon, readNote } from './daemon-note.js';
import { homeFiles } from './home-files.js';
import { allows, openPaths, ROWS, type Found, type Row } from './status-rows.js';
import { lookAtWorld, SKIPPED_SHOWN, type StatusSources, type World } from './world.js';

/**
 * Counts of the database are null if it cannot be read.
 * @throws AppError exit 13 for a store of a newer version
 */
export async function gatherStatus(from: StatusSources): Promise<StatusFacts> {
  const world = await lookAtWorld(from);
  const { paths, storeExists, stored, fault, unread, logs, now, config } = world;
  const count = <Name extends keyof NonNullable<World['stored']>>(name: Name) =>
    stored?.[name] ?? (fault === null ? 0 : null);
  const rows = ROWS.filter(({ checkOnly }) => !checkOnly);
  const wrong = (await judge(world, rows)).filter(({ ok }) => ok !== true);
  const night = planDue(now, config.schedule.nightly_at, new Set()).next.toISOString();
  return {
    daemon: readDaemon(paths),
    agents: agentsFound(world),
    sources: stored?.sources ?? [],
    skipped: [
      ...(stored?.bad ?? []),
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
    jobs: (stored?.jobs ?? []).map((job) => ({
      ...job,
      next_run: (NIGHTLY as readonly string[]).includes(job.name) ? night : null,
    })),
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
      home_bytes: (await homeFiles(paths)).reduce(
        (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
    },
    llm: stored?.llm ?? null,
    degraded: wrong.map(({ code, since = null, text, cure }) => ({ code, since, text, cure })),
  };
}

function agentsFound({ logs: { logs, places }, userHome, env }: World): StatusFacts['agents'] {
  return [...new Set(places.map(({ agent }) => agent))].map((agent) => {
    const own = logs.filter((log) => log.agent === agent);
    const newest = own.reduce((most, { mtimeMs }) => Math.max(most, mtimeMs), 0);
    return {
      agent,
      places: places
        .filter((place) => place.agent === agent)
        .map(({ path, exists }) => ({
          path,
          exists,
          readable: exists && allows(path, constants.R_OK | constants.X_OK),
        })),
      logs: own.length,
      newest: newest === 0 ? null : new Date(newest).toISOString(),
      deletes_after_days: retentionOf(agent, { userHome, env })?.days ?? null,
    };
  });
}

/** The findings of all rows; a row that fails does not stop the others. */
async function judge(
  world: World,
  rows: readonly Row[],
): Promise<(Found & { code: string; cure: string })[]> {
  const all = [];
  for (const { code, cure, find } of rows) {
    const found = await Promise.resolve(world)
      .then(find)
      .catch((error: unknown) => ({
        text: `it could not be checked: ${messageOf(error)}`,
        cure: 'fix what the other checks name, then `dripstone status --check` again',
      }));
    for (const each of [found].flat())
      if (each) all.push({ code, cure, ...(typeof each === 'string' ? { text: each } : each) });
  }
  return all;
}

/** A line of `status --check`. */
export interface Check {
  name: string;
  ok: boolean;
  text: string;
  cure: string | null;
  /** More lines, such as paths. */
  details: string[];
}

export async function runChecks(from: StatusSources): Promise<Check[]> {
  const found = await judge(await lookAtWorld(from), ROWS);
  return found.map(({ code, ok = false, text, cure, details = [] }) => ({
    // A passed check gets the name of its subject: `config`, not `config refused`.
    name: (ok ? code.split('_')[0]! : code.replaceAll('_', ' ')).toLowerCase(),
    ...{ ok, text, details, cure: ok ? null : cure },
  }));
}

/**
 * Does the repairs of `status --check --fix` that are safe while other processes use the home. The
 * next start does the others.
 * @returns one sentence for each repair
 */
export function cureHome(paths: HomePaths): string[] {
  const done = openPaths(paths.home).map((path) => {
    chmodSync(path, statSync(path).mode & 0o700);
    return `${path} is yours alone now`;
  });
  if (readNote(paths)?.isAlive !== false) return done;
  rmSync(paths.daemon, { force: true });
  return [...done, `removed ${paths.daemon}: the daemon that it named is gone`];
}
