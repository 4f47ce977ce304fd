/** The nightly compaction of a database file with mostly free pages. */
import { AppError } from '../../errors.js';
import { isHalfFree, isLoose, storeFilling, storePacking } from '../../store/index.js';
import type { JobContext } from '../job.js';

/** @returns 1 if the file was compacted */
export async function compactLoose(context: JobContext): Promise<number> {
  const { filling, packing } = await context.store.read(async (db) => ({
    filling: await storeFilling(db),
    packing: await storePacking(db),
  }));
  return isHalfFree(filling) || isLoose(packing) ? compact(context) : 0;
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
