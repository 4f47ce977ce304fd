import type { Origin, Role } from '../../types.js';
import type { Db, Params } from '../db.js';
import { type TextKey, textsOf } from '../rows/texts.js';

/** An entry that a search found. */
export interface EntryHit {
  /** Its row in the database; absent when it was found elsewhere. */
  key?: TextKey;
  id: string;
  score: number;
  /** Empty when it left the database, or was not asked for yet; see `fillTexts`. */
  text: string;
  agent: string;
  session: string;
  /** Slug, or null outside any project. */
  project: string | null;
  time: string | null;
  role: Role;
  origin: Origin;
  tool: string | null;
  path: string;
  line: number;
}

/** BM25 as in Robertson and Zaragoza 2009, with the idf of Lucene, which is never negative. */
const K1 = '1.2e0';
const B = '0.75e0';

/** What a program put into a conversation ranks below what people, agents and tools said. */
const INJECTED_WEIGHT = '0.25e0';

const HIT_COLUMNS = 'e.id, e.agent, e.session, e.project, e.time, e.role, e.origin, e.tool, e.path, e.line';

interface WordQuery extends EntryFilter {
  /** Hashes of the query's terms (`hashTerm`); any of them may match. */
  terms: bigint[];
  limit: number;
  /** How many of the best come with their texts; absent: all. A text costs as much as the 2,048 around it. */
  texts?: number;
}

/** What words find, and how much each of the query's terms weighs, by its hash; most does one that no entry holds. */
interface WordRanking {
  hits: EntryHit[];
  weights: Map<bigint, number>;
}

/**
 * Entries that hold any of the terms, best first, ties by id. Weights of terms come from the whole store, whatever the filter.
 * The text is whole; choosing the passage is the caller's.
 */
export async function rankWords(db: Db, { terms, limit, texts, ...filter }: WordQuery): Promise<WordRanking> {
  const hashes = [...new Set(terms)];
  const weights = new Map(hashes.map((hash) => [hash, 0]));
  if (hashes.length === 0) return { hits: [], weights };
  const { joins, where, params } = entryCondition(filter);
  // Literal hashes, unlike a bound list, let DuckDB skip row groups by their minimum and maximum. They are integers, so nothing
  // can be injected.
  const list = hashes.map((term) => BigInt(term)).join(', ');
  // Scores are rounded because threads add in any order: equal entries have to tie exactly. Weights come as rows of the same
  // statement, since a second one would read the postings again.
  const rows = await db.all<{ n: number | null; score: number; hash: bigint | number | null }>(
    `WITH total AS (SELECT count(*)::DOUBLE AS docs, greatest(avg(length), 1e0) AS average FROM own.entries),
     hits AS MATERIALIZED (SELECT n, hash, count FROM own.postings WHERE hash IN (${list})),
     weights AS MATERIALIZED (
       SELECT hash, ln(1e0 + ((SELECT docs FROM total) - count(*) + 0.5e0) / (count(*) + 0.5e0)) AS idf FROM hits GROUP BY hash),
     scored AS MATERIALIZED (
       SELECT e.n, round(sum(w.idf * h.count * (${K1} + 1e0) / (h.count + ${K1} * (1e0 - ${B} + ${B} * e.length / (SELECT average
         FROM total)))
         * CASE e.origin WHEN 'injected' THEN ${INJECTED_WEIGHT} ELSE 1e0 END), 9) AS score
       FROM hits h JOIN weights w ON w.hash = h.hash JOIN own.entries e ON e.n = h.n ${joins} WHERE ${where} GROUP BY e.n),
     best AS (
       SELECT n, score FROM scored WHERE score >= (SELECT min(score) FROM (SELECT score FROM scored
         ORDER BY score DESC LIMIT $limit))
       ORDER BY score DESC, n LIMIT $limit + ${TIES})
     SELECT n, score, NULL::BIGINT AS hash FROM best UNION ALL SELECT NULL, idf, hash FROM weights
     UNION ALL SELECT NULL, ln(1e0 + (docs + 0.5e0) / 0.5e0), NULL FROM total ORDER BY score DESC, n`,
    { ...params, limit },
  );
  const absent = rows.find(({ n, hash }) => n === null && hash === null)!.score;
  const known = new Map(rows.flatMap(({ hash, score }) => (hash === null ? [] : [[BigInt(hash), score] as const])));
  for (const hash of hashes) weights.set(hash, known.get(hash) ?? absent);
  const ranked = rows.flatMap(({ n, score }) => (n === null ? [] : [{ n, score }]));
  return { hits: await fetchHits(db, await settleTies(db, ranked, limit), limit, texts), weights };
}

export async function searchWords(db: Db, query: WordQuery): Promise<EntryHit[]> {
  return (await rankWords(db, query)).hits;
}

/** How many entries with the score of the last hit are looked at: among equal ones the smallest ids win. */
const TIES = 500;

export interface Ranked {
  n: number;
  score: number;
}

/** At most `limit` of the ranked rows: of those that tie at the edge the smallest ids. Reads no more than the ids of these. */
async function settleTies(db: Db, ranked: Ranked[], limit: number): Promise<Ranked[]> {
  const edge = ranked[limit - 1]?.score;
  if (edge === undefined || ranked.length === limit) return ranked;
  const tied = ranked.filter(({ score }) => score === edge);
  const ids = await db.all<{ n: number; id: string }>(`SELECT n, id FROM own.entries WHERE n IN (${listOf(tied)}) ORDER BY id`);
  return [...ranked.filter(({ score }) => score > edge), ...ids.map(({ n }) => ({ n, score: edge }))].slice(0, limit);
}

/**
 * Running numbers as literals, which DuckDB compares with the minimum and maximum of each row group; they are integers, so
 * nothing can be injected.
 */
function listOf(rows: readonly { n: number }[]): string {
  return rows.map(({ n }) => BigInt(n)).join(', ');
}

/**
 * Ranked rows with all that a hit tells: best first, ties by id, at most `limit`; the texts of the first `texts` (absent: of
 * all).
 */
export async function fetchHits(
  db: Db,
  ranked: Ranked[],
  limit: number,
  texts = limit,
): Promise<(EntryHit & { key: TextKey })[]> {
  if (ranked.length === 0) return [];
  const scores = new Map(ranked.map(({ n, score }) => [n, score]));
  const rows = await db.all<Omit<EntryHit, 'key' | 'score' | 'text'> & TextKey>(
    `SELECT ${HIT_COLUMNS}, e.n, e.length FROM own.current_entries e WHERE e.n IN (${listOf(ranked)})`,
  );
  const hits = rows
    .map(({ n, length, ...row }) => ({ ...row, key: { n, length }, score: scores.get(n) ?? 0, text: '' }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
  return [...(await fillTexts(db, hits.slice(0, texts))), ...hits.slice(texts)];
}

/** The same hits with their texts, as far as the database has them. */
export async function fillTexts<Hit extends EntryHit>(db: Db, hits: readonly Hit[]): Promise<Hit[]> {
  const texts = await textsOf(
    db,
    hits.flatMap(({ key, text }) => (key === undefined || text !== '' ? [] : [key])),
  );
  return hits.map((hit) => (hit.key !== undefined && texts.has(hit.key.n) ? { ...hit, text: texts.get(hit.key.n)! } : hit));
}

/** Entries whose text holds the query literally (case as written), newest first, what a program put in last. */
export async function searchExact(
  db: Db,
  { text, limit, ...filter }: EntryFilter & { text: string; limit: number },
): Promise<EntryHit[]> {
  if (text === '') return [];
  const { joins, where, params } = entryCondition(filter);
  const found = await db.all<{ n: number }>(
    `SELECT e.n FROM own.texts t JOIN own.entries e ON e.n = t.n ${joins} WHERE contains(t.text, $text) AND ${where}
     ORDER BY e.origin = 'injected', e.time DESC NULLS LAST, e.id LIMIT $limit`,
    { ...params, text, limit },
  );
  const hits = await fetchHits(
    db,
    found.map(({ n }, place) => ({ n, score: -place })),
    limit,
  );
  return hits.map((hit) => ({ ...hit, score: 1 }));
}

/** Texts and places of given entries, e.g. the neighbours of a hit; unknown ids are left out. */
export async function entriesById(db: Db, ids: string[]): Promise<EntryHit[]> {
  return withTexts(
    db,
    await db.all(
      `SELECT ${HIT_COLUMNS}, e.n, e.length FROM own.current_entries e WHERE e.id IN (SELECT unnest($ids)) ORDER BY e.id`,
      { ids },
    ),
  );
}

async function withTexts(db: Db, rows: (Omit<EntryHit, 'score' | 'text'> & TextKey)[]): Promise<EntryHit[]> {
  const texts = await textsOf(db, rows);
  return rows.map(({ n, length: _, ...row }) => ({ ...row, score: 0, text: texts.get(n) ?? '' }));
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
  return withTexts(
    db,
    await db.all(
      `WITH here AS (SELECT agent, session, path, seq FROM own.current_entries WHERE id = $id),
     near AS (
       SELECT e.*, row_number() OVER (ORDER BY e.seq, e.id) AS place FROM own.current_entries e
       JOIN here h ON h.agent = e.agent AND h.session = e.session AND h.path = e.path)
     SELECT ${HIT_COLUMNS}, e.n, e.length FROM near e WHERE abs(e.place - (SELECT place FROM near WHERE id = $id)) <= $each
       ORDER BY e.place`,
      { id, each },
    ),
  );
}

/** Which entries a search may return; an absent field allows all. */
export interface EntryFilter {
  /** Project ids. */
  projects?: string[];
  agents?: string[];
  roles?: Role[];
  origins?: Origin[];
  sessions?: string[];
  /** Entry times, inclusive and exclusive, ISO 8601. */
  from?: string;
  until?: string;
  /** A tool by its name, in any case. */
  tool?: string;
  /** A part of the path of a file that the entry touched, or of its command. */
  file?: string;
}

/** The filter over `own.entries e`: what to join, the condition and its parameters. Superseded rows never pass. */
export function entryCondition(filter: EntryFilter): { joins: string; where: string; params: Params } {
  const params: Params = {};
  const parts = ['NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)'];
  const oneOf = (column: string, name: string, values: string[] | undefined): void => {
    if (!values) return;
    parts.push(`${column} IN (SELECT unnest($${name}))`);
    params[name] = values;
  };
  oneOf('coalesce(s.project_id, f.project)', 'projects', filter.projects);
  oneOf('e.agent', 'agents', filter.agents);
  oneOf('e.role', 'roles', filter.roles);
  oneOf('e.origin', 'origins', filter.origins);
  oneOf('e.session', 'sessions', filter.sessions);
  if (filter.from !== undefined) parts.push('e.time >= $from::TIMESTAMP');
  if (filter.until !== undefined) parts.push('e.time < $until::TIMESTAMP');
  if (filter.tool !== undefined) parts.push('lower(e.tool) = lower($tool)');
  if (filter.file !== undefined)
    parts.push(
      "(contains(e.command, $file) OR len(list_filter(e.files, lambda f: contains(replace(f, chr(92), '/'), $file))) > 0)",
    );
  if (filter.tool !== undefined) params.tool = filter.tool;
  if (filter.file !== undefined) params.file = filter.file;
  if (filter.from !== undefined) params.from = filter.from;
  if (filter.until !== undefined) params.until = filter.until;
  return { joins: filter.projects ? PROJECT_JOINS : '', where: parts.join(' AND '), params };
}

/** As in the view `own.current_entries`: the project that was settled for the session, else that of the folder. */
const PROJECT_JOINS =
  'LEFT JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session LEFT JOIN own.folders f ' + 'ON f.cwd = e.cwd';
