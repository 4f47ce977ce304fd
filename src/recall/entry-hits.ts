/** Entries that answer a query, in the mode that was asked for and can run. */
import {
  type Db,
  type EntryFilter,
  type EntryHit,
  fillTexts,
  passagesOf,
  searchArchive,
  searchExact,
  searchVectors,
  searchWords,
} from '../store/index.js';
import { hashTerm, termsOf } from '../terms/index.js';
import type { Project } from '../types.js';
import type { QueryVector } from './query-vector.js';
import { scoreTexts } from './search-texts.js';
import type { Mode } from './hit.js';

/**
 * An entry with its score; `window` is the part that is near in meaning, when that is why it was found, and `part` the row where
 * it stands.
 */
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
export async function findByWords(db: Db, { mode, query, terms, limit, filter }: EntryQuery): Promise<Found[]> {
  if (mode === 'semantic') return [];
  if (mode === 'exact') return (await searchExact(db, { ...filter, text: query, limit })).map(byWord);
  const depth = mode === 'hybrid' ? { limit: Math.max(limit, DEPTH), texts: COVERING } : { limit };
  return (await searchWords(db, { ...filter, terms: terms.map(hashTerm), ...depth })).map(byWord);
}

/** The best `limit` with what is shown of them: rankings are read without texts. Call it in the transaction that found them. */
export async function withTexts(db: Db, found: readonly Found[], limit: number): Promise<Found[]> {
  const best = await fillTexts(db, found.slice(0, limit));
  const passages = await passagesOf(
    db,
    best.flatMap(({ part }) => part ?? []),
  );
  return best.map((hit) => (hit.part === null ? hit : { ...hit, window: passages.get(hit.part) ?? null }));
}

/**
 * Entries near in meaning joined with what words found. @returns best first; scores are cosines, or in hybrid mode the fused
 * score scaled to the best BM25
 */
export async function addMeaning(
  db: Db,
  words: Found[],
  vector: QueryVector,
  { mode, terms, limit, filter }: EntryQuery,
): Promise<Found[]> {
  const near = (await searchVectors(db, { ...filter, ...vector, limit: Math.max(limit, DEPTH) })).map((hit) => ({
    ...hit,
    window: null,
  }));
  return mode === 'semantic' ? near : join(words, near, terms);
}

function byWord(hit: EntryHit): Found {
  return { ...hit, window: null, part: null };
}

function join(words: Found[], near: Found[], terms: readonly string[]): Found[] {
  const hits = new Map([...near, ...words].map((hit) => [hit.id, hit]));
  const parts = new Map(near.map(({ id, part }) => [id, part]));
  const top = words[0]?.score ?? 1;
  const held = new Set(words.map(({ id }) => id));
  return fuse(words, near, shareOfMeaning(coverageOf(words, terms))).map(({ id, score }) => ({
    ...hits.get(id)!,
    score: score * top,
    part: held.has(id) ? null : (parts.get(id) ?? null),
  }));
}

/** Share of the query's terms that the best entries hold: the most of the first three. */
function coverageOf(words: readonly Found[], terms: readonly string[]): number {
  const shares = words.slice(0, COVERING).map(({ text }) => {
    const own = termsOf(text.slice(0, 100_000));
    return terms.filter((term) => own.has(term)).length / Math.max(1, terms.length);
  });
  return Math.max(0, ...shares);
}

// Words and meaning in one ranking: normalised scores, so that what words find is not lost (equal-weight reciprocal ranks lose
// it).

interface Ranked {
  id: string;
  score: number;
}

/** Share that meaning has when the best entry holds every word of the query, and when it holds none. */
const LEAST_MEANING = 0.1;
const MOST_MEANING = 0.6;

/**
 * How much meaning counts. A query whose words stand together in one entry was typed to find that entry; one whose words are
 * scattered is a paraphrase.
 * @param coverage share of the query's weight that the best entry by words holds, 0..1
 */
export function shareOfMeaning(coverage: number): number {
  return MOST_MEANING - (MOST_MEANING - LEAST_MEANING) * Math.min(1, Math.max(0, coverage)) ** 2;
}

/** Scores as parts of the best one; cosines count from the weakest of the list, since unrelated texts have one too. */
function normalise(ranked: readonly Ranked[], floor: number): Map<string, number> {
  const top = Math.max(...ranked.map(({ score }) => score), floor);
  return new Map(ranked.map(({ id, score }) => [id, top > floor ? Math.max(0, (score - floor) / (top - floor)) : 1]));
}

/**
 * @param words best first, by BM25
 * @param meaning best first, by cosine
 * @param share weight of meaning, 0..1
 * @returns ids of both lists with a score of at most 1, best first; ties in the order of the lists, words first
 */
export function fuse(words: readonly Ranked[], meaning: readonly Ranked[], share: number): Ranked[] {
  const byWords = normalise(words, 0);
  const byMeaning = normalise(meaning, meaning.at(-1)?.score ?? 0);
  const ids = new Set([...byWords.keys(), ...byMeaning.keys()]);
  return [...ids]
    .map((id) => ({ id, score: (1 - share) * (byWords.get(id) ?? 0) + share * (byMeaning.get(id) ?? 0) }))
    .sort((a, b) => b.score - a.score);
}

// Hits from the archive's files, for entries whose text left the database.

/** Candidates by parts of words; whole terms then decide. */
const CANDIDATES = 200;
/** As in the store: what a program put in ranks below what people, agents and tools said. */
const INJECTED_WEIGHT = 0.25;

interface ArchiveAsk {
  mode: Mode;
  query: string;
  terms: readonly string[];
  filter: EntryFilter;
  limit: number;
}

/**
 * The archive has no vectors and no postings: in every mode but `exact` words decide.
 * @returns best first, scored 0..1 by the share of the query's weight that each holds
 */
export async function findArchived(
  db: Db,
  projects: readonly Project[],
  { mode, query, terms, filter, limit }: ArchiveAsk,
): Promise<EntryHit[]> {
  const exact = mode === 'exact' ? query : null;
  const { projects: ids, agents, roles, from, until } = filter;
  const rows = await searchArchive(db, {
    words: terms.map(needleOf),
    exact,
    limit: Math.max(limit, CANDIDATES),
    ...(ids === undefined ? {} : { projects: projects.filter(({ id }) => ids.includes(id)).map(({ slug }) => slug) }),
    ...(agents === undefined ? {} : { agents }),
    ...(roles === undefined ? {} : { roles }),
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
  });
  const shares = exact === null ? scoreTexts(rows, terms) : rows.map((text) => ({ text, score: 1 }));
  return shares
    .map(({ text, score }) => ({ ...text, score: score * (text.origin === 'injected' ? INJECTED_WEIGHT : 1) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

/** What a text that holds a term has in common with it: the stem of `policies` is `policy`. */
function needleOf(term: string): string {
  return /^[a-z]{4,}y$/.test(term) ? term.slice(0, -1) : term;
}
