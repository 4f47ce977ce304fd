/**
 * Since when days are held out. It stands in the database alone: with its loss, or with another
 * share, the trial begins anew.
 */
import { dropMeta, metaValue, setMeta, type Db } from '../../store/index.js';
import type { JobContext } from '../job.js';

export interface TrialBegun {
  /** ISO 8601 UTC: sessions count that began later. */
  since: string;
  share: number;
}

const KEY = 'holdout';

export async function trialBegun(db: Db): Promise<TrialBegun | null> {
  const value = await metaValue(db, KEY);
  return value === null ? null : (JSON.parse(value) as TrialBegun);
}

/** Notes that the trial began, or that it is over. */
export async function noteTrial({
  store,
  config,
  clock,
}: Pick<JobContext, 'store' | 'config' | 'clock'>): Promise<void> {
  const share = config.context.holdout;
  const begun = await store.read(trialBegun);
  if ((begun?.share ?? 0) === share) return;
  const trial: TrialBegun = { since: clock.now().toISOString(), share };
  await store.write(async (db) => {
    if (share === 0) await dropMeta(db, KEY);
    else await setMeta(db, KEY, JSON.stringify(trial));
  });
}
