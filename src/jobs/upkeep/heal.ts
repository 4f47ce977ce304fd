/** The store after damage: what was set aside, what came back from where, in one sentence that is said once. */
import { basename } from 'node:path';
import { confirmDamage, faultKind, rescueStore, type BootReport } from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import type { JobContext } from '../job.js';
import { finishPurge } from './purge.js';
import { isRecovered, prepareStore, type Recovered } from './recover.js';

/** What `run` found and did before its first job. */
interface Healing {
  boot: BootReport | null;
  recovered: Recovered | null;
}

/**
 * Sets a store aside whose damage showed while it was read. An error that only sounds like damage does not cost the store:
 * every table is read to its end first.
 * @returns null when the store can be read
 */
async function rescueIfDamaged(context: JobContext, error: unknown): Promise<BootReport | null> {
  if (faultKind(error) !== 'damaged' || !(await confirmDamage(context.store))) return null;
  return rescueStore(context.store, context.clock.now(), error);
}

/**
 * What was found when a store that was lost in the middle of work can be worked with again; null when the error says nothing of
 * the kind.
 */
export async function healStore(context: JobContext, error: unknown): Promise<BootReport | null> {
  return faultKind(error) === 'renewed' ? RENEWED : rescueIfDamaged(context, error);
}

const RENEWED: BootReport = { action: 'created', moved: [], reason: 'the database was deleted or replaced while it was in use' };

/**
 * Does the work; should the store be lost in the middle of it, `rebuild` brings back what can be, and the work is done once more.
 */
export async function withHealing<T>(context: JobContext, rebuild: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (context.signal.aborted || (await healStore(context, error)) === null) throw error;
    await rebuild();
    return work();
  }
}

/**
 * For a process that lives long: the database may be another one than at the last call, because it was deleted, replaced or
 * damaged.
 * @returns a function that prepares the database where that is due, and tells whether it is another one than before
 */
export function createReadiness(context: JobContext): () => Promise<boolean> {
  let isPrepared = false;
  // Until everything that follows from a change is done: the store reports it only once.
  let mustRenew = false;
  return async () => {
    const arrived = await context.store.settle();
    if (arrived !== null) mustRenew = true;
    if (isPrepared && !mustRenew && (await isRecovered(context))) return false;
    if (arrived !== null)
      context.log.warn(
        { action: arrived.action, moved: arrived.moved, reason: arrived.reason },
        'the database is not the one that it was: what is missing is brought back from tiers, crystals and logs',
      );
    await prepareStore(context);
    await finishPurge(context);
    const isAnother = isPrepared;
    [isPrepared, mustRenew] = [true, false];
    return isAnother;
  };
}

/** @param read entries that this run read from logs */
export function describeHealing({ boot, recovered }: Healing, read: number): string[] {
  if (boot === null || boot.moved.length === 0) return [];
  const what = boot.action === 'wal-set-aside' ? 'the last commits could not be read' : 'the database could not be used';
  const back = [
    ...(recovered !== null && recovered.tiers > 0
      ? [`${counted(recovered.entries, 'entry', 'entries')} came back from ${counted(recovered.tiers, 'tier')}`]
      : []),
    `${counted(read, 'entry', 'entries')} were read from logs`,
    ...(recovered !== null && recovered.edits > 0 ? [`${counted(recovered.edits, 'edit')} from crystals stand`] : []),
  ];
  const kept = boot.moved.map(({ to }) => basename(to)).join(' and ');
  return [`${what} (${boot.reason ?? 'unknown'}): kept as ${kept}; ${back.join(', ')}`];
}
