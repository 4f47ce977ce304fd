/**
 * One pass through the jobs for `dripstone run` and `crystallize`, in a process that holds the home
 * alone.
 */
import { stopAsking } from './asking/ask.js';
import type { JobContext } from './job.js';
import { Loop, type Pass, type PassOptions } from './loop.js';
import type { Recovered } from './upkeep/recover.js';

/** `firstBytes`: tests take few. */
export type RunOptions = Omit<PassOptions, 'asksModel'>;

export interface RunReport extends Pick<Pass, 'results' | 'errors' | 'seconds'> {
  /** What came back from tiers and crystals because the database was new. */
  recovered?: Recovered | null;
}

/**
 * So much is read before the first context.md, newest sessions first, and so much more before the
 * next ones. By bytes and not by time: on a slow machine the same logs must give the same projects.
 * Of 500 MB the first page took 17 s of processor time with 20 MB, 34 with 48.
 */
const FIRST_BYTES = [20 * 1024 * 1024, 60 * 1024 * 1024];

/**
 * A job that fails is named in the report; the others run all the same.
 * @throws what says that the database is lost or damaged: a boot brings it back
 */
export async function runAll(context: JobContext, options: RunOptions): Promise<RunReport> {
  const loop = new Loop(context);
  try {
    const pass = await loop.begin({ firstBytes: FIRST_BYTES, ...options, asksModel: true });
    await loop.end(pass);
    if (loop.lostBy !== undefined) throw loop.lostBy;
    await stopAsking(context);
    return { ...pass, recovered: loop.recovered };
  } finally {
    await loop.close();
  }
}
