/** How near two lessons are in meaning; their vectors are made first where they are missing (hundreds, not every sentence of the log). */
import { lessonVectors, saveVectors } from '../store/index.js';
import type { Lesson } from '../types.js';
import type { JobContext } from './job.js';

export type Similarity = (a: Lesson, b: Lesson) => number;

/**
 * @param lessons those that were admitted
 * @returns cosine, -1..1; undefined without a model: the caller then compares words
 */
export async function lessonSimilarity(context: JobContext, lessons: readonly Lesson[]): Promise<Similarity | undefined> {
  const embedder = await context.embedder.get();
  if (embedder === null || lessons.length < 2) return undefined;
  const { fingerprint } = embedder;
  const vectors = await context.store.read((db) => lessonVectors(db, fingerprint));
  const missing = lessons.filter(({ text }) => !vectors.has(text));
  try {
    const made = await embedder.embed(missing.map(({ text }) => text));
    missing.forEach(({ text }, index) => vectors.set(text, made[index]!));
    const rows = missing.map(({ id, text }, index) => ({ owner: 'lesson' as const, id, rev: 1, fingerprint, part: 0, text, vector: made[index]! }));
    await context.store.write((db) => saveVectors(db, rows));
  } catch (error) {
    context.embedder.fail(error instanceof Error ? error.message : String(error));
    return undefined;
  }
  return (a, b) => cosine(vectors.get(a.text), vectors.get(b.text));
}

/** Both of unit length. */
const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number => (a && b ? a.reduce((sum, x, i) => sum + x * b[i]!, 0) : 0);
