/** Sizes of a home, and the nightly compaction of a database file with mostly free pages. */
import { existsSync, statSync } from 'node:fs';
import type { HomePaths } from '../../config.js';
import { AppError } from '../../errors.js';
import { isHalfAir, isLoose, oldestText, storeFilling, storePacking } from '../../store/index.js';
import type { StatusFacts } from '../../types.js';
import { filesBelow } from '../../watchers/index.js';
import type { JobContext } from '../job.js';
import { filesElsewhere } from '../upkeep/purge-files.js';

/** Bytes of everything in the home, from stat alone. */
function homeBytes(paths: HomePaths): number {
  return existsSync(paths.home)
    ? [...filesBelow(paths.home), ...filesElsewhere(paths)].reduce(
        (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
    : 0;
}

/** @returns 1 if the file was compacted */
export async function compactLoose(context: JobContext): Promise<number> {
  const { filling, packing } = await context.store.read(async (db) => ({
    filling: await storeFilling(db),
    packing: await storePacking(db),
  }));
  return isHalfAir(filling) || isLoose(packing) ? compact(context) : 0;
}

/**
 * Without space for a second file, or while another program writes, the file stays as it is until
 * the next night.
 */
async function compact({ store, log }: JobContext): Promise<number> {
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

type RetentionFacts = StatusFacts['retention'];

/** @param readable false if the store is absent or cannot be read */
export async function gatherRetention(
  { store, paths }: Pick<JobContext, 'store' | 'paths'>,
  readable: boolean,
): Promise<RetentionFacts> {
  const held = readable
    ? await store
        .read(async (db) => ({ filling: await storeFilling(db), oldest: await oldestText(db) }))
        .catch(() => null)
    : null;
  return {
    oldest_text: held?.oldest ?? null,
    store_free_bytes: held?.filling.free ?? null,
    home_bytes: homeBytes(paths),
  };
}
