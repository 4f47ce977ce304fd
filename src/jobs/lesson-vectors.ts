/** Vectors of lessons, by which their nearness in meaning is told; made first where they are missing (hundreds, not every sentence of the log). */
import { messageOf } from '../errors.js';
import { lessonVectors as storedVectors, saveVectors } from '../store/index.js';
import type { Lesson } from '../types.js';
import type { JobContext } from './job.js';

/**
 * @param lessons those that were admitted
 * @returns vectors of unit length by the lesson's text; null without a model
 */
export async function lessonVectors(context: JobContext, lessons: readonly Lesson[]): Promise<Map<string, Float32Array> | null> {
  const embedder = await context.embedder.get();
  if (embedder === null || lessons.length < 2) return null;
  const { fingerprint } = embedder;
  const known = await context.store.read((db) => storedVectors(db, fingerprint));
  const missing = lessons.filter(({ text }) => !known.has(text));
  try {
    const made = await embedder.embed(missing.map(({ text }) => text));
    const rows = missing.map(({ id, text }, index) => ({
      owner: 'lesson' as const,
      id,
      rev: 1,
      fingerprint,
      part: 0,
      text,
      vector: made[index]!,
    }));
    await context.store.write((db) => saveVectors(db, rows));
    for (const { text, vector } of rows) known.set(text, vector);
    // Wordings that a person replaced are compared too, and not kept: a lesson has one vector.
    const old = lessons.flatMap(({ learnt }) => (learnt && !known.has(learnt.text) ? [learnt.text] : []));
    (await embedder.embed(old)).forEach((vector, index) => known.set(old[index]!, vector));
    const texts = lessons.flatMap(({ text, learnt }) => (learnt ? [text, learnt.text] : [text]));
    return new Map(texts.flatMap((text) => (known.has(text) ? [[text, known.get(text)!]] : [])));
  } catch (error) {
    context.embedder.fail(messageOf(error));
    return null;
  }
}
