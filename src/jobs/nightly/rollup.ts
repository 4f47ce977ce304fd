/**
 * Writes past UTC days as tier files. A tier is the result of a query: a late line makes its day
 * due again. If a tier file was changed, its rows first go to the database.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import { projectFolder } from '../../config.js';
import {
  bytesOfTerms,
  forgetTiers,
  hashOf,
  loadProjects,
  rowsOfTiers,
  saveTiers,
  tierDays,
  tierKeys,
  type TextKey,
  type Tier,
  type TierDay,
  type TierRow,
} from '../../store/index.js';
import { inGroups } from '../in-groups.js';
import type { Job, JobContext } from '../job.js';
import { recoverTiers } from '../upkeep/recover.js';
import { tierName, writeTier } from './tier-file.js';

export const rollupJob: Job = {
  name: 'rollup',
  due: 'nightly',
  async run(context, { from = '' }) {
    const plans = (await planTiers(context)).filter((plan) => orderOf(plan) >= from);
    const counts = { tiers: 0, entries: 0 };
    let [failed, done] = [0, 0];
    for (const group of inGroups(plans, sizeOf, { items: 100, ...MOST })) {
      if (context.signal.aborted) break;
      if (!(await context.turn())) {
        const next = { from: orderOf(group[0]!) };
        return { done: counts.tiers, failed, counts, more: true, next };
      }
      failed += await refreshTiers(context, group, counts);
      done += group.length;
      context.progress({ job: 'rollup', done, total: plans.length, unit: 'tiers' });
    }
    return { done: counts.tiers, failed, counts };
  },
};

type TierPlan = TierDay & Pick<Tier, 'project' | 'path' | 'state'>;

/** The order of tiers. An interrupted job continues after a tier that could not be written. */
function orderOf({ day, agent, session }: TierPlan): string {
  return [day, agent, session].join('\0');
}

/** The path of each day, in order: its present file, else a new one in `recent/`. */
async function planTiers({ store, clock, paths }: JobContext): Promise<TierPlan[]> {
  const projects = await store.read((db) => loadProjects(db));
  const folders = new Map(projects.map((each) => [each.id, projectFolder(paths, each)]));
  const days = await store.read((db) => tierDays(db, clock.now().toISOString().slice(0, 10)));
  return days.flatMap(({ project, path, state, ...day }) => {
    const folder = folders.get(project ?? '');
    // The day becomes part of a path, so only a date is accepted.
    return project === null || folder === undefined || !/^\d{4}-\d\d-\d\d$/.test(day.day)
      ? []
      : [
          {
            ...{ ...day, project, state: state ?? 'recent' },
            path: path ?? join(folder, 'recent', tierName(day)),
          },
        ];
  });
}

/** Most rows and bytes in memory; small tiers are read together. */
const MOST = { rows: 2000, bytes: 8 * 2 ** 20 };

function sizeOf({ entries, terms }: Pick<TierPlan, 'entries' | 'terms'>) {
  return { rows: entries, bytes: bytesOfTerms(terms) };
}

/** Tiers written at once, since packing and flushing run in other threads. */
const AT_ONCE = 4;

/**
 * Writes, checks and records the tiers that are due or changed; removes a tier without rows.
 * @returns how many failed
 */
async function refreshTiers(
  context: JobContext,
  group: readonly TierPlan[],
  counts: { tiers: number; entries: number },
): Promise<number> {
  const { store, clock, log, signal } = context;
  const stale: TierPlan[] = [];
  for (const plan of group) {
    const found = await findTier(context, plan);
    if (found === 'other' || (found === 'as written' && plan.is_due)) stale.push(plan);
  }
  if (stale.length === 0) return 0;
  const entries = await store.read((db) => tierKeys(db, stale), { isLong: true });
  const read = (some: readonly TextKey[]) =>
    store.read((db) => rowsOfTiers(db, some), { isLong: true });
  // Small tiers are read in one statement, a large one in slices.
  const together = stale.length === 1 ? null : await read(entries.flatMap(({ keys }) => keys));
  async function* rowsOf(all: readonly TextKey[]): AsyncGenerator<TierRow> {
    for (const slice of inGroups(
      all,
      ({ length }) => sizeOf({ entries: 1, terms: length }),
      MOST,
    )) {
      if (together === null) await context.turn();
      signal.throwIfAborted();
      const rows = together ?? (await read(slice));
      // Reading a log may have replaced a row meanwhile; then the tier is due again.
      yield* slice.flatMap(({ n }) => rows.get(n) ?? []);
    }
  }
  const written: Tier[] = [];
  const emptied: TierPlan[] = [];
  const writeOne = async (plan: TierPlan, index: number): Promise<void> => {
    try {
      const { keys, content } = entries[index]!;
      if (keys.length === 0) {
        await rm(plan.path, { force: true });
        emptied.push(plan);
        return;
      }
      const { rows, sha256 } = await writeTier(plan.path, rowsOf(keys));
      const time = clock.now().toISOString();
      written.push({ ...plan, entries: rows, content, sha256, written: time });
    } catch (error) {
      if (!signal.aborted)
        log.error({ tier: tierName(plan), error: messageOf(error) }, 'a tier could not be written');
    }
  };
  for (let at = 0; at < stale.length; at += AT_ONCE)
    await Promise.all(stale.slice(at, at + AT_ONCE).map((plan, i) => writeOne(plan, at + i)));
  await store.write(async (db) => {
    await saveTiers(db, written);
    await forgetTiers(db, emptied);
  });
  counts.tiers += written.length + emptied.length;
  counts.entries += written.reduce((sum, { entries }) => sum + entries, 0);
  return stale.length - written.length - emptied.length;
}

/**
 * Whether the file of a tier is unchanged. Rows of a changed file go to the database, because the
 * file may have the only copy of them.
 */
async function findTier(
  context: JobContext,
  plan: TierPlan,
): Promise<'as written' | 'other' | 'unreadable'> {
  const { path, sha256 } = plan;
  let found: string | null;
  try {
    found = await hashOf(path);
  } catch (error) {
    // The file itself may be good: the permission is missing or the disk fails.
    context.log.error({ file: path, error: messageOf(error) }, 'a tier cannot be read');
    return 'unreadable';
  }
  if (found === sha256) return 'as written';
  if (sha256)
    context.log.warn({ file: path }, 'a tier is not as it was written: it is written again');
  if (found !== null) await recoverTiers(context, [{ ...plan, project: null }]);
  return 'other';
}
