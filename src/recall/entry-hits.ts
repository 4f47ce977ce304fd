/** Finds entries for a query, in the requested mode if it can run. */
import {
  type Db,
  type EntryFilter,
  type NearEntries,
  type RankedHit,
  nearEntries,
  rankWords,
  searchExact,
} from '../store/index.js';
import type { Mode } from '../types.js';
import { functionWordShare, hashTerm } from '../terms/index.js';
import type { QueryVector } from './query-vector.js';
import { weightTogether, type TermWeights } from './passage.js';
import { askTokens, likeness } from './tokens.js';
import { fuse, questionLikeness, refine, shareOfMeaning } from './ranking.js';

/** Number of hits of both rankings that are joined. */
const DEPTH = 200;

/** Number of best matches by words whose texts give the coverage. */
const COVERING = 3;

export interface EntryQuery {
  mode: Mode;
  query: string;
  terms: readonly string[];
  limit: number;
  filter: EntryFilter;
  /** File of the tokens' states. */
  vectors: string;
}

/** Matches by words, best first, with the weight of each term. */
export interface WordsFound {
  found: RankedHit[];
  weights: TermWeights;
}

/**
 * Finds matches by words. This needs no model, so it runs while the model loads.
 * @returns best first by BM25 (enough to be joined with meaning), or in exact mode the newest first
 */
export async function findByWords(
  db: Db,
  { mode, query, terms, limit, filter }: EntryQuery,
): Promise<WordsFound> {
  if (mode === 'exact')
    return { found: await searchExact(db, { ...filter, text: query, limit }), weights: new Map() };
  const depth =
    mode === 'hybrid'
      ? { limit: Math.max(limit, DEPTH), texts: COVERING }
      : { limit: 2 * limit, texts: limit };
  const { hits, weights } = await rankWords(db, {
    ...filter,
    terms: terms.map(hashTerm),
    ...depth,
  });
  return {
    found: hits,
    weights: new Map(terms.map((term) => [term, weights.get(hashTerm(term)) ?? 0])),
  };
}

/**
 * Finds entries near in meaning and joins them with the matches by words.
 * @returns best first; scores are cosines, or in hybrid mode the fused score scaled to the best
 * BM25
 */
export async function addMeaning(
  db: Db,
  words: WordsFound,
  { vector, fingerprint, reading }: QueryVector,
  { mode, query, limit, filter, vectors }: EntryQuery,
): Promise<RankedHit[]> {
  const near = await nearEntries(db, {
    ...filter,
    vector,
    fingerprint,
    limit: Math.max(limit, DEPTH),
    states: vectors,
  });
  if (mode === 'semantic') return near.hits;
  const tokens =
    reading === undefined
      ? new Map<string, null>()
      : tokensOf(askTokens(reading, words.weights), near);
  return join(words, near.hits, tokens, query);
}

/**
 * Number of nearest windows whose tokens are compared with the query. With more windows, search
 * finds fewer of the expected turns.
 */
const TOKEN_WINDOWS = 100;

/** Likeness of the best window of each entry, token by token; null without stored tokens. */
function tokensOf(
  asked: ReturnType<typeof askTokens>,
  { hits, windows }: NearEntries,
): ReadonlyMap<string, number | null> {
  const best = new Map<string, number | null>();
  const idOf = new Map(hits.map(({ n, id }) => [n, id]));
  for (const { n, signs } of windows.slice(0, TOKEN_WINDOWS)) {
    const id = idOf.get(n);
    if (id === undefined) continue;
    const score = signs === null ? null : likeness(asked, signs);
    const known = best.get(id) ?? null;
    best.set(id, known === null || (score !== null && score > known) ? score : known);
  }
  return best;
}

function join(
  { found: words, weights }: WordsFound,
  near: readonly RankedHit[],
  tokens: ReadonlyMap<string, number | null>,
  query: string,
): RankedHit[] {
  const hits = new Map([...near, ...words].map((hit) => [hit.id, hit]));
  const cosines = new Map(near.map(({ id, cosine }) => [id, cosine]));
  const covered = Math.max(
    0,
    ...words.slice(0, COVERING).map(({ text }) => weightTogether(text, weights)),
  );
  const share = shareOfMeaning(covered, questionLikeness(functionWordShare(query)));
  const fused = fuse(words, tokens.size === 0 ? near : refine(near, tokens), share);
  const top = words[0]?.score ?? 1;
  return fused.map(({ id, score }) => ({
    ...hits.get(id)!,
    score: score * top,
    cosine: cosines.get(id) ?? null,
  }));
}
