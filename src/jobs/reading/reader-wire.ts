/**
 * Transfers batches between threads: the terms of all entries travel in two typed arrays that
 * change owner instead of being copied.
 */
import type { Batch, PreparedEntry, Terms } from '../../types.js';
import type { LogEnd, LogTask } from './reader-log.js';

interface PackedBatch {
  /** Its entries have no terms. */
  batch: Batch;
  /** Terms of all entries in sequence. */
  hashes: BigInt64Array;
  counts: Int32Array;
  /** Number of terms of each entry. */
  sizes: Uint32Array;
}

const NONE: Terms = { hashes: new BigInt64Array(0), counts: new Int32Array(0) };

export function packBatch(batch: Batch): PackedBatch {
  const sizes = Uint32Array.from(batch.entries, ({ terms }) => terms.counts.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const [hashes, counts] = [new BigInt64Array(total), new Int32Array(total)];
  let at = 0;
  const entries = batch.entries.map((entry): PreparedEntry => {
    hashes.set(entry.terms.hashes, at);
    counts.set(entry.terms.counts, at);
    at += entry.terms.counts.length;
    return { ...entry, terms: NONE };
  });
  return { batch: { ...batch, entries }, hashes, counts, sizes };
}

/** Gives each entry its part of the arrays again. */
export function unpackBatch({ batch, hashes, counts, sizes }: PackedBatch): Batch {
  let at = 0;
  for (const [index, entry] of batch.entries.entries()) {
    const end = at + sizes[index]!;
    entry.terms = { hashes: hashes.subarray(at, end), counts: counts.subarray(at, end) };
    at = end;
  }
  return batch;
}

/** The buffers that are transferred instead of copied. */
export function transfersOf({ hashes, counts, sizes }: PackedBatch): ArrayBuffer[] {
  return [hashes.buffer, counts.buffer, sizes.buffer] as ArrayBuffer[];
}

// Messages between the reader's host and its thread. Plain data.

/** What the thread receives before the first log of a home. */
export interface ReaderOptions {
  /** The home's secret key, for the marks of masked secrets. */
  redactKey: string;
  emails: boolean;
  /** Globs of folders that are never read. */
  exclude: string[];
  userHome: string;
  /** IANA name of the machine's time zone: some logs have local times. */
  zone: string;
}

export type ToThread =
  { type: 'begin'; options: ReaderOptions } | { type: 'read'; task: LogTask } | { type: 'stored' };

export type FromThread =
  | { type: 'batch'; packed: PackedBatch }
  | { type: 'end'; end: LogEnd; heapBytes: number }
  | { type: 'failed'; why: 'absent' | 'changed'; reason: string; heapBytes: number };

/**
 * Number of posted batches that are not stored yet: one is prepared while the other is committed.
 */
export const WINDOW = 2;
