/**
 * Compares each tier with what was written, because tiers are the source for rebuilding a lost
 * database.
 */
import { existsSync, statSync } from 'node:fs';
import { projectFolder } from '../../config.js';
import { messageOf } from '../../errors.js';
import {
  type Tier,
  type TierCheck,
  type TierFault,
  type TierKey,
  loadProjects,
  loadTierChecks,
  loadTiers,
  saveTierChecks,
  saveTierFaults,
  saveTiers,
  quarantineUnlessGzip,
  trimTierFaults,
} from '../../store/index.js';
import type { JobContext } from '../job.js';
import { archivePath, recentPath, tierName } from './tier-file.js';
import { hashOf } from './tier-stream.js';

const FAULTS_KEPT_MS = 90 * 86_400_000;
/** Files between two commits; waiting readers get a turn in between. */
const TOGETHER = 200;

/**
 * Compares each tier with what we wrote; a tier with the size and time of the last comparison is
 * not read. A missing or changed one becomes due, so that this night's rollup makes it again from
 * the database and the readable part of the file.
 * @param due tiers that are written tonight anyway
 * @returns how many differed; `isWhole`: false when the slice was over before the last
 */
export async function checkTiers(
  context: JobContext,
  due: readonly TierKey[],
): Promise<{ faults: number; isWhole: boolean }> {
  const { store, paths, clock } = context;
  const { tiers, checks, projects } = await store.read(async (db) => ({
    tiers: await loadTiers(db),
    checks: await loadTierChecks(db),
    projects: await loadProjects(db),
  }));
  const known = new Map(checks.map((check) => [tierName(check), check]));
  const isDue = new Set(due.map(tierName));
  const folders = new Map(projects.map((project) => [project.id, projectFolder(paths, project)]));
  const wanted = tiers.filter((tier) => folders.has(tier.project) && !isDue.has(tierName(tier)));
  let faults = 0;
  let checked = 0;
  for (let from = 0; from < wanted.length && !context.signal.aborted; from += TOGETHER) {
    // The next slice finds those known that this one has compared.
    if (checked > 0 && context.isOver()) return { faults, isWhole: false };
    const good: TierCheck[] = [];
    const bad: Broken[] = [];
    for (const tier of wanted.slice(from, from + TOGETHER)) {
      const found = await lookAt(tier, known.get(tierName(tier)), folders.get(tier.project)!).catch(
        (error: unknown) => unreadable(context, tier, messageOf(error)),
      );
      if (typeof found === 'string') bad.push({ tier, what: found });
      else if (found !== null) good.push(found);
    }
    if (good.length > 0) await store.write((db) => saveTierChecks(db, good));
    await noteBroken(context, bad);
    faults += bad.length;
    checked += good.length + bad.length;
  }
  await store.write((db) =>
    trimTierFaults(db, new Date(clock.now().getTime() - FAULTS_KEPT_MS).toISOString()),
  );
  return { faults, isWhole: true };
}

interface Broken {
  tier: Tier;
  what: TierFault['what'];
}

/**
 * @returns what to record; null when nothing is new. @throws when the file exists and cannot be
 * read
 */
async function lookAt(
  tier: Tier,
  known: TierCheck | undefined,
  folder: string,
): Promise<TierCheck | TierFault['what'] | null> {
  const stat = statSync(tier.path, { throwIfNoEntry: false });
  if (!stat?.isFile())
    return [recentPath(folder, tier), archivePath(folder, tier)].some(
      (path) => path !== tier.path && existsSync(path),
    )
      ? null
      : 'missing';
  if (known?.size === stat.size && known.mtimeMs === stat.mtimeMs) return null;
  const hash = await hashOf(tier.path);
  if (hash === null) throw new Error('it cannot be read to its end');
  if (hash !== tier.sha256) return 'damaged';
  return {
    agent: tier.agent,
    session: tier.session,
    day: tier.day,
    size: stat.size,
    mtimeMs: stat.mtimeMs,
  };
}

/**
 * No permission, or a failing disk: that says nothing about the content, so the file stays and the
 * other tiers go on. `status --check` names it.
 */
function unreadable({ log }: JobContext, tier: Tier, error: string): null {
  log.error({ file: tier.path, error }, 'a tier cannot be read');
  return null;
}

async function noteBroken(
  { store, clock, log }: JobContext,
  broken: readonly Broken[],
): Promise<void> {
  if (broken.length === 0) return;
  for (const { tier, what } of broken) {
    log.warn(
      { file: tier.path, what },
      'a tier is not as it was written: it is rebuilt from the database',
    );
    // One such file makes the whole view `archive_entries` fail.
    if (what === 'damaged') quarantineUnlessGzip(tier.path);
  }
  const time = clock.now().toISOString();
  await store.write(async (db) => {
    await saveTiers(
      db,
      broken.map(({ tier }) => ({ ...tier, lastN: 0 })),
    );
    await saveTierFaults(
      db,
      broken.map(({ tier, what }) => ({ path: tier.path, what, time })),
    );
  });
}
