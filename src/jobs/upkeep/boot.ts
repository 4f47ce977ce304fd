/** Prepares a process before its first job. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { metaValue, setMeta, sweepTemps } from '../../store/index.js';
import type { JobContext } from '../job.js';
import { foldUses } from './fold-uses.js';
import { homeFiles } from './home-files.js';
import { finishPurge } from './purge.js';
import { putLinesBack } from './purge-files.js';
import { recoverReceipts } from './receipts.js';
import { recoverHome, recoverStrays, type Recovered } from './recover.js';

/** Key in the database after tiers and crystals were read; without it the next run reads them. */
const RECOVERED = 'recovered';

/** False for a new database, or after an incomplete recovery. */
export async function isRecovered({ store }: Pick<JobContext, 'store'>): Promise<boolean> {
  return (await store.read((db) => metaValue(db, RECOVERED))) !== null;
}

/**
 * Prepares the first job: removes leftovers of killed runs, restores rows from tiers if the
 * database is new, and stores the notes of readers.
 */
export async function prepareStore(context: JobContext): Promise<Recovered | null> {
  for (const folder of new Set((await homeFiles(context.paths)).map(dirname)))
    await sweepTemps(folder);
  // Older builds stored requests there.
  await rm(join(context.paths.home, 'nudges'), { recursive: true, force: true });
  await putLinesBack(context.paths);
  let recovered: Recovered | null = null;
  if (!(await isRecovered(context))) {
    recovered = await recoverHome(context);
    await context.store.write((db) => setMeta(db, RECOVERED, 'yes'));
  } else recovered = await recoverStrays(context);
  await foldUses(context);
  await recoverReceipts(context);
  await finishPurge(context);
  return recovered;
}
