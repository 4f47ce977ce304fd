/** Entries that answer a query, in the mode that was asked for and can run. */
import {
  type Db,
  type EntryFilter,
  type NearEntries,
  type RankedHit,
  nearEntries,
  rankWords,
  readStates,
  searchExact,
} from '../store/index.js';
import type { Mode } from '../types.js';
import { functionWordShare, hashTerm } from '../terms/index.js';
import type { QueryVector } from './query-vector.js';
import { weightTogether } from './passage.js';
import { askTokens, likeness } from './tokens.js';
import { fuse, questionLikeness, refine, shareOfMeaning, type Signal } from './ranking.js';

/**
 * An entry with its score; `window` is the part that is near in meaning, when that is why it was
 * found, `part` the row where it stands, and `cosine` how near it is, joined rankings only.
 */
export type Found = RankedHit & {
  window: string | null;
  part: number | null;
  cosine?: number | null;
  time?: string | null;
};

/** Both rankings are read this deep before they are joined. */
const DEPTH = 200;

/** Texts of the best by words are looked at for how much of the query stands together in them. */
const COVERING = 3;

export interface EntryQuery {
  mode: Mode;
  query: string;
  terms: readonly string[];
  limit: number;
  filter: EntryFilter;
  /** File of the tokens' states; absent: there is none. */
  vectors?: string;
  /** Signals that the ranking goes without. */
  without?: ReadonlySet<Signal>;
}

/** What words find, best first, with the weight of each term. */
export interface WordsFound {
  found: Found[];
  weights: ReadonlyMap<string, number>;
}

/**
 * What words find; it needs no model, so it is looked up while that loads.
 * @returns best first by BM25 (deep enough to be joined with meaning), or in exact mode the newest
 * first
 */
export async function findByWords(
  db: Db,
  { mode, query, terms, limit, filter }: EntryQuery,
): Promise<WordsFound> {
  if (mode === 'semantic') return { found: [], weights: new Map() };
  if (mode === 'exact')
    return {
      found: (await searchExact(db, { ...filter, text: query, limit })).map(byWord),
      weights: new Map(),
    };
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
    found: hits.map(byWord),
    weights: new Map(terms.map((term) => [term, weights.get(hashTerm(term)) ?? 0])),
  };
}

/**
 * Entries near in meaning joined with what words found. @returns best first; scores are cosines, or
 * in hybrid mode the fused score scaled to the best BM25
 */
export async function addMeaning(
  db: Db,
  words: WordsFound,
  vector: QueryVector,
  query: EntryQuery,
): Promise<Found[]> {
  const { mode, limit, filter, vectors } = query;
  const states = vectors === undefined ? {} : { states: vectors };
  const asked = {
    ...filter,
    vector: vector.vector,
    fingerprint: vector.fingerprint,
    limit: Math.max(limit, DEPTH),
    ...states,
  };
  const { hits, windows } = await nearEntries(db, asked);
  const near = hits.map((hit) => ({ ...hit, window: null }));
  if (mode === 'semantic') return near;
  const tokens =
    query.without?.has('tokens') === true
      ? NO_TOKENS
      : await tokensOf(db, vector, { hits, windows }, words.weights, query);
  return join(words, near, tokens, query);
}

const NO_TOKENS: ReadonlyMap<string, number | null> = new Map();

/**
 * Windows nearest to the query whose tokens are compared with it: with 300 of them fewer turns of a
 * conversation are found.
 */
const TOKEN_WINDOWS = 100;

/** How well the best window of each entry answers token by token, null where no tokens are kept. */
async function tokensOf(
  db: Db,
  { reading }: QueryVector,
  { hits, windows }: NearEntries,
  weights: ReadonlyMap<string, number>,
  { vectors }: EntryQuery,
): Promise<ReadonlyMap<string, number | null>> {
  if (reading === undefined || vectors === undefined) return NO_TOKENS;
  const looked = windows.slice(0, TOKEN_WINDOWS);
  const asked = askTokens(reading, weights);
  const signs = await readStates(
    db,
    vectors,
    looked.flatMap(({ place }) => place ?? []),
  );
  const best = new Map<string, number | null>();
  const idOf = new Map(hits.map(({ key, id }) => [key?.n, id]));
  for (const { n, place } of looked) {
    const id = idOf.get(n);
    if (id === undefined) continue;
    const bytes = place === null ? undefined : signs.get(place);
    const score = bytes === undefined ? null : likeness(asked, bytes);
    const known = best.get(id) ?? null;
    best.set(id, known === null || (score !== null && score > known) ? score : known);
  }
  return best;
}

function byWord(hit: RankedHit): Found {
  return { ...hit, window: null, part: null };
}

function join(
  { found: words, weights }: WordsFound,
  near: Found[],
  tokens: ReadonlyMap<string, number | null>,
  query: EntryQuery,
): Found[] {
  const without = query.without ?? new Set<Signal>();
  const hits = new Map([...near, ...words].map((hit) => [hit.id, hit]));
  const parts = new Map(near.map(({ id, part }) => [id, part]));
  const cosines = new Map(near.map(({ id, score }) => [id, score]));
  const held = new Set(words.map(({ id }) => id));
  const covered = Math.max(
    0,
    ...words.slice(0, COVERING).map(({ text }) => weightTogether(text, weights)),
  );
  const question = without.has('question') ? 0.5 : questionLikeness(functionWordShare(query.query));
  const meaning = tokens.size === 0 ? near : refine(near, tokens);
  const fused = fuse(
    words,
    meaning,
    shareOfMeaning(without.has('coverage') ? 0.5 : covered, question),
  );
  const top = words[0]?.score ?? 1;
  return fused.map(({ id, score }) => ({
    ...hits.get(id)!,
    score: score * top,
    part: held.has(id) ? null : (parts.get(id) ?? null),
    cosine: cosines.get(id) ?? null,
  }));
}
