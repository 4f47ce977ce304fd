/**
 * How dripstone is: what was read, what is pending, what failed, what does not work. Facts only;
 * each interface prints them in its own way.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { messageOf } from '../../errors.js';
import { storeBytes } from '../../store/index.js';
import type { StatusFacts } from '../../types.js';
import { NIGHTLY } from '../nightly/night.js';
import { retentionOf } from '../reading/log-retention.js';
import { planDue } from '../schedule.js';
import { readDaemon } from './daemon-note.js';
import { homeFiles } from './home-files.js';
import { ROWS, type Found, type Row } from './status-rows.js';
import { lookAtWorld, SKIPPED_SHOWN, type StatusSources, type World } from './world.js';

/**
 * Counts of the database are null while it cannot be read.
 * @throws AppError exit 13 for a store of a newer version
 */
export async function gatherStatus(from: StatusSources): Promise<StatusFacts> {
  const world = await lookAtWorld(from);
  const { paths, storeExists, stored, fault, unread, logs, now, config } = world;
  const count = <Name extends keyof NonNullable<World['stored']>>(name: Name) =>
    stored?.[name] ?? (fault === null ? 0 : null);
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
      home_bytes: homeFiles(paths).reduce(
        (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
    },
    llm: stored?.llm ?? null,
    degraded: await findDegraded(world),
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

/** What is wrong, as `status` and the page print it. */
async function findDegraded(world: World): Promise<StatusFacts['degraded']> {
  const found: StatusFacts['degraded'] = [];
  for (const row of ROWS.filter(({ checkOnly }) => !checkOnly))
    for (const { ok = false, since = null, text, code, cure } of await findAll(row, world))
      if (!ok) found.push({ code, since, text, cure });
  return found;
}

/** A line of `status --check`. */
export interface Check {
  name: string;
  ok: boolean;
  text: string;
  cure: string | null;
  /** Further lines, such as paths. */
  details: string[];
}

/** Every row is tried, whatever another one finds or however it fails. */
export async function runChecks(from: StatusSources): Promise<Check[]> {
  const world = await lookAtWorld(from);
  const checks: Check[] = [];
  for (const row of ROWS) {
    const found = await findAll(row, world).catch((error: unknown) => [
      {
        code: row.code,
        text: `it could not be checked: ${messageOf(error)}`,
        cure: 'fix what the other checks name, then `dripstone status --check` again',
      },
    ]);
    for (const { code, ok = false, text, cure, details = [] } of found as Found[])
      checks.push({
        // What is fine is named by its thing: `config`, not `config refused`.
        name: (ok ? code!.split('_')[0]! : code!.replaceAll('_', ' ')).toLowerCase(),
        ...{ ok, text, details, cure: ok ? null : cure! },
      });
  }
  return checks;
}

async function findAll(
  { code, cure, find }: Row,
  world: World,
): Promise<(Found & { code: string; cure: string })[]> {
  return [await find(world)]
    .flat()
    .flatMap((found) =>
      found ? { code, cure, ...(typeof found === 'string' ? { text: found } : found) } : [],
    );
}
