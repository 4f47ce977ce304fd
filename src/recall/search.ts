/** A query in, hits out: entries by BM25 in the store, lessons, episodes and notes ranked beside them. */
import { normaliseQuery } from '../terms/index.js';
import { askArchive, countLeft, loadProjects, type Db, type EntryFilter } from '../store/index.js';
import type { Role } from '../types.js';
import type { Mode, SearchHit, SearchOptions } from './hit.js';
import { addMeaning, findByWords, withTexts, type EntryQuery, type Found, type WordsFound, findArchived } from './entry-hits.js';
import { queryVector, type QueryVector } from './query-vector.js';
import { passageOf } from './passage.js';
import type { Signal } from './ranking.js';
import type { Recall } from './recall.js';
import { searchTexts } from './search-texts.js';
import { noteUses } from './uses.js';

export interface SearchAnswer {
  /** The mode that really ran. */
  mode: Mode;
  /** A model put the first hits in order. */
  ordered: boolean;
  /** Entries whose text only the archive has, so that this search did not see it; 0 when the archive was searched too. */
  archive_only: number;
  hits: SearchHit[];
}

const NO_WORDS: WordsFound = { found: [], weights: new Map() };

/**
 * Never throws for odd queries: words that match nothing give an empty list.
 * @param without signals that the ranking goes without, to measure what they are worth
 */
export async function search(recall: Recall, options: SearchOptions, without?: ReadonlySet<Signal>): Promise<SearchAnswer> {
  const terms = normaliseQuery(options.query);
  const { mode: wanted, query, limit } = options;
  const { vectors } = recall.paths;
  const asked = { mode: wanted, query, terms, limit, filter: filterOf(options), vectors, ...(without && { without }) };
  const meaning = needsModel(options.mode) ? queryVector(recall, options.query) : Promise.resolve(null);
  meaning.catch(() => undefined);
  const { projects, words } = await recall.store.read(async (db) => ({
    projects: await loadProjects(db),
    words: wantsEntries(options) ? await findByWords(db, asked) : NO_WORDS,
  }));
  const vector = await meaning;
  const mode = needsModel(options.mode) && vector === null ? 'keyword' : options.mode;
  const { hits, archiveOnly } = await askArchive(recall.paths.projects, () =>
    recall.store.read(async (db) => {
      const found = await findEntries(db, options, words, vector, { ...asked, mode });
      const entries = (await withTexts(db, found, options.limit)).map((hit) =>
        entryHit(hit, passageIn(hit, mode, options.query, new Set(terms))),
      );
      const texts = wantsTexts(options) ? await searchTexts(db, recall.shelf, recall.paths, projects, options, mode, terms) : [];
      const archived =
        options.archive === true && wantsEntries(options) ? await findArchived(db, projects, { ...asked, mode }) : [];
      const beside = [
        ...texts,
        ...archived.map((hit) =>
          entryHit(
            { ...hit, window: null, part: null },
            passageIn({ ...hit, window: null, part: null }, mode, options.query, new Set(terms)),
            'archive',
          ),
        ),
      ];
      const left =
        options.archive === true || !wantsEntries(options)
          ? 0
          : await countLeft(db, options.project === null ? undefined : [options.project]);
      return { hits: mergeHits(entries, beside, options), archiveOnly: left };
    }),
  );
  // Loaded only when it is switched on, since loading takes time.
  const ordered =
    recall.config.llm.order_hits < 2 ? null : await (await import('./order-hits.js')).orderHits(recall, options.query, hits);
  noteUses(
    recall,
    'search',
    hits.flatMap(({ type, id, project }) => (type === 'lesson' ? [{ type, id, project }] : [])),
  );
  return { mode, ordered: ordered !== null, archive_only: archiveOnly, hits: ordered ?? hits };
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
  return [options.role, options.agent, options.tool ?? null, options.file ?? null].some((filter) => filter !== null);
}
function wantsEntries({ kind }: SearchOptions): boolean {
  return kind === null || kind === 'entry';
}
function wantsTexts(options: SearchOptions): boolean {
  return options.kind !== 'entry' && !ENTRY_ONLY(options);
}

function filterOf({ project, agent, role, tool, file, since, until }: SearchOptions): EntryFilter {
  return {
    ...(project === null ? {} : { projects: [project] }),
    ...(agent === null ? {} : { agents: [agent] }),
    ...(role === null ? {} : { roles: [role as Role] }),
    ...(tool == null ? {} : { tool }),
    ...(file == null ? {} : { file: file.replaceAll('\\', '/') }),
    ...(since === null ? {} : { from: `${since}T00:00:00.000Z` }),
    ...(until === null ? {} : { until: dayAfter(until) }),
  };
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString();
}

function passageIn(hit: Found, mode: Mode, query: string, terms: ReadonlySet<string>): string {
  return mode === 'exact' ? exactPassage(hit.text, query) : passageOf(hit.window ?? hit.text, terms);
}

function entryHit(hit: Found, text: string, source: SearchHit['source'] = 'log'): SearchHit {
  return {
    type: 'entry',
    id: hit.id,
    score: source === 'archive' ? hit.score : round(hit.score),
    text,
    agent: hit.agent,
    session: hit.session,
    project: hit.project,
    at: hit.time,
    role: hit.role,
    path: hit.path,
    line: hit.line,
    source,
    citation:
      `${hit.path}:${hit.line}${hit.time ? ` · ${hit.time.slice(0, 16).replace('T', ' ')}` : ''} · ${hit.agent} ` +
      `${hit.session.slice(0, 8)}`,
  };
}

function exactPassage(text: string, query: string): string {
  const at = text.indexOf(query);
  const from = Math.max(0, at - 100);
  return passageOf(text.slice(from, from + 300 + query.length), new Set(normaliseQuery(query)));
}

/** A text that holds every word of the query comes right behind the best entry, never before it: what words find is not lost. */
const BESIDE = 0.95;

/** Best first, ties by id; in exact mode, where all hold the text alike, the newest first. */
function mergeHits(entries: SearchHit[], texts: SearchHit[], { limit, mode }: SearchOptions): SearchHit[] {
  if (mode === 'exact') return newestFirst([...entries, ...texts]).slice(0, limit);
  const top = entries[0]?.score ?? 1;
  const scaled = texts.map((hit) => ({ ...hit, score: round(hit.score * top * BESIDE) }));
  return [...entries, ...scaled]
    .sort((a, b) => b.score - a.score || Number(a.type === 'entry') - Number(b.type === 'entry') || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

/** What has no time comes last, in its order. */
function newestFirst(hits: SearchHit[]): SearchHit[] {
  return hits.sort((a, b) => (b.at ?? '').localeCompare(a.at ?? ''));
}

function round(score: number): number {
  return Math.round(score * 1e4) / 1e4;
}
