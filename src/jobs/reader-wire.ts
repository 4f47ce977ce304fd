/** Batches between threads: terms travel as two typed arrays that change hands; copied as objects they cost ten times the rest. */
import type { Batch, PreparedEntry } from '../types.js';

export interface PackedBatch {
  /** Its entries have no terms. */
  batch: Batch;
  hashes: BigInt64Array;
  counts: Uint32Array;
  /** Number of terms of each entry. */
  sizes: Uint32Array;
}

export const packBatch = (batch: Batch): PackedBatch => {
  const sizes = Uint32Array.from(batch.entries, (entry) => entry.terms.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const [hashes, counts] = [new BigInt64Array(total), new Uint32Array(total)];
  let at = 0;
  const entries = batch.entries.map((entry): PreparedEntry => {
    for (const term of entry.terms) {
      hashes[at] = term.hash;
      counts[at++] = term.count;
    }
    return { ...entry, terms: [] };
  });
  return { batch: { ...batch, entries }, hashes, counts, sizes };
};

export const unpackBatch = ({ batch, hashes, counts, sizes }: PackedBatch): Batch => {
  let at = 0;
  for (const [index, entry] of batch.entries.entries()) {
    entry.terms = Array.from({ length: sizes[index]! }, () => ({ hash: hashes[at]!, count: counts[at++]! }));
  }
  return batch;
};

/** What is handed over instead of copied. */
export const transfersOf = ({ hashes, counts, sizes }: PackedBatch): ArrayBuffer[] => [hashes.buffer, counts.buffer, sizes.buffer] as ArrayBuffer[];
