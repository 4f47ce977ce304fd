/** The vector of what was asked, and the model that made it. */
import { messageOf } from '../errors.js';
import { hasVectors } from '../store/index.js';
import type { Reading } from '../types.js';
import type { Recall } from './recall.js';

export interface QueryVector {
  vector: Float32Array;
  fingerprint: string;
  /** With the pieces of the query, when the model tells them. */
  reading?: Reading;
}

/** Null when there is no model, or no vector to compare with: the search then goes by words alone. */
export async function queryVector(recall: Recall, query: string): Promise<QueryVector | null> {
  const embedder = query.trim() === '' ? null : await recall.embedder.get();
  if (embedder === null || !(await recall.store.read((db) => hasVectors(db, embedder.fingerprint)))) return null;
  try {
    const { fingerprint } = embedder;
    if (embedder.read) {
      const reading = await embedder.read(query);
      return { vector: reading.vector, fingerprint, reading };
    }
    const [vector] = await embedder.embed([query]);
    return { vector: vector!, fingerprint };
  } catch (error) {
    recall.embedder.fail(messageOf(error));
    return null;
  }
}
