/** Tiers older than a week move to the archive, after the crystal has their knowledge; a move that was cut short is finished. */
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadProjects, loadTiers, saveTiers, type Tier } from '../../store/index.js';
import { folderOf } from '../publishing/crystal-file.js';
import type { JobContext } from '../job.js';
import { archivePath, recentPath } from './tier-file.js';

const DAY_MS = 86_400_000;

/** Tiers that belong to the archive now and are not recorded there, oldest first. Pure. */
function planArchive(tiers: readonly Tier[], now: Date, afterDays: number): Tier[] {
  const limit = new Date(now.getTime() - afterDays * DAY_MS).toISOString().slice(0, 10);
  return tiers.filter((tier) => tier.state === 'recent' && tier.day < limit).sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** A commit costs 20 ms: many moves share one. A move that was not recorded is finished by the next night. */
const MOVES_TOGETHER = 50;

/** @returns how many tiers were moved */
export async function archiveTiers(context: JobContext): Promise<number> {
  const { store, paths, clock, config } = context;
  const { tiers, projects } = await store.read(async (db) => ({ tiers: await loadTiers(db), projects: await loadProjects(db) }));
  const folders = new Map(projects.map((project) => [project.id, folderOf(paths, project)]));
  const plan = planArchive(tiers, clock.now(), config.schedule.archive_after_days).filter((tier) => folders.has(tier.project));
  let moved = 0;
  for (let from = 0; from < plan.length && !context.signal.aborted; from += MOVES_TOGETHER) {
    await context.yieldToIngest?.();
    const group: Tier[] = [];
    for (const tier of plan.slice(from, from + MOVES_TOGETHER))
      group.push(await moveTier(context, tier, folders.get(tier.project)!));
    await store.write((db) => saveTiers(db, group));
    moved += group.filter((tier) => tier.state === 'archive').length;
  }
  return moved;
}

/** @returns the tier as it is to be recorded */
async function moveTier({ log }: JobContext, tier: Tier, folder: string): Promise<Tier> {
  const [from, to] = [existsSync(tier.path) ? tier.path : recentPath(folder, tier), archivePath(folder, tier)];
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  if (existsSync(from)) await rename(from, to);
  if (existsSync(to)) return { ...tier, path: to, state: 'archive' };
  // In neither place: somebody removed it. Its row is dropped, so that the next rollup writes it again from what the database
  // has.
  log.warn({ file: tier.path }, 'a tier is gone; it is written anew from the database');
  return { ...tier, lastN: 0 };
}
