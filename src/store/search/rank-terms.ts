/**
 * BM25 over the postings, summed in arrays by the running number of the entry. The engine's joins and groups cost ten times as
 * much per posting (100,000 entries, three frequent words: 107 ms of processor time, now 16).
 */
import { type Db, first } from '../db.js';
import { entryCondition, type EntryFilter } from './entry-filter.js';

/** BM25 as in Robertson and Zaragoza 2009, with the idf of Lucene, which is never negative. */
const K1 = 1.2;
const B = 0.75;

/** Text that a program put into a conversation ranks below what people, agents and tools said. */
const INJECTED_WEIGHT = 0.25;

/** Running numbers per pass: 50 MB of arrays and 12 bytes a posting, however many entries there are. */
const RANGE = 4_194_304;

export interface Ranked {
  n: number;
  score: number;
}

interface TermQuery extends EntryFilter {
  /** Hashes of the query's terms, each once. */
  hashes: readonly bigint[];
  /** How many to return at most. */
  limit: number;
  /** Replaced in tests. */
  range?: number;
}

interface Totals {
  docs: number;
  average: number;
  last: number;
}

/** The entries that terms find, and how much each term weighs; a term that no entry contains weighs most. */
interface TermRanking {
  /** Best first, then by number; scores are rounded, so that equal entries tie exactly whatever the order of their terms. */
  ranked: Ranked[];
  weights: Map<bigint, number>;
}

/** Weights of terms come from the whole store, whatever the filter. */
export async function rankTerms(db: Db, { hashes, limit, range = RANGE, ...filter }: TermQuery): Promise<TermRanking> {
  const { docs, average, last } = (await first<Totals>(
    db,
    'SELECT count(*)::DOUBLE AS docs, greatest(avg(length), 1e0) AS average, coalesce(max(n), 0) AS last FROM own.entries',
  ))!;
  // One pass over the postings, which may not be sorted yet, is enough when all numbers fit into one range.
  const only = last < range ? await postingsIn(db, hashes, null) : null;
  const counts = only === null ? await countHolders(db, hashes) : countIn(only, hashes.length);
  const idfs = counts.map((count) => Math.log(1 + (docs - count + 0.5) / (count + 0.5)));
  const best = new Best(limit);
  for (let from = 0; from <= last && counts.some((count) => count > 0); from += range) {
    const part = only === null ? { from, to: Math.min(last, from + range - 1) } : null;
    const lengths = await lengthsIn(db, filter, part, last);
    addScores(best, only ?? (await postingsIn(db, hashes, part)), lengths, { idfs, average, from });
  }
  return { ranked: best.take(), weights: new Map(hashes.map((hash, i) => [hash, idfs[i]!])) };
}

/** Running numbers from and to, both inclusive; null: all. */
type Part = { from: number; to: number } | null;

/** A condition that is always true costs five times as much as the pass itself. */
function partCondition(part: Part): string {
  return part === null ? 'true' : `n BETWEEN ${BigInt(part.from)} AND ${BigInt(part.to)}`;
}

/** Numbers of entries relative to their range, how often each has the term, and the position of the term in the query. */
type Postings = (readonly [entries: Int32Array, counts: Int32Array, terms: Int32Array])[];

/**
 * Unlike a bound list, literal hashes let the engine skip row groups by their minimum and maximum. They are integers, so
 * nothing can be injected.
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

function addScores(best: Best, postings: Postings, lengths: Int32Array, { idfs, average, from }: Weighing): void {
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
    if (scores[at]! > 0) best.add(from + at, scores[at]! * (lengths[at]! < 0 ? INJECTED_WEIGHT : 1));
}

/** Length + 1 of each entry that may be found, negative for injected text; 0 for any other number. */
async function lengthsIn(db: Db, filter: EntryFilter, part: Part, last: number): Promise<Int32Array> {
  const from = part?.from ?? 0;
  const lengths = new Int32Array((part?.to ?? last) - from + 1);
  const { joins, where, params } = entryCondition(filter);
  await db.scan(
    `SELECT (e.n - ${BigInt(from)})::INTEGER, CASE e.origin WHEN 'injected' THEN -e.length - 1 ELSE e.length + 1 END
     FROM own.entries e ${joins} WHERE ${part === null ? '' : `e.${partCondition(part)} AND `}${where}`,
    ([entries, values]) => {
      for (let i = 0; i < entries!.length; i++) lengths[entries![i]!] = values![i]!;
    },
    params,
  );
  return lengths;
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
