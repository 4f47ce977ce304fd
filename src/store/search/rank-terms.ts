/**
 * BM25 over the postings, summed in arrays by the running number of the entry. The engine's joins
 * and groups cost ten times as much per posting (100,000 entries, three frequent words: 107 ms of
 * processor time, now 16).
 */
import { type Db, first } from '../db.js';
import { GROUP_ROWS, selectRows } from './numbers.js';
import { eachCondition, entryCondition, type EntryFilter } from './entry-filter.js';

/** BM25 as in Robertson and Zaragoza 2009, with the idf of Lucene, which is never negative. */
const K1 = 1.2;
const B = 0.75;

/** Text that a program put into a conversation ranks below what people, agents and tools said. */
const INJECTED_WEIGHT = 0.25;

/**
 * Running numbers per pass: 50 MB of arrays and 12 bytes a posting, however many entries there are.
 */
const RANGE = 4_194_304;

/** Limit on entries that tie with the last hit: among equal ones the smallest ids win. */
const TIES = 500;

export interface Ranked {
  n: number;
  score: number;
}

/** Which entries to rank, and how many to return at most. */
interface TermQuery extends EntryFilter {
  limit: number;
}

interface Totals {
  docs: number;
  average: number;
  last: number;
}

/** The entries that terms find, one list for each query, and how much each term weighs. */
interface TermRankings {
  /**
   * Best first, then by number, as many as asked for and those that tie with the last one. Scores
   * are rounded, so that equal entries tie exactly whatever the order of their terms.
   */
  rankings: Ranked[][];
  /** By hash, of the terms that count; a term that no entry contains weighs most. */
  weights: Map<bigint, number>;
}

export interface Reading {
  /**
   * Only so many of the terms are scored, those that the fewest entries hold: most postings are of
   * the commonest.
   */
  rarest?: number | undefined;
  /** Up to so many entries the project of each is looked up. Replaced in tests. */
  small?: number | undefined;
  /** Replaced in tests. */
  range?: number | undefined;
}

/**
 * Ranks entries by the same terms for several queries at once, which read entries and postings
 * together. Weights of terms come from the whole store, whatever a query leaves out.
 * @param hashes of the terms, each once
 */
export async function rankTerms(
  db: Db,
  hashes: readonly bigint[],
  queries: readonly TermQuery[],
  { rarest = Infinity, small = GROUP_ROWS, range = RANGE }: Reading = {},
): Promise<TermRankings> {
  const totals = (await first<Totals>(
    db,
    'SELECT count(*)::DOUBLE AS docs, greatest(avg(length), 1e0) AS average, coalesce(max(n), 0) AS last FROM own.entries',
  ))!;
  const weighed = await weigh(db, hashes, rarest, { ...totals, range });
  const weights = new Map(weighed.scored.map((hash, i) => [hash, weighed.idfs[i]!]));
  if (!weighed.isHeld) return { rankings: queries.map(() => []), weights };
  const alone = (query: TermQuery): TermQuery => ({ ...query, limit: query.limit + TIES });
  const isWide = ({ projects }: TermQuery): boolean =>
    projects !== undefined && totals.last >= small;
  const best = await bestOf(
    db,
    weighed,
    queries.map((query) => (isWide(query) ? ofAllProjects(query) : alone(query))),
  );
  const rankings: Ranked[][] = [];
  for (const [at, query] of queries.entries()) {
    const within = isWide(query) ? await pickWithin(db, query, best[at]!) : best[at]!;
    rankings.push(withTies(within ?? (await bestOf(db, weighed, [alone(query)]))[0]!, query.limit));
  }
  return { rankings, weights };
}

/** The best for each query, as many as it limits. */
async function bestOf(
  db: Db,
  weighed: Weighed,
  queries: readonly TermQuery[],
): Promise<Ranked[][]> {
  const best = queries.map(({ limit }) => new Best(limit));
  const { last, range, scored, postings } = weighed;
  for (let from = 0; from <= last; from += range) {
    const part = last < range ? null : { from, to: Math.min(last, from + range - 1) };
    const held = postings ?? (await postingsIn(db, scored, part));
    const lengths = await lengthsIn(db, queries, part, last);
    best.forEach((each, i) => addScores(each, held, lengths[i]!, { ...weighed, from }));
  }
  return best.map((each) => each.take());
}

/** What ranking knows before it looks at entries. */
interface Weighed extends Totals {
  /** Hashes of the terms that count, and how much each weighs. */
  scored: readonly bigint[];
  idfs: readonly number[];
  /** Whether any entry holds one of them. */
  isHeld: boolean;
  /** All postings of them, when they are read in one pass. */
  postings: Postings | null;
  range: number;
}

/**
 * One pass over the postings, which may not be sorted yet, is enough when all terms count and all
 * numbers fit into one range.
 */
async function weigh(
  db: Db,
  hashes: readonly bigint[],
  rarest: number,
  totals: Totals & { range: number },
): Promise<Weighed> {
  const isOneRange = totals.last < totals.range;
  const weighed = (
    scored: readonly bigint[],
    counts: readonly number[],
    postings: Postings | null,
  ): Weighed => ({
    ...totals,
    scored,
    idfs: counts.map((count) => Math.log(1 + (totals.docs - count + 0.5) / (count + 0.5))),
    isHeld: counts.some((count) => count > 0),
    postings,
  });
  if (hashes.length <= rarest && isOneRange) {
    const postings = await postingsIn(db, hashes, null);
    return weighed(hashes, countIn(postings, hashes.length), postings);
  }
  const all = await countHolders(db, hashes);
  const places = [...hashes.keys()].sort((a, b) => all[a]! - all[b]! || a - b);
  const held = places.filter((place) => all[place]! > 0).slice(0, rarest);
  // A term that no entry holds costs nothing, and its weight tells how new a text is.
  const taken = [...places.filter((place) => all[place] === 0), ...held].sort((a, b) => a - b);
  const scored = taken.map((place) => hashes[place]!);
  const counts = taken.map((place) => all[place]!);
  return weighed(scored, counts, isOneRange ? await postingsIn(db, scored, null) : null);
}

/** So many of the best of all projects are looked through: some first, then many at once. */
const LOOKED_THROUGH = 4096;
const FIRST = 32;
const AT_ONCE = 512;

function ofAllProjects({ projects: _, ...query }: TermQuery): TermQuery {
  return { ...query, limit: LOOKED_THROUGH };
}

/**
 * The best of some projects among the best of all: to find the project of each of a million entries
 * took ten times as long as to rank them.
 * @returns null when too few of the best are theirs: they must be ranked alone
 */
async function pickWithin(
  db: Db,
  { projects, limit }: TermQuery,
  best: readonly Ranked[],
): Promise<Ranked[] | null> {
  const isAll = best.length < LOOKED_THROUGH;
  const kept: Ranked[] = [];
  for (
    let [at, to] = [0, Math.max(FIRST, limit)];
    at < best.length;
    [at, to] = [to, to + AT_ONCE]
  ) {
    const some = best.slice(at, to);
    const here = await numbersWithin(db, projects!, some);
    kept.push(...some.filter(({ n }) => here.has(n)));
    const next = best[to];
    const isWhole =
      next === undefined ? isAll : kept.length >= limit && next.score < kept[limit - 1]!.score;
    if (isWhole) return kept;
    // All of them would hardly hold enough.
    if (!isAll && at > 0 && kept.length * LOOKED_THROUGH < limit * to) return null;
  }
  return isAll ? kept : null;
}

/**
 * Those that tie with the last one are among them, as many as {@link TIES}: the caller orders equal
 * ones by their ids.
 */
function withTies(ranked: readonly Ranked[], limit: number): Ranked[] {
  const edge = ranked[limit - 1]?.score ?? 0;
  return ranked.slice(0, limit + TIES).filter(({ score }) => score >= edge);
}

async function numbersWithin(
  db: Db,
  projects: string[],
  ranked: readonly Ranked[],
): Promise<Set<number>> {
  const { joins, where, params } = entryCondition({ projects });
  const rows = selectRows(
    'n, agent, session, cwd',
    ranked.map(({ n }) => n),
  );
  const found = await db.all<{ n: number }>(
    `SELECT e.n FROM (${rows}) e ${joins} WHERE ${where}`,
    params,
  );
  return new Set(found.map(({ n }) => n));
}

/** Running numbers from and to, both inclusive; null: all. */
type Part = { from: number; to: number } | null;

/** A condition that is always true costs five times as much as the pass itself. */
function partCondition(part: Part): string {
  return part === null ? 'true' : `n BETWEEN ${BigInt(part.from)} AND ${BigInt(part.to)}`;
}

/**
 * Numbers of entries relative to their range, how often each has the term, and the position of the
 * term in the query.
 */
type Postings = (readonly [entries: Int32Array, counts: Int32Array, terms: Int32Array])[];

/**
 * Unlike a bound list, literal hashes let the engine skip row groups by their minimum and maximum.
 * They are integers, so nothing can be injected.
 */
async function postingsIn(db: Db, hashes: readonly bigint[], part: Part): Promise<Postings> {
  const place = hashes.map((hash, i) => `WHEN ${BigInt(hash)} THEN ${i}`).join(' ');
  const found: [Int32Array, Int32Array, Int32Array][] = [];
  await db.scan(
    `SELECT (n - ${BigInt(part?.from ?? 0)})::INTEGER, count, (CASE hash ${place} END)::INTEGER FROM own.postings
     WHERE hash IN (${listed(hashes)}) AND ${partCondition(part)}`,
    ([entries, counts, terms]) => found.push([entries!.slice(), counts!.slice(), terms!.slice()]),
  );
  return found;
}

function listed(hashes: readonly bigint[]): string {
  return hashes.map((hash) => BigInt(hash)).join(', ');
}

/** How many entries contain each term. */
async function countHolders(db: Db, hashes: readonly bigint[]): Promise<number[]> {
  const rows = await db.all<{ hash: bigint | number; count: number }>(
    `SELECT hash, count(*) AS count FROM own.postings WHERE hash IN (${listed(hashes)}) GROUP BY hash`,
  );
  const counts = new Map(rows.map(({ hash, count }) => [BigInt(hash), count]));
  return hashes.map((hash) => counts.get(hash) ?? 0);
}

function countIn(postings: Postings, terms: number): number[] {
  const counts = new Array<number>(terms).fill(0);
  for (const [, , places] of postings) for (const place of places) counts[place]!++;
  return counts;
}

interface Weighing {
  idfs: readonly number[];
  average: number;
  /** The first number of the range. */
  from: number;
}

function addScores(
  best: Best,
  postings: Postings,
  lengths: Int32Array,
  { idfs, average, from }: Weighing,
): void {
  const scores = new Float64Array(lengths.length);
  for (const [entries, counts, terms] of postings)
    for (let i = 0; i < entries.length; i++) {
      const length = lengths[entries[i]!]!;
      if (length === 0) continue;
      const count = counts[i]!;
      const norm = K1 * (1 - B + (B * (Math.abs(length) - 1)) / average);
      scores[entries[i]!]! += (idfs[terms[i]!]! * count * (K1 + 1)) / (count + norm);
    }
  for (let at = 0; at < scores.length; at++)
    if (scores[at]! > 0)
      best.add(from + at, scores[at]! * (lengths[at]! < 0 ? INJECTED_WEIGHT : 1));
}

/**
 * For each query length + 1 of each entry that may be found, negative for injected text; 0 for any
 * other number.
 */
async function lengthsIn(
  db: Db,
  queries: readonly TermQuery[],
  part: Part,
  last: number,
): Promise<Int32Array[]> {
  const from = part?.from ?? 0;
  const found = queries.map(() => new Int32Array((part?.to ?? last) - from + 1));
  const [only] = found;
  const among = part === null ? '' : `e.${partCondition(part)} AND `;
  const row = `(e.n - ${BigInt(from)})::INTEGER, CASE e.origin WHEN 'injected' THEN -e.length - 1 ELSE e.length + 1 END`;
  const { joins, where, params, columns } =
    found.length === 1 ? { ...entryCondition(queries[0]!), columns: [] } : eachCondition(queries);
  await db.scan(
    `SELECT ${[row, ...columns].join(', ')} FROM own.entries e ${joins} WHERE ${among}${where}`,
    ([entries, values, ...masks]) => {
      if (masks.length === 0)
        for (let i = 0; i < entries!.length; i++) only![entries![i]!] = values![i]!;
      else
        masks.forEach((mask, each) => {
          const lengths = found[each]!;
          for (let i = 0; i < entries!.length; i++)
            if (mask[i] === 1) lengths[entries![i]!] = values![i]!;
        });
    },
    params,
  );
  return found;
}

/** Keeps the best of many without storing the others. */
class Best {
  private kept: Ranked[] = [];
  private least = 0;

  constructor(private readonly limit: number) {}

  add(n: number, score: number): void {
    const rounded = Math.round(score * 1e9) / 1e9;
    if (rounded <= this.least && this.kept.length >= this.limit) return;
    this.kept.push({ n, score: rounded });
    if (this.kept.length >= this.limit * 4) this.kept = this.take();
  }

  take(): Ranked[] {
    const best = this.kept.sort((a, b) => b.score - a.score || a.n - b.n).slice(0, this.limit);
    // Among equal ones the first stay; later ones have larger numbers.
    this.least = best.length === this.limit ? best.at(-1)!.score : 0;
    return best;
  }
}
