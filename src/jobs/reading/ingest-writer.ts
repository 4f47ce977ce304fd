/** Stores batches in order, several in one transaction: a commit costs about 20 ms whatever its size. */
import { commitBatches, type Store } from '../../store/index.js';
import type { Batch } from '../../types.js';

export interface BatchWriter {
  /** Takes a batch; waits while too much is on its way. Throws what storing an earlier one threw. */
  add(batch: Batch): Promise<void>;
  /** Resolves when everything is stored. */
  flush(): Promise<void>;
  stored(): { added: number; revised: number; known: number };
}

/**
 * Entries, logs and characters in one transaction: it should take well under the second for which the file may be held, and
 * what waits for it is in memory twice.
 */
const MOST = { entries: 3000, logs: 64, characters: 4 * 1024 * 1024 };

export function createBatchWriter(store: Store): BatchWriter {
  const sums = { added: 0, revised: 0, known: 0 };
  const waiting: Batch[] = [];
  let writing: Promise<void> | null = null;
  let failure: { error: unknown } | null = null;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0 && failure === null) {
      const batches = waiting.splice(0, countFitting(waiting));
      try {
        const done = await store.write((db) => commitBatches(db, batches), { isLean: true });
        for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += done[name];
      } catch (error) {
        failure = { error };
      }
    }
    writing = null;
  };
  const flush = async (): Promise<void> => {
    while (writing !== null) await writing;
    if (failure !== null) throw failure.error;
  };
  return {
    async add(batch) {
      if (failure !== null) throw failure.error;
      waiting.push(batch);
      writing ??= writeAll();
      if (countFitting(waiting) < waiting.length) await flush();
    },
    flush,
    stored: () => ({ ...sums }),
  };
}

/** How many of the batches fit into one transaction; at least one. */
function countFitting(waiting: readonly Batch[]): number {
  let entries = 0;
  let characters = 0;
  const end = waiting.findIndex((batch, index) => {
    entries += batch.entries.length;
    characters += batch.entries.reduce((sum, { text }) => sum + text.length, 0);
    return index > 0 && (entries > MOST.entries || characters > MOST.characters || index >= MOST.logs);
  });
  return end < 0 ? waiting.length : end;
}
