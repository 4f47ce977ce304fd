/** Folds live lessons into crystal.json, then lets old tiers move to the archive, and the file shrink. */
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadProjects, storeBytes, trimRuns, loadTiers, saveTiers, type Tier } from '../../store/index.js';
import type { Job, JobContext, JobResult } from '../job.js';
import { stepOfAll } from '../learning/passed-over.js';
import { compactLoose } from './retention.js';
import { writeCrystal } from '../publishing/write-crystal.js';
import { folderOf } from '../publishing/crystal-file.js';
import { archivePath, recentPath } from './tier-file.js';

const DAY_MS = 86_400_000;
/** Rows of job_runs that are kept whatever their age, and for how long all are kept. */
const RUNS_KEPT = 400;
const RUNS_KEPT_DAYS = 14;

export const crystallizeJob: Job = {
  name: 'crystallize',
  after: { decay: 'done' },
  due: 'nightly',
  async run(context): Promise<JobResult> {
    const projects = await context.store.read((db) => loadProjects(db));
    const written = await stepOfAll(context, 'crystal', [null, ...projects], (project, index) => {
      context.progress({ job: 'crystallize', done: index, total: projects.length, unit: 'projects' });
      return writeCrystal(context, project);
    });
    const crystals = written.filter((each) => each === true).length;
    if (context.signal.aborted) return { done: crystals, counts: { crystals } };
    const archived = await archiveTiers(context);
    await forgetOldRuns(context);
    const compacted = await compactLoose(context);
    const bytes = await storeBytes(context.paths.store);
    return { done: crystals + archived, counts: { crystals, archived, compacted, bytes } };
  },
};

function forgetOldRuns({ store, clock }: JobContext): Promise<number> {
  return store.write((db) => trimRuns(db, RUNS_KEPT, new Date(clock.now().getTime() - RUNS_KEPT_DAYS * DAY_MS).toISOString()));
}

/** Tiers that belong to the archive now and are not recorded there, oldest first. Pure. */
function planArchive(tiers: readonly Tier[], now: Date, afterDays: number): Tier[] {
  const limit = new Date(now.getTime() - afterDays * DAY_MS).toISOString().slice(0, 10);
  return tiers.filter((tier) => tier.state === 'recent' && tier.day < limit).sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** A commit costs 20 ms: many moves share one. A move that was not recorded is finished by the next night. */
const MOVES_TOGETHER = 50;

/**
 * Tiers older than a week move to the archive, after the crystal has their knowledge; a move that was cut short is finished.
 * @returns how many tiers were moved
 */
async function archiveTiers(context: JobContext): Promise<number> {
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
