/**
 * Writes past UTC days as tier files, reads each back and counts it before recording it. A late
 * line makes its day be written again.
 */
import { EXTRACTOR_VERSION } from '../../parse/index.js';
import { messageOf } from '../../errors.js';
import { type HomePaths, projectFolder } from '../../config.js';
import {
  bytesOfTerms,
  dueTiers,
  forgetTiers,
  loadProjects,
  loadTiers,
  movedIds,
  pendingSessions,
  saveTiers,
  textsOf,
  tierHeads,
  type DueTier,
  type Tier,
} from '../../store/index.js';
import type { Project } from '../../types.js';
import type { Job, JobContext } from '../job.js';
import { settleProjects } from '../learning/settle-projects.js';
import { checkTiers } from './tier-check.js';
import { recentPath, tierName } from './tier-file.js';
import { writeTier } from './tier-write.js';

export const rollupJob: Job = {
  name: 'rollup',
  due: 'nightly',
  async run(context, { from }) {
    const today = context.clock.now().toISOString().slice(0, 10);
    const read = () =>
      context.store.read(async (db) => ({
        due: await dueTiers(db, today),
        tiers: await loadTiers(db),
        projects: await loadProjects(db),
      }));
    let { due, tiers, projects } = await read();
    if (from === undefined) {
      const { faults, isWhole } = await checkTiers(context, due);
      if (!isWhole) return { done: 0, more: true };
      const isUnsettled = due.some((each) => each.project === null);
      if (isUnsettled)
        await settleProjects(
          context,
          await context.store.read((db) =>
            pendingSessions(db, { idleBefore: null, extractor: EXTRACTOR_VERSION }),
          ),
        );
      if (faults > 0 || isUnsettled) ({ due, tiers, projects } = await read());
    }
    const plans = planTiers(context.paths, due, tiers, projects).filter(
      (plan) => from === undefined || orderOf(plan) >= from,
    );
    let done = 0;
    let entries = 0;
    let failed = 0;
    for (const group of groupTiers(plans)) {
      if (context.signal.aborted) break;
      if (context.isOver())
        return {
          done,
          failed,
          counts: { tiers: done, entries },
          more: true,
          next: { from: orderOf(group[0]!) },
        };
      const { written, failures } = await writeTiers(context, group);
      done += group.length - failures;
      failed += failures;
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

/**
 * Tiers are written in this order: one that cannot be written is not tried again by the next slice.
 */
function orderOf({ due: { day, agent, session } }: TierPlan): string {
  return [day, agent, session].join('\0');
}

/** The path of each due day: its existing file, else one in `recent/`. */
function planTiers(
  paths: HomePaths,
  due: readonly DueTier[],
  tiers: readonly Tier[],
  projects: readonly Project[],
): TierPlan[] {
  const known = new Map(tiers.map((tier) => [tierName(tier), tier]));
  const folders = new Map(projects.map((project) => [project.id, projectFolder(paths, project)]));
  return due
    .flatMap((each) => {
      const folder = folders.get(each.project ?? '');
      // The day becomes part of a path, so anything but a date is rejected.
      if (each.project === null || folder === undefined || !/^\d{4}-\d\d-\d\d$/.test(each.day))
        return [];
      const tier = known.get(tierName(each));
      return [
        {
          due: each,
          project: each.project,
          path: tier?.path ?? recentPath(folder, each),
          state: tier?.state ?? 'recent',
        },
      ];
    })
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

/**
 * Finding the rows of one tier scans all entries, and a commit takes 20 ms: many small tiers share
 * both, and memory holds their texts together.
 */
const TOGETHER = { tiers: 100, entries: 2000, bytes: 8 * 2 ** 20 };

/** Packing and the disk's flushes wait for each other's threads, not for this one. */
const AT_ONCE = 4;

function groupTiers(plans: readonly TierPlan[]): TierPlan[][] {
  const groups: TierPlan[][] = [];
  let [entries, bytes] = [0, 0];
  for (const plan of plans) {
    const group = groups.at(-1);
    entries += plan.due.entries;
    bytes += bytesOfTerms(plan.due.terms);
    if (
      group &&
      group.length < TOGETHER.tiers &&
      entries <= TOGETHER.entries &&
      bytes <= TOGETHER.bytes
    )
      group.push(plan);
    else {
      groups.push([plan]);
      [entries, bytes] = [plan.due.entries, bytesOfTerms(plan.due.terms)];
    }
  }
  return groups;
}

/**
 * Writes, reads back and records tiers; a tier without rows is removed. @returns the written ones,
 * and how many failed
 */
async function writeTiers(
  { store, clock, log }: JobContext,
  group: readonly TierPlan[],
): Promise<{ written: Tier[]; failures: number }> {
  const days = group.map(({ due }) => due);
  const { found, moved } = await store.read(async (db) => ({
    found: await tierHeads(db, days),
    moved: await movedIds(db, days),
  }));
  // Several small tiers load their texts at once; a single large one is read in slices.
  const together = group.length === 1 ? null : await store.read((db) => textsOf(db, found.flat()));
  const written: Tier[] = [];
  const emptied: DueTier[] = [];
  const writeOne = async ({ due, ...place }: TierPlan, index: number): Promise<void> => {
    try {
      const { rows, sha256 } = await writeTier({
        path: place.path,
        fresh: found[index]!,
        moved: moved[index]!,
        textsOf: async (keys) => together ?? store.read((db) => textsOf(db, keys)),
        onDamaged: (file) =>
          log.warn({ file }, 'a tier could not be read in full; it is kept and rewritten'),
      });
      const { agent, session, day, lastN } = due;
      if (rows === 0) emptied.push(due);
      else
        written.push({
          ...place,
          agent,
          session,
          day,
          lastN,
          entries: rows,
          sha256,
          written: clock.now().toISOString(),
        });
    } catch (error) {
      log.error({ tier: tierName(due), error: messageOf(error) }, 'a tier could not be written');
    }
  };
  for (let at = 0; at < group.length; at += AT_ONCE)
    await Promise.all(group.slice(at, at + AT_ONCE).map((plan, i) => writeOne(plan, at + i)));
  if (written.length + emptied.length > 0)
    await store.write(async (db) => {
      await saveTiers(db, written);
      await forgetTiers(db, 'tiers', emptied);
      // Findings about the former file do not apply to this one.
      await forgetTiers(db, 'tier_checks', [...written, ...emptied]);
    });
  return { written, failures: group.length - written.length - emptied.length };
}
