/** Tiers older than a week move to the archive, after the crystal has their knowledge; a move that was cut short is finished. */
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadProjects, loadTiers, saveTier, type Tier } from '../store/index.js';
import { folderOf } from './crystal-file.js';
import type { JobContext } from './job.js';
import { archivePath, recentPath } from './tier-file.js';

const DAY_MS = 86_400_000;

/** Tiers that belong to the archive now and are not recorded there, oldest first. Pure. */
export const planArchive = (tiers: readonly Tier[], now: Date, afterDays: number): Tier[] => {
  const limit = new Date(now.getTime() - afterDays * DAY_MS).toISOString().slice(0, 10);
  return tiers.filter((tier) => tier.state === 'recent' && tier.day < limit).sort((a, b) => (a.day < b.day ? -1 : 1));
};

/** @returns how many tiers were moved */
export const archiveTiers = async (context: JobContext): Promise<number> => {
  const { store, paths, clock, config } = context;
  const { tiers, projects } = await store.read(async (db) => ({ tiers: await loadTiers(db), projects: await loadProjects(db) }));
  let moved = 0;
  for (const tier of planArchive(tiers, clock.now(), config.schedule.archive_after_days)) {
    const project = projects.find((each) => each.id === tier.project);
    if (!project || context.signal.aborted) continue;
    const folder = folderOf(paths, project);
    const [from, to] = [existsSync(tier.path) ? tier.path : recentPath(folder, tier), archivePath(folder, tier)];
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    if (existsSync(from)) await rename(from, to);
    // Neither here nor there: somebody removed it. The row would promise a file; the next rollup writes it again from what the database has.
    if (!existsSync(to)) {
      context.log.warn({ file: tier.path }, 'a tier is gone; it is written anew from the database');
      await store.write((db) => saveTier(db, { ...tier, lastN: 0 }));
      continue;
    }
    await store.write((db) => saveTier(db, { ...tier, path: to, state: 'archive' }));
    moved++;
  }
  return moved;
};
