/** The vector of what was asked, and the model that made it. */
import { messageOf } from '../errors.js';
import { hasVectors } from '../store/index.js';
import type { Recall } from './recall.js';

export interface QueryVector {
  vector: Float32Array;
  fingerprint: string;
}

/** Null when there is no model, or no vector to compare with: the search then goes by words alone. */
export async function queryVector(recall: Recall, query: string): Promise<QueryVector | null> {
  const embedder = query.trim() === '' ? null : await recall.embedder.get();
  if (embedder === null || !(await recall.store.read((db) => hasVectors(db, embedder.fingerprint)))) return null;
  try {
    const [vector] = await embedder.embed([query]);
    return { vector: vector!, fingerprint: embedder.fingerprint };
  } catch (error) {
    recall.embedder.fail(messageOf(error));
    return null;
  }
}
