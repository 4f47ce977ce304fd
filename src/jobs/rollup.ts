/** Closed UTC days become tier files: written, read back and counted before they are recorded. A late line rewrites its day. */
import { readFile, rename } from 'node:fs/promises';
import { messageOf } from '../errors.js';
import type { HomePaths } from '../config.js';
import { EXTRACTOR_VERSION } from '../extract/index.js';
import { badName, dueTiers, loadProjects, loadTiers, pendingSessions, publishFile, saveTiers, tierRows, type DueTier, type Tier } from '../store/index.js';
import type { Project } from '../types.js';
import { folderOf } from './crystal-file.js';
import type { Job, JobContext } from './job.js';
import { settleProjects } from './settle-projects.js';
import { checkTiers } from './tier-check.js';
import { mergeTier, packTier, readTier, recentPath, sha256, tierName, unpackTier, type TierRow } from './tier-file.js';

export const rollupJob: Job = {
  name: 'rollup',
  async run(context) {
    const today = context.clock.now().toISOString().slice(0, 10);
    const read = () => context.store.read(async (db) => ({ due: await dueTiers(db, today), tiers: await loadTiers(db), projects: await loadProjects(db) }));
    let { due, tiers, projects } = await read();
    if ((await checkTiers(context, due)) > 0) ({ due, tiers, projects } = await read());
    if (due.some((each) => each.project === null)) {
      await settleProjects(context, await context.store.read((db) => pendingSessions(db, { idleBefore: null, extractor: EXTRACTOR_VERSION })));
      ({ due, tiers, projects } = await read());
    }
    const plans = planTiers(context.paths, due, tiers, projects);
    let done = 0;
    let entries = 0;
    let failed = 0;
    for (const group of groupTiers(plans)) {
      if (context.signal.aborted) break;
      await context.breathe?.();
      const written = await writeTiers(context, group);
      done += written.length;
      failed += group.length - written.length;
      entries += written.reduce((sum, tier) => sum + tier.entries, 0);
      context.progress({ job: 'rollup', done: done + failed, total: plans.length, unit: 'tiers' });
    }
    return { done, failed, counts: { tiers: done, entries } };
  },
};

interface TierPlan {
  due: DueTier;
  project: string;
  path: string;
  state: Tier['state'];
}

/** Where each due day goes: to the file that it has, else to `recent/`. */
const planTiers = (paths: HomePaths, due: readonly DueTier[], tiers: readonly Tier[], projects: readonly Project[]): TierPlan[] => {
  const known = new Map(tiers.map((tier) => [tierName(tier), tier]));
  const folders = new Map(projects.map((project) => [project.id, folderOf(paths, project)]));
  return due.flatMap((each) => {
    const folder = folders.get(each.project ?? '');
    // A day that is none would be a strange path.
    if (each.project === null || folder === undefined || !/^\d{4}-\d\d-\d\d$/.test(each.day)) return [];
    const tier = known.get(tierName(each));
    return [{ due: each, project: each.project, path: tier?.path ?? recentPath(folder, each), state: tier?.state ?? 'recent' }];
  });
};

/** Finding the rows of one tier takes a look at all entries, and a commit 20 ms: many small tiers share both. */
const TIERS_TOGETHER = 50;
const ENTRIES_TOGETHER = 2000;

const groupTiers = (plans: readonly TierPlan[]): TierPlan[][] => {
  const groups: TierPlan[][] = [];
  let entries = Number.POSITIVE_INFINITY;
  for (const plan of plans) {
    const isFull = entries + plan.due.entries > ENTRIES_TOGETHER || groups.at(-1)!.length === TIERS_TOGETHER;
    if (isFull) groups.push([]);
    groups.at(-1)!.push(plan);
    entries = (isFull ? 0 : entries) + plan.due.entries;
  }
  return groups;
};

/** @returns those that were written, read back and recorded; one that cannot be written keeps no other from it */
const writeTiers = async ({ store, clock, log }: JobContext, group: readonly TierPlan[]): Promise<Tier[]> => {
  const found = await store.read((db) => tierRows(db, group.map(({ due }) => due)));
  const written: Tier[] = [];
  for (const [index, { due, ...place }] of group.entries()) {
    try {
      const { rows, bytes } = await writeTier(log, place.path, found[index]!.rows as TierRow[]);
      const { agent, session, day, lastN } = due;
      written.push({ ...place, agent, session, day, lastN, entries: rows, sha256: sha256(bytes), written: clock.now().toISOString() });
    } catch (error) {
      log.error({ tier: tierName(due), error: messageOf(error) }, 'a tier could not be written');
    }
  }
  if (written.length > 0) await store.write((db) => saveTiers(db, written));
  return written;
};

const writeTier = async (log: JobContext['log'], path: string, fresh: readonly TierRow[]): Promise<{ rows: number; bytes: Buffer }> => {
  const old = readTier(path);
  if (old?.damaged) {
    const bad = badName(path);
    await rename(path, bad);
    log.warn({ file: bad }, 'a tier could not be read in full; it is kept and written anew');
  }
  const rows = mergeTier(fresh, old?.rows ?? []);
  const bytes = packTier(rows);
  await publishFile(path, bytes);
  const back = unpackTier(await readFile(path));
  if (back.damaged || back.rows.length !== rows.length) throw new Error(`${path} holds ${back.rows.length} of ${rows.length} entries after writing`);
  return { rows: rows.length, bytes };
};
