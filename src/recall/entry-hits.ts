/** Entries that answer a query, in the mode that was asked for and can run. */
import {
  fillTexts,
  passagesOf,
  searchExact,
  searchVectors,
  searchWords,
  type Db,
  type EntryFilter,
  type EntryHit,
} from '../store/index.js';
import { hashTerm, termsOf } from '../terms/index.js';
import { fuse, shareOfMeaning } from './fuse.js';
import type { QueryVector } from './query-vector.js';
import type { Mode } from './search.js';

/** An entry with its score; `window` is the part that is near in meaning, when that is why it was found, and `part` the row where it stands. */
export type Found = EntryHit & { window: string | null; part: number | null };

/** Both rankings are read this deep before they are joined. */
const DEPTH = 200;

/** Texts of the best are looked at for how many of the query's terms they hold. */
const COVERING = 3;

export interface EntryQuery {
  mode: Mode;
  query: string;
  terms: readonly string[];
  limit: number;
  filter: EntryFilter;
}

/**
 * What words find; it needs no model, so it is looked up while that loads.
 * @returns best first by BM25 (deep enough to be joined with meaning), or in exact mode the newest first
 */
export const findByWords = async (db: Db, { mode, query, terms, limit, filter }: EntryQuery): Promise<Found[]> => {
  if (mode === 'semantic') return [];
  if (mode === 'exact') return (await searchExact(db, { ...filter, text: query, limit })).map(byWord);
  const depth = mode === 'hybrid' ? { limit: Math.max(limit, DEPTH), texts: COVERING } : { limit };
  return (await searchWords(db, { ...filter, terms: terms.map(hashTerm), ...depth })).map(byWord);
};

/** The best `limit` with what is shown of them: rankings are read without texts. Call it in the transaction that found them. */
export const withTexts = async (db: Db, found: readonly Found[], limit: number): Promise<Found[]> => {
  const best = await fillTexts(db, found.slice(0, limit));
  const passages = await passagesOf(
    db,
    best.flatMap(({ part }) => part ?? []),
  );
  return best.map((hit) => (hit.part === null ? hit : { ...hit, window: passages.get(hit.part) ?? null }));
};

/** Entries near in meaning joined with what words found. @returns best first; scores are cosines, or in hybrid mode the fused score scaled to the best BM25 */
export const addMeaning = async (
  db: Db,
  words: Found[],
  vector: QueryVector,
  { mode, terms, limit, filter }: EntryQuery,
): Promise<Found[]> => {
  const near = (await searchVectors(db, { ...filter, ...vector, limit: Math.max(limit, DEPTH) })).map((hit) => ({
    ...hit,
    window: null,
  }));
  return mode === 'semantic' ? near : join(words, near, terms);
};

const byWord = (hit: EntryHit): Found => ({ ...hit, window: null, part: null });

const join = (words: Found[], near: Found[], terms: readonly string[]): Found[] => {
  const hits = new Map([...near, ...words].map((hit) => [hit.id, hit]));
  const parts = new Map(near.map(({ id, part }) => [id, part]));
  const top = words[0]?.score ?? 1;
  const held = new Set(words.map(({ id }) => id));
  return fuse(words, near, shareOfMeaning(coverageOf(words, terms))).map(({ id, score }) => ({
    ...hits.get(id)!,
    score: score * top,
    part: held.has(id) ? null : (parts.get(id) ?? null),
  }));
};

/** Share of the query's terms that the best entries hold: the most of the first three. */
const coverageOf = (words: readonly Found[], terms: readonly string[]): number => {
  const shares = words.slice(0, COVERING).map(({ text }) => {
    const own = termsOf(text.slice(0, 100_000));
    return terms.filter((term) => own.has(term)).length / Math.max(1, terms.length);
  });
  return Math.max(0, ...shares);
};
