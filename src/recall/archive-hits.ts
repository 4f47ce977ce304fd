/** Hits from the archive's files, for entries whose text left the database. */
import { searchArchive, type Db, type EntryFilter, type EntryHit } from '../store/index.js';
import type { Project } from '../types.js';
import type { Mode } from './search.js';
import { scoreTexts } from './search-texts.js';

/** Candidates by parts of words; whole terms then decide. */
const CANDIDATES = 200;
/** As in the store: what a program put in ranks below what people, agents and tools said. */
const INJECTED_WEIGHT = 0.25;

export interface ArchiveAsk {
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
export const findArchived = async (
  db: Db,
  projects: readonly Project[],
  { mode, query, terms, filter, limit }: ArchiveAsk,
): Promise<EntryHit[]> => {
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
};

/** What a text that holds a term has in common with it: the stem of `policies` is `policy`. */
const needleOf = (term: string): string => (/^[a-z]{4,}y$/.test(term) ? term.slice(0, -1) : term);
