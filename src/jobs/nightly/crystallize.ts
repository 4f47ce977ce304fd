/**
 * Writes live lessons to crystal.json, then moves old tiers to the archive and compacts the
 * database file.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { projectFolder } from '../../config.js';
import {
  loadProjects,
  storeBytes,
  trimRuns,
  loadTiers,
  saveTiers,
  type Tier,
} from '../../store/index.js';
import type { Job, JobContext, JobResult } from '../job.js';
import { stepOfAll, type ProjectGroup } from '../learning/passed-over.js';
import { compactLoose } from './retention.js';
import { writeCrystals } from '../publishing/write-crystal.js';
import { archivePath, recentPath } from './tier-file.js';

const DAY_MS = 86_400_000;
/** Tiers older than this move to `archive/`. */
const ARCHIVE_AFTER_DAYS = 7;
/** How many rows of job_runs are kept at any age, and how long all are kept. */
const RUNS_KEPT = 400;
const RUNS_KEPT_DAYS = 14;

export const crystallizeJob: Job = {
  name: 'crystallize',
  due: 'nightly',
  async run(context, { from }): Promise<JobResult> {
    const projects = await context.store.read((db) => loadProjects(db));
    let done = 0;
    const write = (group: ProjectGroup): Promise<boolean[]> => {
      context.progress({ job: 'crystallize', done, total: projects.length, unit: 'projects' });
      done += group.length;
      return writeCrystals(context, group);
    };
    const { results, next } = await stepOfAll(context, 'crystal', [null, ...projects], write, from);
    const crystals = results.filter((each) => each === true).length;
    if (context.signal.aborted) return { done: crystals, counts: { crystals } };
    if (next !== undefined) return { done: crystals, counts: { crystals }, more: true, next };
    const { moved: archived, isWhole } = await archiveTiers(context);
    if (!isWhole)
      return {
        done: crystals + archived,
        counts: { crystals, archived },
        more: true,
        next: { from: AFTER_ALL },
      };
    await forgetOldRuns(context);
    const compacted = await compactLoose(context);
    const bytes = await storeBytes(context.paths.store);
    return { done: crystals + archived, counts: { crystals, archived, compacted, bytes } };
  },
};

function forgetOldRuns({ store, clock }: JobContext): Promise<number> {
  return store.write((db) =>
    trimRuns(
      db,
      RUNS_KEPT,
      new Date(clock.now().getTime() - RUNS_KEPT_DAYS * DAY_MS).toISOString(),
    ),
  );
}

/** Old tiers that are not recorded in the archive yet, oldest first. Pure. */
function planArchive(tiers: readonly Tier[], now: Date, afterDays: number): Tier[] {
  const limit = new Date(now.getTime() - afterDays * DAY_MS).toISOString().slice(0, 10);
  return tiers
    .filter((tier) => tier.state === 'recent' && tier.day < limit)
    .sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** Behind every id of a project: its slices have written all crystals. */
const AFTER_ALL = '\uffff';

/**
 * A commit costs 20 ms, so many moves share one. The next night finishes a move that was not
 * recorded.
 */
const MOVES_TOGETHER = 50;

/**
 * Moves tiers that are older than a week to the archive, after the crystal has their knowledge;
 * finishes interrupted moves.
 * @returns how many tiers moved until the slice was over
 */
async function archiveTiers(context: JobContext): Promise<{ moved: number; isWhole: boolean }> {
  const { store, paths, clock } = context;
  const { tiers, projects } = await store.read(async (db) => ({
    tiers: await loadTiers(db),
    projects: await loadProjects(db),
  }));
  const folders = new Map(projects.map((project) => [project.id, projectFolder(paths, project)]));
  const plan = planArchive(tiers, clock.now(), ARCHIVE_AFTER_DAYS).filter((tier) =>
    folders.has(tier.project),
  );
  let moved = 0;
  for (let from = 0; from < plan.length && !context.signal.aborted; from += MOVES_TOGETHER) {
    if (context.isOver()) return { moved, isWhole: false };
    const group: Tier[] = [];
    for (const tier of plan.slice(from, from + MOVES_TOGETHER))
      group.push(await moveTier(context, tier, folders.get(tier.project)!));
    await store.write((db) => saveTiers(db, group));
    moved += group.filter((tier) => tier.state === 'archive').length;
  }
  return { moved, isWhole: true };
}

/** @returns the tier to record */
async function moveTier({ log }: JobContext, tier: Tier, folder: string): Promise<Tier> {
  const [from, to] = [
    existsSync(tier.path) ? tier.path : recentPath(folder, tier),
    archivePath(folder, tier),
  ];
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  if (existsSync(from)) await rename(from, to);
  if (existsSync(to)) return { ...tier, path: to, state: 'archive' };
  // In neither place: somebody removed it. Its row is deleted, so that the next rollup writes the
  // tier again from the database.
  log.warn({ file: tier.path }, 'a tier is gone; it is rewritten from the database');
  return { ...tier, lastN: 0 };
}
