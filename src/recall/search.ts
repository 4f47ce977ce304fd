/**
 * A query in, hits out: entries by BM25 in the store, lessons, episodes and notes ranked beside
 * them.
 */
import { normaliseQuery } from '../terms/index.js';
import { loadProjects, type Db, type EntryFilter } from '../store/index.js';
import type { Hit, Mode, Project, Role, SearchOptions } from '../types.js';
import { answersOf, candidateOf, roundScore, type Candidate } from './answers.js';
import {
  addMeaning,
  findByWords,
  type EntryQuery,
  type Found,
  type WordsFound,
} from './entry-hits.js';
import { queryVector, type QueryVector } from './query-vector.js';
import type { Signal } from './ranking.js';
import { type Recall, noteUses } from './recall.js';
import { searchTexts } from './search-texts.js';
import { weightTogether, type TermWeights } from './passage.js';

export interface SearchAnswer {
  /** The mode that really ran. */
  mode: Mode;
  /** What was found is not near what was asked. */
  weak: boolean;
  hits: Hit[];
}

const NO_WORDS: WordsFound = { found: [], weights: new Map() };

/**
 * Never throws for odd queries: words that match nothing give an empty list.
 * @param without signals that the ranking goes without, to measure what they are worth
 */
export async function search(
  recall: Recall,
  options: SearchOptions,
  without?: ReadonlySet<Signal>,
): Promise<SearchAnswer> {
  const terms = normaliseQuery(options.query);
  const { mode: wanted, query, limit } = options;
  const { vectors } = recall.paths;
  const asked = {
    mode: wanted,
    query,
    terms,
    limit,
    filter: filterOf(options),
    vectors,
    ...(without && { without }),
  };
  const meaning = needsModel(options.mode)
    ? queryVector(recall, options.query)
    : Promise.resolve(null);
  meaning.catch(() => undefined);
  const { projects, words } = await recall.store.read(async (db) => ({
    projects: await loadProjects(db),
    words: wantsEntries(options) ? await findByWords(db, asked) : NO_WORDS,
  }));
  const vector = await meaning;
  const mode = needsModel(options.mode) && vector === null ? 'keyword' : options.mode;
  // Before the snapshot is taken: what a later commit adds is read at the next question.
  const stamp = recall.texts.stampOf();
  const found = await recall.store.read((db) =>
    answer(db, recall, options, { ...asked, mode }, { projects, words, vector, stamp }),
  );
  const hits = found.hits.slice(0, limit);
  const weak = hits.length > 0 && found.weak;
  noteUses(
    recall,
    'search',
    (weak ? [] : hits).flatMap(({ type, id, project }) =>
      type === 'lesson' ? [{ type, id, project }] : [],
    ),
  );
  return { mode, weak, hits };
}

interface Ranking {
  projects: Project[];
  words: WordsFound;
  vector: QueryVector | null;
  /** State of the store before the snapshot. */
  stamp: string;
}

async function answer(
  db: Db,
  recall: Recall,
  options: SearchOptions,
  asked: EntryQuery,
  { projects, words, vector, stamp }: Ranking,
): Promise<{ hits: Hit[]; weak: boolean }> {
  const { mode, query, terms, limit } = asked;
  const found = await findEntries(db, options, words, vector, asked);
  const entries = found.map(candidateOf);
  const texts = wantsTexts(options)
    ? await searchTexts(
        db,
        recall.texts.texts(db, recall.paths, projects, stamp),
        options,
        mode,
        terms,
      )
    : [];
  const ranked = mergeHits(entries, texts, mode);
  const weights = new Map(terms.map((term) => [term, words.weights.get(term) ?? 0]));
  const hits = await answersOf(db, ranked, { mode, query, weights, limit });
  return { hits, weak: isWeak(nearnessOf(hits, found, mode, weights)) };
}

async function findEntries(
  db: Db,
  options: SearchOptions,
  words: WordsFound,
  vector: QueryVector | null,
  query: EntryQuery,
): Promise<Found[]> {
  if (!wantsEntries(options)) return [];
  if (vector !== null) return addMeaning(db, words, vector, query);
  return (options.mode === 'semantic' ? await findByWords(db, query) : words).found;
}

/** Whether a mode asks for vectors, if there are any. */
export function needsModel(mode: Mode): boolean {
  return mode === 'hybrid' || mode === 'semantic';
}

function ENTRY_ONLY(options: SearchOptions): boolean {
  return options.role !== null || options.file != null;
}
function wantsEntries({ kind }: SearchOptions): boolean {
  return kind === null || kind === 'entry';
}
function wantsTexts(options: SearchOptions): boolean {
  return options.kind !== 'entry' && !ENTRY_ONLY(options);
}

function filterOf({ project, agent, role, file, since, until }: SearchOptions): EntryFilter {
  return {
    ...(project === null ? {} : { projects: [project] }),
    ...(agent === null ? {} : { agents: [agent] }),
    ...(role === null ? {} : { roles: [role as Role] }),
    ...(file == null ? {} : { file: file.replaceAll('\\', '/') }),
    ...(since === null ? {} : { from: `${since}T00:00:00.000Z` }),
    ...(until === null ? {} : { until: dayAfter(until) }),
  };
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString();
}

/**
 * A text that holds every word of the query comes right behind the best entry, never before it:
 * what words find is not lost.
 */
const BESIDE = 0.95;

/**
 * Best first, ties by id; in exact mode, where all hold the text alike, the newest first and what
 * has no time last.
 */
function mergeHits(entries: Candidate[], beside: Hit[], mode: Mode): Candidate[] {
  if (mode === 'exact')
    return [...entries, ...beside.map((hit): Candidate => ({ hit, found: null }))].sort((a, b) =>
      (b.hit.at ?? '').localeCompare(a.hit.at ?? ''),
    );
  const top = entries[0]?.hit.score ?? 1;
  const scaled = beside.map((hit): Candidate => ({
    hit: { ...hit, score: roundScore(hit.score * top * BESIDE) },
    found: null,
  }));
  return [...entries, ...scaled].sort(
    ({ hit: a }, { hit: b }) =>
      b.score - a.score ||
      Number(a.type === 'entry') - Number(b.type === 'entry') ||
      (a.id < b.id ? -1 : 1),
  );
}

// Whether what a search found is near what was asked, or only the least far of what there is. Pure.

interface Nearness {
  /** Share of the query's weight that stands together in the best passage, 0..1. */
  words: number;
  /** Cosine of the entry nearest in meaning; null when words alone decided. */
  meaning: number | null;
}

function nearnessOf(
  hits: readonly Hit[],
  found: readonly Found[],
  mode: Mode,
  weights: TermWeights,
): Nearness {
  const known = Math.max(0, ...weights.values());
  // A word that no entry holds is the rarest of all.
  const all = new Map(
    [...weights].map(([term, weight]) => [term, weight > 0 ? weight : Math.max(known, 1)]),
  );
  const cosines = found.flatMap(({ cosine, score }) =>
    mode === 'semantic' ? score : (cosine ?? []),
  );
  const words =
    mode === 'exact' && hits.length > 0
      ? 1
      : Math.max(0, ...hits.map(({ text }) => weightTogether(text, all)));
  return { words, meaning: cosines.length === 0 ? null : Math.max(...cosines) };
}

/**
 * Measured on queries of six real projects, each also asked of the other five, none of which can
 * answer it: none of 79 queries by words is called weak in its own project, 29 of 40 that
 * paraphrase what was found are (their first hit is seldom right), and of 735 foreign ones 77 to 84
 * in 100. Nothing here tells a paraphrase from a foreign question: their cosines are 0.40 and 0.34
 * in the middle.
 */
const LEAST_WORDS = 0.55;
const LEAST_MEANING = 0.44;
/** By words alone: none of 79, and of foreign queries 86 to 90 in 100. */
const LEAST_WORDS_ALONE = 0.45;

/** Nothing that was found is near what was asked. */
export function isWeak({ words, meaning }: Nearness): boolean {
  return meaning === null
    ? words < LEAST_WORDS_ALONE
    : words < LEAST_WORDS && meaning < LEAST_MEANING;
}

/** How many weak hits are shown unless more are asked for. */
export const WEAK_SHOWN = 5;
