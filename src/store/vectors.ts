import type { Origin, Role } from '../types.js';
import { first } from './db.js';
import type { Db } from './db.js';
import { entryCondition } from './filter.js';
import type { EntryFilter } from './filter.js';
import { TIES, fetchHits } from './search-words.js';
import type { EntryHit, Ranked } from './search-words.js';

export type VectorOwner = 'entry' | 'lesson' | 'episode';

/** A text that has no vector of this fingerprint yet. */
export interface MissingVector {
  owner: VectorOwner;
  id: string;
  rev: number;
  text: string;
  role: Role | null;
  origin: Origin | null;
}

/** One part of a text with its vector; `vector` null says that there is nothing to embed in it. */
export interface VectorRow {
  owner: VectorOwner;
  id: string;
  rev: number;
  fingerprint: string;
  part: number;
  text: string | null;
  vector: Float32Array | null;
}

/** Roles whose texts are prose; calls and results are found by their words. */
const ROLES: Role[] = ['user', 'assistant'];

const MISSING = `
  SELECT 'lesson' AS owner, l.id, 1 AS rev, l.text, NULL AS role, NULL AS origin, 0 AS place, 0 AS n FROM own.lessons l
  WHERE l.status IN ('live', 'conflict')
    AND NOT EXISTS (FROM own.vectors v WHERE v.owner = 'lesson' AND v.id = l.id AND v.fingerprint = $fingerprint AND v.text = l.text)
  UNION ALL
  SELECT 'entry', e.id, e.rev, t.text, e.role, e.origin, CASE e.origin WHEN 'user' THEN 1 ELSE 2 END, -e.n
  FROM own.entries e JOIN own.texts t ON t.n = e.n
  WHERE e.role IN (SELECT unnest($roles)) AND e.origin <> 'injected' AND NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)
    AND NOT EXISTS (FROM own.vectors v WHERE v.owner = 'entry' AND v.id = e.id AND v.rev = e.rev AND v.fingerprint = $fingerprint)`;

/** Texts without a vector of this model: lessons, then sentences of the user, then the newest. Ask for some hundreds at once. */
export const missingVectors = (db: Db, fingerprint: string, limit: number, roles: Role[] = ROLES): Promise<MissingVector[]> =>
  db.all(`SELECT owner, id, rev, text, role, origin FROM (${MISSING}) ORDER BY place, n, id LIMIT $limit`, { fingerprint, roles, limit });

export async function countMissing(db: Db, fingerprint: string, roles: Role[] = ROLES): Promise<number> {
  return (await first<{ count: number }>(db, `SELECT count(*) AS count FROM (${MISSING})`, { fingerprint, roles }))?.count ?? 0;
}

/** Vectors of entries that this model made: 0 means that search by meaning has nothing to look at. */
export async function countVectors(db: Db, fingerprint: string): Promise<number> {
  return (await first<{ count: number }>(db, `SELECT count(*) AS count FROM own.vectors WHERE owner = 'entry' AND fingerprint = $fingerprint`, { fingerprint }))?.count ?? 0;
}

/** Stores vectors; the parts of a text are replaced together. */
export async function saveVectors(db: Db, rows: VectorRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db.run(
    `DELETE FROM own.vectors v USING (SELECT unnest($owners) AS owner, unnest($ids) AS id, unnest($fingerprints) AS fingerprint) n
     WHERE v.owner = n.owner AND v.id = n.id AND v.fingerprint = n.fingerprint`,
    { owners: rows.map((r) => r.owner), ids: rows.map((r) => r.id), fingerprints: rows.map((r) => r.fingerprint) },
  );
  await db.append('own.vectors', {
    owner: rows.map((r) => r.owner), id: rows.map((r) => r.id), rev: rows.map((r) => r.rev), fingerprint: rows.map((r) => r.fingerprint),
    part: rows.map((r) => r.part), text: rows.map((r) => r.text), vector: rows.map((r) => r.vector),
  });
}

export interface VectorQuery extends EntryFilter {
  vector: Float32Array;
  fingerprint: string;
  limit: number;
}

/** An entry with its best part by cosine; `passage` is that part. */
export type VectorHit = EntryHit & { passage: string | null };

/** Entries by the cosine of their best part, exact over all vectors of this model; ties by id. `score` is the cosine. */
export async function searchVectors(db: Db, { vector, fingerprint, limit, ...filter }: VectorQuery): Promise<VectorHit[]> {
  const { joins, where, params } = entryCondition(filter);
  const near = `SELECT id, rev, part, text, round(array_cosine_similarity(vector, $vector::FLOAT[${vector.length}])::DOUBLE, 6) AS score
    FROM own.vectors WHERE owner = 'entry' AND fingerprint = $fingerprint AND vector IS NOT NULL`;
  const ranked = await db.all<Ranked>(
    `WITH bests AS (SELECT id, rev, max(score) AS score FROM (${near}) GROUP BY id, rev),
     scored AS MATERIALIZED (SELECT e.n, b.score FROM bests b JOIN own.entries e ON e.id = b.id AND e.rev = b.rev ${joins} WHERE ${where})
     SELECT n, score FROM scored WHERE score >= (SELECT min(score) FROM (SELECT score FROM scored ORDER BY score DESC LIMIT $limit))
     ORDER BY score DESC, n LIMIT $limit + ${TIES}`,
    { ...params, vector, fingerprint, limit },
  );
  const hits = await fetchHits(db, ranked, limit);
  if (hits.length === 0) return [];
  const passages = await db.all<{ id: string; text: string | null }>(
    `SELECT id, arg_max(text, score) AS text FROM (${near} AND id IN (SELECT unnest($ids))) GROUP BY id`,
    { vector, fingerprint, ids: hits.map(({ id }) => id) },
  );
  const passageOf = new Map(passages.map(({ id, text }) => [id, text]));
  return hits.map((hit) => ({ ...hit, passage: passageOf.get(hit.id) ?? null }));
}

/** Cosine of lessons or episodes to a vector, best first. */
export const nearest = (db: Db, owner: VectorOwner, vector: Float32Array, fingerprint: string, limit: number): Promise<{ id: string; score: number }[]> =>
  db.all(
    `SELECT id, max(array_cosine_similarity(vector, $vector::FLOAT[${vector.length}]))::DOUBLE AS score FROM own.vectors
     WHERE owner = $owner AND fingerprint = $fingerprint AND vector IS NOT NULL GROUP BY id ORDER BY score DESC, id LIMIT $limit`,
    { owner, vector, fingerprint, limit },
  );

/** Vectors of lessons by their text, for merging by meaning. */
export async function lessonVectors(db: Db, fingerprint: string): Promise<Map<string, Float32Array>> {
  const rows = await db.all<{ text: string; vector: number[] }>(
    `SELECT DISTINCT ON (text) text, vector FROM own.vectors WHERE owner = 'lesson' AND fingerprint = $fingerprint AND vector IS NOT NULL ORDER BY text, id`,
    { fingerprint },
  );
  return new Map(rows.map(({ text, vector }) => [text, Float32Array.from(vector)]));
}

/** Removes vectors of other models. Returns how many. */
export const dropForeignVectors = (db: Db, fingerprint: string): Promise<number> =>
  db.run('DELETE FROM own.vectors WHERE fingerprint <> $fingerprint', { fingerprint });
