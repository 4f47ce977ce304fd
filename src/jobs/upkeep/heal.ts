/**
 * A store that is lost in the middle of work is recovered and the work done once more; one sentence
 * says what came back.
 */
import { basename } from 'node:path';
import { confirmDamage, faultKind, rescueStore, type BootReport } from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import type { JobContext } from '../job.js';
import { finishPurge } from './purge.js';
import { prepareStore, type Recovered } from './recover.js';

/** What `run` found and did before its first job. */
interface Healing {
  boot: BootReport | null;
  recovered: Recovered | null;
}

/**
 * Sets a store aside whose damage showed while it was read. An error that only sounds like damage
 * does not cost the store: every table is read to its end first.
 * @returns null when the store can be read
 */
async function rescueIfDamaged(context: JobContext, error: unknown): Promise<BootReport | null> {
  if (faultKind(error) !== 'damaged' || !(await confirmDamage(context.store))) return null;
  return rescueStore(context.store, context.clock.now(), error);
}

/**
 * Prepares the store and does the work. When the work shows that the store is damaged, a damaged
 * file is quarantined; then, and when another program deleted or replaced the file, both are done
 * once more. This is the one place where work starts again.
 * @param prepare called before the work each time: brings back what is missing
 * @returns `rescued`: the damage that the work showed; null without any
 * @throws what the work throws the second time, or the first time when the store is not the reason
 */
export async function withRecovery<T>(
  context: JobContext,
  prepare: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<{ result: T; rescued: BootReport | null }> {
  const once = async (): Promise<T> => {
    await prepare();
    return work();
  };
  try {
    return { result: await once(), rescued: null };
  } catch (error) {
    if (context.signal.aborted) throw error;
    const rescued = await rescueIfDamaged(context, error);
    if (rescued === null && faultKind(error) !== 'renewed') throw error;
    return { result: await once(), rescued };
  }
}

/** What a preparing brought back, and whether the database is another one than before. */
interface Prepared {
  recovered: Recovered | null;
  isAnother: boolean;
}

/**
 * The database may be another one than at the last call, because it was deleted, replaced or
 * damaged.
 * @returns a function that prepares the database where that is due; null when it was not
 */
export function createReadiness(context: JobContext): () => Promise<Prepared | null> {
  let isFirst = true;
  // Until everything that follows from a change is done: the store reports it only once.
  let isDue = true;
  return async () => {
    const arrived = await context.store.settle();
    if (arrived !== null) {
      isDue = true;
      context.log.warn(
        { action: arrived.action, moved: arrived.moved, reason: arrived.reason },
        'the database is not the one that it was: what is missing is brought back from tiers, crystals and logs',
      );
    }
    if (!isDue) return null;
    const recovered = await prepareStore(context);
    await finishPurge(context);
    const isAnother = !isFirst;
    isFirst = isDue = false;
    return { recovered, isAnother };
  };
}

/** @param read entries that this run read from logs */
export function describeHealing({ boot, recovered }: Healing, read: number): string[] {
  if (boot === null || boot.moved.length === 0) return [];
  const what =
    boot.action === 'wal-quarantined'
      ? 'the last commits could not be read'
      : 'the database could not be used';
  const back = [
    ...(recovered !== null && recovered.tiers > 0
      ? [
          `${counted(recovered.entries, 'entry', 'entries')} came back from ${counted(recovered.tiers, 'tier')}`,
        ]
      : []),
    `${counted(read, 'entry', 'entries')} were read from logs`,
    ...(recovered !== null && recovered.edits > 0
      ? [`${counted(recovered.edits, 'edit')} from crystals stand`]
      : []),
  ];
  const kept = boot.moved.map(({ to }) => basename(to)).join(' and ');
  return [`${what} (${boot.reason ?? 'unknown'}): kept as ${kept}; ${back.join(', ')}`];
}
