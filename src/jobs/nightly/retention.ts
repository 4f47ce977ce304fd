/**
 * What stays how long: text leaves the database by age and by the disk budget, and a file with mostly free pages is written
 * anew.
 */
import { existsSync, statSync } from 'node:fs';
import type { HomePaths } from '../../config.js';
import { AppError } from '../../errors.js';
import {
  archivedTextDays,
  dropTexts,
  isHalfAir,
  isLoose,
  projectClock,
  storeBytes,
  storeFilling,
  storePacking,
  textStats,
  type TextDay,
} from '../../store/index.js';
import { filesBelow } from '../../watchers/index.js';
import { putBackTexts } from './archived-texts.js';
import type { JobContext } from '../job.js';
import { filesElsewhere } from '../upkeep/purge-files.js';
import { verifiedTiers } from './tier-check.js';

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

/** Bytes of everything in the home, by stat alone. */
function homeBytes(paths: HomePaths): number {
  return existsSync(paths.home)
    ? [...filesBelow(paths.home), ...filesElsewhere(paths)].reduce(
        (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
    : 0;
}

/**
 * The day before which text has to leave so that about `excess` bytes become free, or null when nothing may leave: only what the
 * archive holds too ever does. Terms and vectors go with their text, so a day's share of the file is its share of the terms.
 * Pure.
 * @param days archived days whose text is still in the database, oldest first
 */
export function planShedding(days: readonly TextDay[], excess: number, file: { bytes: number; terms: number }): string | null {
  if (excess <= 0 || days.length === 0 || file.terms === 0) return null;
  let freed = 0;
  for (const { day, terms } of days) {
    freed += (terms / file.terms) * file.bytes;
    if (freed >= excess) return dayAfter(day);
  }
  return dayAfter(days.at(-1)!.day);
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString();
}

/** @returns texts that left, texts that came back because they are to stay for ever now, and 1 when the file was written anew */
export async function retain(context: JobContext): Promise<{ texts: number; refilled: number; compacted: number }> {
  const { store, paths, config } = context;
  const old = await dropOldTexts(context);
  const excess = config.store.disk_budget_mib === 0 ? 0 : homeBytes(paths) - config.store.disk_budget_mib * MIB;
  const shed = excess > 0 ? await shedTexts(context, excess) : 0;
  const { filling, packing } = await store.read(async (db) => ({
    filling: await storeFilling(db),
    packing: await storePacking(db),
  }));
  const compacted = shed > 0 || isHalfAir(filling) || isLoose(packing) ? await compact(context) : 0;
  // With a disk budget the texts that come back would leave again the same night.
  const refilled = config.store.keep_text_days === 0 && config.store.disk_budget_mib === 0 ? await putBackTexts(context) : 0;
  return { texts: old + shed, refilled, compacted };
}

/** Measured on the newest entry of all, never later than now: a clock that runs ahead deletes nothing. */
async function dropOldTexts(context: JobContext): Promise<number> {
  const { store, clock, config } = context;
  const days = config.store.keep_text_days;
  if (days === 0) return 0;
  const newest = await store.read((db) => projectClock(db, null, clock.now().toISOString()));
  if (newest === null) return 0;
  return dropVerified(context, new Date(Date.parse(newest) - days * DAY_MS).toISOString());
}

async function shedTexts(context: JobContext, excess: number): Promise<number> {
  const { store, paths, log } = context;
  const bytes = await storeBytes(paths.store);
  const before = await store.read(async (db) =>
    planShedding(await archivedTextDays(db), excess, { bytes, terms: (await textStats(db)).terms }),
  );
  if (before === null) return 0;
  log.info(
    { before, over_mib: Math.round(excess / MIB) },
    'the home is over its budget: old text leaves the database, the archive keeps it',
  );
  return dropVerified(context, before);
}

/** Drops only texts that a tier, read back just now, still holds. */
async function dropVerified(context: JobContext, before: string): Promise<number> {
  const tiers = await verifiedTiers(context, before);
  return tiers.length === 0 ? 0 : context.store.write((db) => dropTexts(db, before, tiers));
}

/** Without room for a second file, or while another program writes, the file stays as it is until the next night. */
async function compact({ store, log }: JobContext): Promise<number> {
  try {
    const { before, after } = await store.rebuild();
    log.info({ before, after }, 'the database file was written anew');
    return 1;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ error: error.message }, 'the database file could not be written anew; it stays as it is');
    return 0;
  }
}

/** Field names as in `status --json`. */
export interface RetentionFacts {
  /** 0: for ever. */
  keep_text_days: number;
  /** Day of the oldest text in the database; null without any. */
  oldest_text: string | null;
  /** Of the database file, bytes that hold nothing; null when it cannot be read. */
  store_free_bytes: number | null;
  home_bytes: number;
  /** null: no limit. */
  disk_budget_bytes: number | null;
}

/** @param readable false when the store is absent or cannot be read */
export async function gatherRetention(
  { store, paths, config }: Pick<JobContext, 'store' | 'paths' | 'config'>,
  readable: boolean,
): Promise<RetentionFacts> {
  const held = readable
    ? await store.read(async (db) => ({ filling: await storeFilling(db), texts: await textStats(db) })).catch(() => null)
    : null;
  return {
    keep_text_days: config.store.keep_text_days,
    oldest_text: held?.texts.oldest ?? null,
    store_free_bytes: held?.filling.free ?? null,
    home_bytes: homeBytes(paths),
    disk_budget_bytes: config.store.disk_budget_mib === 0 ? null : config.store.disk_budget_mib * MIB,
  };
}

/** A sentence when the home is larger than it may be; the night does what it can, the archive and the person's files stay. */
export function overBudget({ home_bytes: bytes, disk_budget_bytes: budget }: RetentionFacts): string | null {
  return budget === null || bytes <= budget
    ? null
    : `the home has ${Math.ceil(bytes / MIB)} MiB, its budget (store.disk_budget_mib) is ${Math.floor(budget / MIB)}: text ` +
        'that the archive holds too leaves the database at night; raise the budget, or move old weeks out of projects/*/archive/';
}
