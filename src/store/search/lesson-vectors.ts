/** Vectors of lessons, as they are stored: by their text, and next to what a person typed. */
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

/**
 * How near lessons are in meaning to what the person typed in a session: each one's highest cosine
 * with a part of a prompt, by id. Only what is embedded already, by one model; nothing for the
 * others.
 */
export async function nearPrompts(
  db: Db,
  { agent, session }: { agent: string; session: string },
  lessons: readonly { id: string; text: string }[],
): Promise<Map<string, number>> {
  if (lessons.length === 0) return new Map();
  const rows = await db.all<{ id: string; near: number }>(
    `WITH typed AS (
       SELECT v.fingerprint, v.vector FROM own.entries e JOIN own.vectors v ON v.owner = 'entry' AND v.id = e.id AND v.rev = e.rev
       WHERE e.agent = $agent AND e.session = $session AND e.role = 'user' AND e.origin = 'user' AND v.vector IS NOT NULL),
     known AS (SELECT unnest($ids::VARCHAR[]) AS id, unnest($texts::VARCHAR[]) AS text)
     SELECT k.id, max(array_inner_product(l.vector, t.vector))::DOUBLE AS near
     FROM known k JOIN own.vectors l ON l.owner = 'lesson' AND l.id = k.id AND l.text = k.text AND l.vector IS NOT NULL
     JOIN typed t ON t.fingerprint = l.fingerprint GROUP BY k.id`,
    { agent, session, ids: lessons.map(({ id }) => id), texts: lessons.map(({ text }) => text) },
  );
  return new Map(rows.map(({ id, near }) => [id, near]));
}
