/** Decides which of the nightly jobs are due. */
import { donePeriods } from '../../store/index.js';
import type { JobName } from '../../types.js';
import type { JobContext } from '../job.js';
import { planDue } from '../schedule.js';

/** In the order of a night; extract is first, since a tier needs the project of its session. */
export const NIGHTLY = [
  'extract',
  'rollup',
  'decay',
  'crystallize',
] as const satisfies readonly JobName[];
/** Jobs that show whether the night is done; extract runs all day. */
const DONE_AFTER = ['rollup', 'decay', 'crystallize'] as const satisfies readonly JobName[];

export interface Night {
  /** Local date of the night, once it has begun. */
  period: string;
  /** Its jobs that are not done yet. */
  due: JobName[];
  next: Date;
}

/** A job without any run is overdue; a missed night is made up once. */
export async function lookAtNight({
  store,
  clock,
  config,
}: Pick<JobContext, 'store' | 'clock' | 'config'>): Promise<Night> {
  const now = clock.now();
  const plans = await store.read(async (db) => {
    const out = [];
    for (const job of DONE_AFTER)
      out.push({ job, plan: planDue(now, config.schedule.nightly_at, await donePeriods(db, job)) });
    return out;
  });
  const due = plans.filter(({ plan }) => plan.due).map(({ job }) => job as JobName);
  const [{ plan }] = plans as [(typeof plans)[number]];
  return {
    period: plan.period,
    due: NIGHTLY.filter((job) => due.includes(job) || (job === 'extract' && due.length > 0)),
    next: plan.next,
  };
}
