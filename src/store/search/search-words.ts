import type { Origin, Role } from '../../types.js';
import type { Db } from '../db.js';
import { rowsById, selectRows } from './numbers.js';
import { type TextKey, textsOf } from '../rows/texts.js';
import { entryCondition, type EntryFilter } from './entry-filter.js';
import { rankTerms, type Ranked } from './rank-terms.js';
import { WRITER } from './session-lines.js';

/** An entry in a ranking. */
export interface RankedHit extends TextKey {
  id: string;
  role: Role;
  score: number;
  /** Empty before `fillTexts`, or if the database lacks the text. */
  text: string;
  /** Row of the entry's part that is nearest in meaning; null: found by words. */
  part: number | null;
  cosine: number | null;
}

/** An entry with its place in the log; `fillPlaces` creates it from a ranked hit. */
export interface EntryHit {
  id: string;
  role: Role;
  text: string;
  agent: string;
  session: string;
  /** Slug, or null outside any project. */
  project: string | null;
  time: string | null;
  origin: Origin;
  tool: string | null;
  path: string;
  line: number;
}

const HIT_COLUMNS =
  'e.id, e.agent, e.session, e.project, e.time, e.role, e.origin, e.tool, e.path, e.line';

interface WordQuery extends EntryFilter {
  limit: number;
  /**
   * How many of the best hits include their texts; absent: all. Each text costs as much as reading
   * all 2,048 neighbours.
   */
  texts?: number;
}

interface Asked {
  /** Hashes of the query's terms (`hashTerm`); any of them may match. */
  terms: readonly bigint[];
  /** Number of terms to score; see `rankTerms`. */
  rarest?: number | undefined;
}

/** Weight of each term by its hash; a term that no entry contains weighs most. */
type Weights = Map<bigint, number>;

/**
 * Entries that contain any of the terms, best first, ties by id, for each of several queries.
 * Weights of terms come from the whole store, independent of the filter. Texts are whole; the
 * caller chooses the passage.
 */
export async function rankTogether(
  db: Db,
  { terms, rarest }: Asked,
  queries: readonly WordQuery[],
): Promise<{ found: RankedHit[][]; weights: Weights }> {
  const hashes = [...new Set(terms)];
  if (hashes.length === 0) return { found: queries.map(() => []), weights: new Map() };
  const { rankings, weights } = await rankTerms(db, hashes, queries, rarest);
  const found: RankedHit[][] = [];
  for (const [at, { limit, texts = limit }] of queries.entries()) {
    const hits = await fetchRanked(db, rankings[at]!, limit);
    found.push([...(await fillTexts(db, hits.slice(0, texts))), ...hits.slice(texts)]);
  }
  return { found, weights };
}

/** As `rankTogether`, for one query. */
export async function rankWords(
  db: Db,
  { terms, rarest, ...query }: WordQuery & Asked,
): Promise<{ hits: RankedHit[]; weights: Weights }> {
  const { found, weights } = await rankTogether(db, { terms, rarest }, [query]);
  return { hits: found[0]!, weights };
}

/** Ranked rows as hits without texts: best first, ties by id, at most `limit`. */
export async function fetchRanked(
  db: Db,
  ranked: readonly Ranked[],
  limit: number,
): Promise<RankedHit[]> {
  if (ranked.length === 0) return [];
  const scores = new Map(ranked.map(({ n, score }) => [n, score]));
  const rows = await db.all<Pick<RankedHit, 'n' | 'length' | 'id' | 'role'>>(
    selectRows(
      'n, length, id, role',
      ranked.map(({ n }) => n),
    ),
  );
  return rows
    .map((row) => ({ ...row, score: scores.get(row.n) ?? 0, text: '', part: null, cosine: null }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

/**
 * Adds the shown fields to hits, and drops hits that are no longer in the database. Slow, so only
 * for hits that are shown.
 */
export async function fillPlaces(
  db: Db,
  hits: readonly RankedHit[],
): Promise<(RankedHit & EntryHit)[]> {
  const places = new Map<number, Place>();
  for (let at = 0; at < hits.length; at += ROWS_AT_ONCE)
    for (const place of await placesOf(db, hits.slice(at, at + ROWS_AT_ONCE)))
      if (!places.has(place.n)) places.set(place.n, place);
  return hits.flatMap((hit) => {
    const place = places.get(hit.n);
    return place === undefined ? [] : [{ ...hit, ...place }];
  });
}

const ROWS_AT_ONCE = 40;

type Place = Omit<EntryHit, keyof RankedHit> & Pick<RankedHit, 'n'>;

/**
 * As in `own.current_entries`, but of an entry that a fork repeats, the place in the session that
 * wrote it comes first.
 */
function placesOf(db: Db, keys: readonly TextKey[]): Promise<Place[]> {
  const rows = selectRows(
    'n, id, agent, session, time, copied, path, line, cwd, log, origin, tool',
    keys.map(({ n }) => n),
  );
  return db.all(
    `WITH here AS MATERIALIZED (${rows}), e AS (FROM here UNION ALL
       SELECT h.n, c.id, c.agent, c.session, c.time, c.copied, c.path, c.line, c.cwd, c.log, h.origin, h.tool
       FROM own.copies c JOIN here h ON h.id = c.id)
     SELECT e.n, e.agent, e.session, p.slug AS project, e.time, e.origin, e.tool,
       coalesce(l.path, e.path) AS path, e.line FROM e LEFT JOIN own.sources l ON l.log = e.log
     LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session LEFT JOIN own.folders sf ON sf.cwd = s.cwd
     LEFT JOIN own.folders f ON f.cwd = e.cwd LEFT JOIN own.projects p ON p.id = coalesce(s.project, sf.project, f.project)
     ORDER BY e.copied, e.time, ${WRITER}, e.line`,
  );
}

/** Adds texts to hits, if the database has them. */
async function fillTexts(db: Db, hits: readonly RankedHit[]): Promise<RankedHit[]> {
  const texts = await textsOf(
    db,
    hits.filter(({ text }) => text === ''),
  );
  return hits.map((hit) => ({ ...hit, text: texts.get(hit.n) ?? hit.text }));
}

/** Adds places and texts. */
export async function fillHits(
  db: Db,
  hits: readonly RankedHit[],
): Promise<(RankedHit & EntryHit)[]> {
  return fillPlaces(db, await fillTexts(db, hits));
}

/**
 * Entries whose text contains the query literally (case-sensitive), newest first, injected texts
 * last.
 */
export async function searchExact(
  db: Db,
  { text, limit, ...filter }: EntryFilter & { text: string; limit: number },
): Promise<(RankedHit & EntryHit)[]> {
  if (text === '') return [];
  const { joins, where, params } = entryCondition(filter);
  const found = await db.all<{ n: number }>(
    `SELECT e.n FROM own.texts t JOIN own.entries e ON e.n = t.n ${joins} WHERE contains(t.text, $text) AND ${where}
     ORDER BY e.origin = 'injected', e.time DESC NULLS LAST, e.id LIMIT $limit`,
    { ...params, text, limit },
  );
  const ranked = found.map(({ n }, place) => ({ n, score: -place }));
  const hits = await fillHits(db, await fetchRanked(db, ranked, limit));
  return hits.map((hit) => ({ ...hit, score: 1 }));
}

/**
 * Texts and places of given entries, by id, e.g. the neighbours of a hit; unknown ids are left out.
 */
export async function entriesById(db: Db, ids: string[]): Promise<EntryHit[]> {
  const select = `SELECT ${HIT_COLUMNS}, e.n, e.length FROM own.current_entries e`;
  const rows = await rowsById<Textless>(db, select, ids);
  return withTexts(
    db,
    rows.sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
}

type Textless = Omit<EntryHit, 'text'> & TextKey;

async function withTexts(db: Db, rows: Textless[]): Promise<EntryHit[]> {
  const texts = await textsOf(db, rows);
  return rows.map(({ n, length: _, ...row }) => ({ ...row, text: texts.get(n) ?? '' }));
}

/** Ids that begin with `prefix`, at most `limit`. */
export async function entryIds(db: Db, prefix: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    'SELECT DISTINCT id FROM own.entries WHERE starts_with(id, $prefix) ORDER BY id LIMIT $limit',
    { prefix, limit },
  );
  return rows.map(({ id }) => id);
}

/** The entries just before and after one in its session, `each` on both sides, in order. */
export async function entryNeighbours(db: Db, id: string, each: number): Promise<EntryHit[]> {
  const [here] = await rowsById<Record<'agent' | 'session' | 'path', string>>(
    db,
    'SELECT e.agent, e.session, e.path FROM own.current_entries e',
    [id],
  );
  if (here === undefined) return [];
  return withTexts(
    db,
    await db.all(
      `WITH near AS (
       SELECT e.*, row_number() OVER (ORDER BY e.seq, e.id) AS place FROM own.current_entries e
       WHERE e.agent = $agent AND e.session = $session AND e.path = $path)
     SELECT ${HIT_COLUMNS}, e.n, e.length FROM near e WHERE abs(e.place - (SELECT place FROM near WHERE id = $id)) <= $each
       ORDER BY e.place`,
      { ...here, id, each },
    ),
  );
}
