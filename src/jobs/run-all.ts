/** One pass through the jobs for `dripstone run` and `crystallize`, in their own process or inside the daemon. */
import type { BootReport } from '../store/index.js';
import { stopAsking } from './asking/ask.js';
import { foldUses } from './upkeep/fold-uses.js';
import { withRecovery } from './upkeep/heal.js';
import type { JobContext } from './job.js';
import { runPass, type Pass, type PassOptions } from './pipeline.js';
import { finishPurge } from './upkeep/purge.js';
import { prepareStore, type Recovered } from './upkeep/recover.js';

/** `firstBytes`: tests take few. */
export type RunOptions = Omit<PassOptions, 'asksModel'>;

export interface RunReport extends Pick<Pass, 'results' | 'errors'> {
  seconds: number;
  /** What came back from tiers and crystals because the database was new. */
  recovered?: Recovered | null;
  /** Damage that showed while the jobs ran; the run began anew after it. */
  rescued?: BootReport;
}

/**
 * So much is read before the first context.md, newest sessions first, and so much more before the next ones. By bytes and not by
 * time: on a slow machine the same logs must give the same projects. Of 500 MB the first page took 17 s of processor time with
 * 20 MB, 34 with 48.
 */
const FIRST_BYTES = [20 * 1024 * 1024, 60 * 1024 * 1024];

/**
 * For a process that holds the home alone: prepares the store before the first job, and stops calls and reader after the last.
 */
export async function runAll(context: JobContext, options: RunOptions): Promise<RunReport> {
  let recovered: Recovered | null = null;
  const prepare = async (): Promise<void> => {
    recovered = await prepareStore(context);
    await finishPurge(context);
  };
  const report = await runOnce(context, prepare, async () => {
    const pass = await runPass(context, { firstBytes: FIRST_BYTES, ...options, asksModel: true });
    await stopAsking(context);
    return pass;
  });
  return { ...report, recovered };
}

/**
 * The same while a daemon's queue is taken: it serves a command. Models are asked when the queue is free again.
 * @param prepare the daemon's own: brings back what is missing when the store is another one than before
 */
export function runForCommand(context: JobContext, options: RunOptions, prepare: () => Promise<unknown>): Promise<RunReport> {
  return runOnce(context, prepare, async () => {
    await foldUses(context);
    return runPass(context, { ...options, asksModel: false });
  });
}

/** A job that fails is told in the report and never keeps the others from running. */
async function runOnce(context: JobContext, prepare: () => Promise<unknown>, pass: () => Promise<Pass>): Promise<RunReport> {
  const begun = context.clock.mono();
  const { result, rescued } = await withRecovery(context, prepare, pass, ({ failures }) => failures);
  const seconds = (context.clock.mono() - begun) / 1000;
  return { results: result.results, errors: result.errors, seconds, ...(rescued === null ? {} : { rescued }) };
}
