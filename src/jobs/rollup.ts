/** Closed UTC days become tier files: written, read back and counted before they are recorded. A late line rewrites its day. */
import { readFile, rename } from 'node:fs/promises';
import { EXTRACTOR_VERSION } from '../extract/index.js';
import { dueTiers, loadProjects, loadTiers, pendingSessions, publishFile, saveTier, tierRows, type DueTier, type Tier } from '../store/index.js';
import type { Project } from '../types.js';
import { folderOf } from './crystal-file.js';
import type { Job, JobContext } from './job.js';
import { settleProjects } from './settle-projects.js';
import { mergeTier, packTier, readTier, recentPath, sha256, tierName, unpackTier, type TierRow } from './tier-file.js';

export const rollupJob: Job = {
  name: 'rollup',
  async run(context) {
    const today = context.clock.now().toISOString().slice(0, 10);
    const read = () => context.store.read(async (db) => ({ due: await dueTiers(db, today), tiers: await loadTiers(db), projects: await loadProjects(db) }));
    let { due, tiers, projects } = await read();
    if (due.some((each) => each.project === null)) {
      await settleProjects(context, await context.store.read((db) => pendingSessions(db, { idleBefore: null, extractor: EXTRACTOR_VERSION })));
      ({ due, tiers, projects } = await read());
    }
    const known = new Map(tiers.map((tier) => [tierName(tier), tier]));
    let done = 0;
    let entries = 0;
    let failed = 0;
    for (const [index, each] of due.entries()) {
      if (context.signal.aborted) break;
      const project = projects.find((candidate) => candidate.id === each.project);
      // A day that is none would be a strange path.
      if (!project || !/^\d{4}-\d\d-\d\d$/.test(each.day)) continue;
      try {
        entries += await writeTier(context, project, each, known.get(tierName(each)) ?? null);
        done++;
      } catch (error) {
        failed++;
        context.log.error({ tier: tierName(each), error: (error as Error).message }, 'a tier could not be written');
      }
      context.progress({ job: 'rollup', done: index + 1, total: due.length, unit: 'tiers' });
    }
    return { done, failed, counts: { tiers: done, entries } };
  },
};

/** @returns number of entries in the tier */
const writeTier = async (context: JobContext, project: Project, due: DueTier, tier: Tier | null): Promise<number> => {
  const { store, paths, clock } = context;
  const path = tier?.path ?? recentPath(folderOf(paths, project), due);
  const old = readTier(path);
  if (old?.damaged) {
    await rename(path, `${path}.bad`);
    context.log.warn({ file: `${path}.bad` }, 'a tier could not be read in full; it is kept and written anew');
  }
  const fresh = (await store.read((db) => tierRows(db, due))) as TierRow[];
  const rows = mergeTier(fresh, old?.rows ?? []);
  const bytes = packTier(rows);
  await publishFile(path, bytes);
  const back = unpackTier(await readFile(path));
  if (back.damaged || back.rows.length !== rows.length) throw new Error(`${path} holds ${back.rows.length} of ${rows.length} entries after writing`);
  await store.write((db) =>
    saveTier(db, {
      project: project.id, agent: due.agent, session: due.session, day: due.day, path, state: tier?.state ?? 'recent', entries: rows.length,
      lastN: due.lastN, sha256: sha256(bytes), written: clock.now().toISOString(),
    }),
  );
  return rows.length;
};
