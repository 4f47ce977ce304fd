/** Writes lessons to crystal.json, moves old tiers to the archive, and compacts the database. */
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectFolder } from '../../config.js';
import { AppError } from '../../errors.js';
import {
  isLoose,
  loadProjects,
  storeBytes,
  storePacking,
  trimRuns,
  loadTiers,
  saveTiers,
  type Tier,
} from '../../store/index.js';
import type { Job, JobContext, JobResult } from '../job.js';
import { type ProjectGroup } from '../learning/passed-over.js';
import { writeAllCrystals } from '../publishing/write-crystal.js';
import { tierName } from './tier-file.js';

const DAY_MS = 86_400_000;
/** Tiers older than this move to `archive/`. */
const ARCHIVE_AFTER_DAYS = 7;
/** Rows of job_runs that are always kept, and the time for which all are kept. */
const RUNS_KEPT = 400;
const RUNS_KEPT_DAYS = 14;

export const crystallizeJob: Job = {
  name: 'crystallize',
  due: 'nightly',
  async run(context, { from }): Promise<JobResult> {
    const projects = await context.store.read((db) => loadProjects(db));
    let done = 0;
    const progress = (group: ProjectGroup): void => {
      context.progress({ job: 'crystallize', done, total: projects.length, unit: 'projects' });
      done += group.length;
    };
    const { results, next } = await writeAllCrystals(context, projects, progress, from);
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

/** A place after every project id: all crystals are written. */
const AFTER_ALL = '\uffff';

/** Moves share a commit, because a commit is slow. */
const MOVES_TOGETHER = 50;

/**
 * Moves old tiers to the archive, after the crystal is written. The next start finds a move that
 * was not recorded.
 * @returns how many tiers moved until another job took over
 */
async function archiveTiers(context: JobContext): Promise<{ moved: number; isWhole: boolean }> {
  const { store, paths, clock } = context;
  const now = clock.now().getTime();
  const limit = new Date(now - ARCHIVE_AFTER_DAYS * DAY_MS).toISOString().slice(0, 10);
  const { tiers, projects } = await store.read(async (db) => ({
    tiers: await loadTiers(db),
    projects: await loadProjects(db),
  }));
  const folders = new Map(projects.map((project) => [project.id, projectFolder(paths, project)]));
  const old = tiers.filter(
    ({ state, day, project, path }) =>
      state === 'recent' && day < limit && folders.has(project) && existsSync(path),
  );
  let moved = 0;
  for (let from = 0; from < old.length && !context.signal.aborted; from += MOVES_TOGETHER) {
    if (!(await context.turn())) return { moved, isWhole: false };
    const group: Tier[] = [];
    for (const tier of old.slice(from, from + MOVES_TOGETHER)) {
      const path = join(folders.get(tier.project)!, 'archive', tier.week, tierName(tier));
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(tier.path, path);
      group.push({ ...tier, path, state: 'archive' });
    }
    await store.write((db) => saveTiers(db, group));
    moved += group.length;
  }
  return { moved, isWhole: true };
}

/**
 * Rewrites a database file with mostly free pages or unsorted postings. Without disk space, or
 * while another program writes, the file stays as it is until the next night.
 * @returns 1 if the file was rewritten
 */
async function compactLoose({ store, log }: JobContext): Promise<number> {
  if (!isLoose(await store.read(storePacking))) return 0;
  try {
    const { before, after } = await store.rebuild();
    log.info({ before, after }, 'the database file was rewritten');
    return 1;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn(
      { error: error.message },
      'the database file could not be rewritten; it stays as it is',
    );
    return 0;
  }
}
