/** Entries that answer a query, in the mode that was asked for and can run. */
import {
  type Db,
  type EntryFilter,
  type EntryHit,
  type NearEntries,
  type RankedHit,
  fillTexts,
  nearEntries,
  rankWords,
  readStates,
  searchArchive,
  searchExact,
  surroundings,
} from '../store/index.js';
import { functionWordShare, hashTerm, partOf } from '../terms/index.js';
import type { Project } from '../types.js';
import type { QueryVector } from './query-vector.js';
import { weightTogether } from './passage.js';
import { askTokens, likeness } from './tokens.js';
import { adjust, fuse, questionLikeness, refine, shareOfMeaning, type Beside, type Signal } from './ranking.js';
import { scoreTexts } from './search-texts.js';
import type { Mode } from './hit.js';

/**
 * An entry with its score; `window` is the part that is near in meaning, when that is why it was found, `part` the row where it
 * stands, and `cosine` how near it is, joined rankings only.
 */
export type Found = RankedHit & { window: string | null; part: number | null; cosine?: number | null; time?: string | null };

/** Both rankings are read this deep before they are joined. */
const DEPTH = 200;

/** Texts of the best by words are looked at for how much of the query stands together in them. */
const COVERING = 3;
/** So many of the joined ranking are moved by what stands in and around them; texts cost more than rows. */
const MOVING = 60;
const READING = 20;
/** Terms of a long message. */
const LONG = 60;

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
 * @returns best first by BM25 (deep enough to be joined with meaning), or in exact mode the newest first
 */
export async function findByWords(db: Db, { mode, query, terms, limit, filter }: EntryQuery): Promise<WordsFound> {
  if (mode === 'semantic') return { found: [], weights: new Map() };
  if (mode === 'exact')
    return { found: (await searchExact(db, { ...filter, text: query, limit })).map(byWord), weights: new Map() };
  const depth = mode === 'hybrid' ? { limit: Math.max(limit, DEPTH), texts: COVERING } : { limit: 2 * limit, texts: limit };
  const { hits, weights } = await rankWords(db, { ...filter, terms: terms.map(hashTerm), ...depth });
  return { found: hits.map(byWord), weights: new Map(terms.map((term) => [term, weights.get(hashTerm(term)) ?? 0])) };
}

/**
 * Entries near in meaning joined with what words found. @returns best first; scores are cosines, or in hybrid mode the fused
 * score scaled to the best BM25
 */
export async function addMeaning(db: Db, words: WordsFound, vector: QueryVector, query: EntryQuery): Promise<Found[]> {
  const { mode, limit, filter, vectors } = query;
  const states = vectors === undefined ? {} : { states: vectors };
  const asked = { ...filter, vector: vector.vector, fingerprint: vector.fingerprint, limit: Math.max(limit, DEPTH), ...states };
  const { hits, windows } = await nearEntries(db, asked);
  const near = hits.map((hit) => ({ ...hit, window: null }));
  if (mode === 'semantic') return near;
  const tokens =
    query.without?.has('tokens') === true ? NO_TOKENS : await tokensOf(db, vector, { hits, windows }, words.weights, query);
  return join(db, words, near, tokens, query);
}

const NO_TOKENS: ReadonlyMap<string, number | null> = new Map();

/** Windows nearest to the query whose tokens are compared with it: with 300 of them fewer turns of a conversation are found. */
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

async function join(
  db: Db,
  { found: words, weights }: WordsFound,
  near: Found[],
  tokens: ReadonlyMap<string, number | null>,
  query: EntryQuery,
): Promise<Found[]> {
  const without = query.without ?? new Set<Signal>();
  const hits = new Map([...near, ...words].map((hit) => [hit.id, hit]));
  const parts = new Map(near.map(({ id, part }) => [id, part]));
  const cosines = new Map(near.map(({ id, score }) => [id, score]));
  const held = new Set(words.map(({ id }) => id));
  const covered = Math.max(0, ...words.slice(0, COVERING).map(({ text }) => weightTogether(text, weights)));
  const question = without.has('question') ? 0.5 : questionLikeness(functionWordShare(query.query));
  const meaning = tokens.size === 0 ? near : refine(near, tokens);
  const fused = fuse(words, meaning, shareOfMeaning(without.has('coverage') ? 0.5 : covered, question));
  const first = fused.slice(0, MOVING).map(({ id }) => hits.get(id)!);
  // What words did not find holds too little of the query for its text to be worth reading.
  const read = await fillTexts(
    db,
    first.slice(0, READING).filter(({ id }) => held.has(id)),
  );
  for (const hit of read) hits.set(hit.id, hit);
  const beside = await besideOf(db, first, new Map(read.map(({ id, text }) => [id, weightTogether(text, weights)])), without);
  const top = words[0]?.score ?? 1;
  return adjust(fused, beside, question).map(({ id, score }) => ({
    ...hits.get(id)!,
    score: Math.max(0, score) * top,
    part: held.has(id) ? null : (parts.get(id) ?? null),
    cosine: cosines.get(id) ?? null,
  }));
}

async function besideOf(
  db: Db,
  first: readonly Found[],
  together: ReadonlyMap<string, number>,
  without: ReadonlySet<Signal>,
): Promise<Map<string, Beside>> {
  const idOf = new Map(first.flatMap(({ key, id }) => (key === undefined ? [] : [[key.n, id] as const])));
  const around = await surroundings(db, [...idOf.keys()]);
  return new Map(
    first.map(({ id, key, role }) => {
      const { before, after, callFollows } = (key && around.get(key.n)) ?? { before: null, after: null, callFollows: false };
      const isProse = role === 'user' || role === 'assistant';
      return [
        id,
        {
          together: without.has('exactness') ? 0 : (together.get(id) ?? 0),
          neighbours:
            isProse && !without.has('neighbours') ? [before, after].flatMap((n) => (n !== null && idOf.get(n)) || []) : [],
          isLong: (key?.length ?? 0) > LONG,
          announcesCall: role === 'assistant' && callFollows && !without.has('calls'),
        },
      ];
    }),
  );
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
  const { projects: ids, agents, roles, from, until, tool, file } = filter;
  const rows = await searchArchive(db, {
    words: terms.map(partOf),
    exact,
    limit: Math.max(limit, CANDIDATES),
    ...(ids === undefined ? {} : { projects: projects.filter(({ id }) => ids.includes(id)).map(({ slug }) => slug) }),
    ...(agents === undefined ? {} : { agents }),
    ...(roles === undefined ? {} : { roles }),
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
    ...(tool === undefined ? {} : { tool }),
    ...(file === undefined ? {} : { file }),
  });
  const shares = exact === null ? scoreTexts(rows, terms) : rows.map((text) => ({ text, score: 1 }));
  return shares
    .map(({ text, score }) => ({ ...text, score: score * (text.origin === 'injected' ? INJECTED_WEIGHT : 1) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}
