/** BM25 over the postings. */
import { type Db, first } from '../db.js';
import { eachCondition, entryCondition, type EntryFilter } from './entry-filter.js';

/** BM25 as in Robertson and Zaragoza 2009, with the idf of Lucene, which is never negative. */
const K1 = 1.2;
const B = 0.75;

/** Text that a program injected ranks below texts of people, agents and tools. */
const INJECTED_WEIGHT = 0.25;

/** Limit on entries with the score of the last hit; among equal entries the smallest ids win. */
const TIES = 500;

export interface Ranked {
  n: number;
  score: number;
}

/** Which entries to rank; `limit`: how many to return. */
interface TermQuery extends EntryFilter {
  limit: number;
}

/** The found entries, one list for each query, and the weight of each term. */
interface TermRankings {
  /**
   * Best first, then by number, up to the limit plus entries that tie with the last one. Scores are
   * rounded, so that equal entries tie exactly in any order of terms.
   */
  rankings: Ranked[][];
  /** Weights of the scored terms by hash; a term that no entry contains weighs most. */
  weights: Map<bigint, number>;
}

/**
 * Ranks entries by the same terms for several queries at once. Weights of terms come from the whole
 * store, independent of filters.
 * @param hashes of the terms, each once
 * @param rarest number of terms to score, the rarest ones, since most postings are of the commonest
 */
export async function rankTerms(
  db: Db,
  hashes: readonly bigint[],
  queries: readonly TermQuery[],
  rarest = Infinity,
): Promise<TermRankings> {
  const { docs, average } = (await first<{ docs: number; average: number }>(
    db,
    'SELECT count(*)::DOUBLE AS docs, greatest(avg(length), 1e0) AS average FROM own.entries',
  ))!;
  const counts = await countHolders(db, hashes);
  const idfOf = (hash: bigint): number => {
    const count = counts.get(hash) ?? 0;
    return Math.log(1 + (docs - count + 0.5) / (count + 0.5));
  };
  const known = hashes
    .filter((hash) => counts.has(hash))
    .sort((a, b) => counts.get(a)! - counts.get(b)!)
    .slice(0, rarest);
  // A term that no entry contains costs nothing, and its weight shows how new a text is.
  const scored = [...hashes.filter((hash) => !counts.has(hash)), ...known];
  const weights = new Map(scored.map((hash) => [hash, idfOf(hash)]));
  if (known.length === 0) return { rankings: queries.map(() => []), weights };
  const terms = known.map((hash) => [hash, weights.get(hash)!] as const);
  const best = await rankEach(db, { terms, average }, queries);
  return { rankings: best.map((each, i) => withTies(each, queries[i]!.limit)), weights };
}

/**
 * Unlike a bound list, literal hashes let the engine skip row groups by their minimum and maximum.
 * They are integers, so nothing can be injected.
 */
function listed(hashes: readonly bigint[]): string {
  return hashes.map((hash) => BigInt(hash)).join(', ');
}

/** How many entries contain each term; absent: none. */
async function countHolders(db: Db, hashes: readonly bigint[]): Promise<Map<bigint, number>> {
  const rows = await db.all<{ hash: bigint | number; count: number }>(
    `SELECT hash, count(*) AS count FROM own.postings WHERE hash IN (${listed(hashes)}) GROUP BY hash`,
  );
  return new Map(rows.map(({ hash, count }) => [BigInt(hash), count]));
}

/** The terms that an entry of the filter contains. */
export async function termsFound(
  db: Db,
  hashes: readonly bigint[],
  filter: EntryFilter,
): Promise<Set<bigint>> {
  if (hashes.length === 0) return new Set();
  const { joins, where, params } = entryCondition(filter);
  const rows = await db.all<{ hash: bigint | number }>(
    `SELECT DISTINCT p.hash FROM own.postings p JOIN own.entries e ON e.n = p.n ${joins}
     WHERE p.hash IN (${listed(hashes)}) AND ${where}`,
    params,
  );
  return new Set(rows.map(({ hash }) => BigInt(hash)));
}

interface Weighed {
  /** Hashes with their idf. */
  terms: readonly (readonly [bigint, number])[];
  average: number;
}

/**
 * One pass over the postings for all queries. The exact filter checks only found entries, since
 * finding the project of all entries takes longer than ranking them.
 */
async function rankEach(
  db: Db,
  { terms, average }: Weighed,
  queries: readonly TermQuery[],
): Promise<Ranked[][]> {
  const { joins, where, near, params, columns } = eachCondition(queries);
  const idfs = terms.map(([hash, idf]) => `WHEN ${BigInt(hash)} THEN ${idf}::DOUBLE`).join(' ');
  const best = queries.map(
    ({ limit }, i) =>
      `(SELECT ${i} AS query, n, score FROM scored WHERE q${i} = 1 ORDER BY score DESC, n LIMIT ${limit + TIES})`,
  );
  const rows = await db.all<Ranked & { query: number }>(
    `WITH found AS (
       SELECT p.n, sum(CASE p.hash ${idfs} END * p.count * ${K1 + 1}::DOUBLE / (p.count + e.norm)) AS score
       FROM own.postings p JOIN (
         SELECT n, ${K1 * (1 - B)}::DOUBLE + length * ${K1 * B}::DOUBLE / $average AS norm FROM own.entries e WHERE ${near}) e ON e.n = p.n
       WHERE p.hash IN (${listed(terms.map(([hash]) => hash))}) GROUP BY p.n),
     scored AS (
       SELECT e.n, round(f.score * CASE e.origin WHEN 'injected' THEN ${INJECTED_WEIGHT}::DOUBLE ELSE 1 END, 9) AS score,
         ${columns.map((column, i) => `${column} AS q${i}`).join(', ')}
       FROM found f JOIN own.entries e ON e.n = f.n ${joins} WHERE ${where})
     ${best.join(' UNION ALL ')}`,
    { ...params, average },
  );
  const lists: Ranked[][] = queries.map(() => []);
  for (const { query, n, score } of rows) lists[query]!.push({ n, score });
  return lists.map((list) => list.sort((a, b) => b.score - a.score || a.n - b.n));
}

/**
 * Includes those that tie with the last one, since the caller orders equal entries by their ids.
 */
function withTies(best: readonly Ranked[], limit: number): Ranked[] {
  const edge = best[limit - 1]?.score ?? 0;
  return best.filter(({ score }) => score >= edge);
}
