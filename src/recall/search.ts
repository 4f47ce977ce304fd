/** Searches: entries by BM25 in the store, merged with lessons, episodes and notes. */
import { normaliseQuery } from '../terms/index.js';
import { loadProjects, type EntryFilter, type EntryHit, type RankedHit } from '../store/index.js';
import type { Hit, Mode, Role, SearchOptions } from '../types.js';
import { answersOf, type Candidate } from './answers.js';
import { addMeaning, findByWords, type WordsFound } from './entry-hits.js';
import { queryVector } from './query-vector.js';
import { type Recall, noteUses } from './recall.js';
import { searchTexts } from './search-texts.js';
import { weightTogether, type TermWeights } from './passage.js';

export interface SearchAnswer {
  /** The mode that was really used. */
  mode: Mode;
  /** True if the hits are not near the query. */
  weak: boolean;
  hits: Hit[];
}

const NO_WORDS: WordsFound = { found: [], weights: new Map() };

/** Never throws for odd queries; the list is empty if no word matches. */
export async function search(recall: Recall, options: SearchOptions): Promise<SearchAnswer> {
  const { query, limit } = options;
  const terms = normaliseQuery(query);
  const filter = filterOf(options);
  const asked = { query, terms, limit, filter, vectors: recall.paths.vectors };
  const wantsEntries = options.kind === null || options.kind === 'entry';
  const wantsTexts = options.kind !== 'entry' && options.role === null && options.file == null;
  const meaning = needsModel(options.mode) ? queryVector(recall, query) : Promise.resolve(null);
  meaning.catch(() => undefined);
  const { projects, words } = await recall.store.read(async (db) => ({
    projects: await loadProjects(db),
    words:
      wantsEntries && options.mode !== 'semantic'
        ? await findByWords(db, { ...asked, mode: options.mode })
        : NO_WORDS,
  }));
  const vector = await meaning;
  const mode = needsModel(options.mode) && vector === null ? 'keyword' : options.mode;
  const { found, hits, weights } = await recall.store.read(async (db) => {
    const entryQuery = { ...asked, mode };
    const { found, weights } =
      options.mode === 'semantic' && mode === 'keyword' && wantsEntries
        ? await findByWords(db, entryQuery)
        : words;
    const entries =
      wantsEntries && vector !== null ? await addMeaning(db, words, vector, entryQuery) : found;
    const texts = wantsTexts
      ? await searchTexts(db, recall.paths, projects, { ...options, mode, terms })
      : [];
    const known = new Map(terms.map((term) => [term, weights.get(term) ?? 0]));
    const ranked = mergeHits(entries, texts, mode);
    return {
      found: entries,
      hits: await answersOf(db, ranked, { mode, query, weights: known, limit }),
      weights: known,
    };
  });
  const weak = hits.length > 0 && isWeak(nearnessOf(hits, found, mode, weights));
  noteUses(
    recall,
    'search',
    (weak ? [] : hits).flatMap(({ type, id, project }) =>
      type === 'lesson' ? [{ type, id, project }] : [],
    ),
  );
  return { mode, weak, hits };
}

/** Whether a mode needs vectors, if there are any. */
export function needsModel(mode: Mode): boolean {
  return mode === 'hybrid' || mode === 'semantic';
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
 * A text with every word of the query ranks directly after the best entry, never before it, so that
 * entries found by words stay first.
 */
const BESIDE = 0.95;

/**
 * Best first, ties by id. In exact mode all match equally, so the newest come first and hits
 * without a time last.
 */
function mergeHits(
  found: readonly (RankedHit & Partial<EntryHit>)[],
  beside: readonly Hit[],
  mode: Mode,
): Candidate[] {
  const timeOf = (each: Candidate): string =>
    ('at' in each ? each.at : (each as Partial<EntryHit>).time) ?? '';
  if (mode === 'exact')
    return [...found, ...beside].sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
  const entries = found.map((hit) => ({ ...hit, score: rounded(hit.score) }));
  const top = entries[0]?.score ?? 1;
  const texts = beside.map((hit) => ({ ...hit, score: rounded(hit.score * top * BESIDE) }));
  return [...texts, ...entries].sort(
    (a, b) => b.score - a.score || Number('n' in a) - Number('n' in b) || (a.id < b.id ? -1 : 1),
  );
}

function rounded(score: number): number {
  return Math.round(score * 1e4) / 1e4;
}

// Decides whether the hits of a search are near the query, or only the nearest of unrelated texts.
// Pure.

interface Nearness {
  /** Share of the query's weight in the best passage, 0..1. */
  words: number;
  /** Cosine of the entry nearest in meaning; null if only words were compared. */
  meaning: number | null;
}

function nearnessOf(
  hits: readonly Hit[],
  found: readonly RankedHit[],
  mode: Mode,
  weights: TermWeights,
): Nearness {
  const known = Math.max(0, ...weights.values());
  // A word without an entry counts as the rarest.
  const all = new Map(
    [...weights].map(([term, weight]) => [term, weight > 0 ? weight : Math.max(known, 1)]),
  );
  const cosines = found.flatMap(({ cosine }) => cosine ?? []);
  const words =
    mode === 'exact' ? 1 : Math.max(0, ...hits.map(({ passage }) => weightTogether(passage, all)));
  return { words, meaning: cosines.length === 0 ? null : Math.max(...cosines) };
}

/** Below this share of the words a match is weak; docs/search.md has the measurement. */
const LEAST_WORDS = 0.55;
const LEAST_MEANING = 0.44;
/** Like `LEAST_WORDS`, for searches without vectors. */
const LEAST_WORDS_ALONE = 0.45;

/** Whether no hit is near the query. */
export function isWeak({ words, meaning }: Nearness): boolean {
  return meaning === null
    ? words < LEAST_WORDS_ALONE
    : words < LEAST_WORDS && meaning < LEAST_MEANING;
}

/** Number of weak hits that are shown by default. */
export const WEAK_SHOWN = 5;
