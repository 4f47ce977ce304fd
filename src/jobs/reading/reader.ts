/** Reads logs in the compute thread by parts: it makes the next part while one is stored. */
import { randomUUID } from 'node:crypto';
import type { Batch, Checkpoint } from '../../types.js';
import type { ComputePool } from '../compute-pool.js';
import type { Part, ReaderOptions } from './read-part.js';
import type { LogTask } from './reader-log.js';

export type ReadOutcome =
  | { kind: 'read'; excluded: boolean }
  /** The log cannot be opened, or no longer; the next scan finds out why. */
  | { kind: 'absent'; reason: string }
  /** The log keeps changing; the next scan reads it. */
  | { kind: 'changed' }
  /** The thread failed twice at the same part; `last` is the position before it. */
  | { kind: 'crashed'; reason: string; last: Checkpoint | null };

/** The thread is replaced if its heap is larger than this after a log. */
const HEAP_BYTES = 192 * 2 ** 20;

/**
 * Reads one log to its end.
 * @param store takes each batch, in order; its error stops the reading and is thrown here
 */
export async function readInThread(
  compute: ComputePool,
  options: ReaderOptions,
  task: LogTask,
  store: (batch: Batch) => Promise<void>,
): Promise<ReadOutcome> {
  const reading = randomUUID();
  let { saved } = task;
  let failures = 0;
  const ask = (): Promise<Part> =>
    compute.run('read', options, { ...task, saved, reading }).catch((error: unknown) => {
      const { code, name } = error as NodeJS.ErrnoException;
      return { kind: 'broken', reason: code ?? name };
    });
  let part = await ask();
  for (;;) {
    if (part.kind === 'broken') {
      if (++failures === 2) return { kind: 'crashed', reason: part.reason, last: saved };
      part = await ask();
      continue;
    }
    if (part.kind !== 'part') return part;
    const { batches, end, heapBytes } = part;
    saved = batches.at(-1)?.checkpoint ?? saved;
    const next = end === null ? ask() : null;
    for (const batch of batches) await store(batch);
    if (next !== null) part = await next;
    else {
      if (heapBytes > HEAP_BYTES) await compute.close();
      return { kind: 'read', excluded: end!.excluded };
    }
  }
}
