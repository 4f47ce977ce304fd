/** Vectors of lessons, as they are stored. */
import type { Db } from '../db.js';

/** Vectors of lessons with these texts, by their text. Those of ten thousand others are 15 MB. */
export async function lessonVectors(
  db: Db,
  fingerprint: string,
  texts: readonly string[],
): Promise<Map<string, Float32Array>> {
  const rows = await db.all<{ text: string; vector: number[] }>(
    `SELECT DISTINCT ON (text) text, vector FROM own.vectors WHERE owner = 'lesson' AND fingerprint = $fingerprint AND ` +
      'vector IS NOT NULL AND text IN (SELECT unnest($texts::VARCHAR[])) ORDER BY text, id',
    { fingerprint, texts },
  );
  return new Map(rows.map(({ text, vector }) => [text, Float32Array.from(vector)]));
}
