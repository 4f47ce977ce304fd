/**
 * Finds windows near a query by the sign of each dimension, and compares a window by the signs of
 * its tokens.
 */
import type { Columns, Db } from '../db.js';
import { entryCondition, type EntryFilter } from './entry-filter.js';

/** Dimensions of one column. */
const WIDTH = 64;

/**
 * Columns of own.vectors with the signs of vectors of this length; the schema has the first six.
 */
function bitColumns(length: number): string[] {
  return Array.from({ length: Math.ceil(length / WIDTH) }, (_, i) => `b${i}`);
}

/** Signs as 32-bit words, lowest bit first; two words form a column. */
function wordsOf(vector: Float32Array): Int32Array {
  const words = new Int32Array(2 * Math.ceil(vector.length / WIDTH));
  for (let i = 0; i < vector.length; i++) if (vector[i]! > 0) words[i >> 5]! |= 1 << (i & 31);
  return words;
}

/** Signs as column values. */
function bitsOf(vector: Float32Array): bigint[] {
  return [...new BigInt64Array(wordsOf(vector).buffer)];
}

/** A part of a text with its vector. */
interface Windowed {
  owner: 'entry' | 'lesson';
  id: string;
  rev: number;
  vector: Float32Array | null;
}

/** The running numbers of entries, and the signs of their vectors. */
export async function signColumns(
  db: Db,
  rows: readonly Windowed[],
  length: number | null,
): Promise<Columns> {
  const owned = rows.filter(({ owner }) => owner === 'entry');
  if (owned.length === 0) return {};
  const columns = length === null ? [] : bitColumns(length);
  for (const name of columns)
    await db.run(`ALTER TABLE own.vectors ADD COLUMN IF NOT EXISTS ${name} BIGINT`);
  const entries = await db.all<{ id: string; rev: number; n: number }>(
    'SELECT id, rev, n FROM own.entries WHERE id IN (SELECT unnest($ids))',
    { ids: [...new Set(owned.map(({ id }) => id))] },
  );
  const numbers = new Map(entries.map(({ id, rev, n }) => [`${id} ${rev}`, BigInt(n)]));
  const bits = rows.map(({ owner, vector }) =>
    owner === 'entry' && vector !== null ? bitsOf(vector) : null,
  );
  return {
    n: rows.map(({ owner, id, rev }) =>
      owner === 'entry' ? (numbers.get(`${id} ${rev}`) ?? null) : null,
    ),
    ...Object.fromEntries(
      columns.map((name, at) => [name, bits.map((each) => each?.[at] ?? null)]),
    ),
  };
}

/** A window whose signs are near those of the query. */
interface BitWindow {
  row: number;
  /** Null: a later version replaced the entry. */
  n: number | null;
  /** Value of `own.vectors.states`; 0: none. */
  place: number;
  /** Estimate of the cosine, from the query's numbers and the window's signs. */
  estimate: number;
}

interface BitQuery extends EntryFilter {
  vector: Float32Array;
  fingerprint: string;
  limit: number;
}

/**
 * The windows whose signs differ least from the query's, best estimate first. The engine counts the
 * differences, since copying all windows would take more memory.
 */
export async function nearestBits(
  db: Db,
  { vector, fingerprint, limit, ...filter }: BitQuery,
): Promise<BitWindow[]> {
  const columns = bitColumns(vector.length);
  const { joins, where, params } = entryCondition(filter);
  const among =
    Object.keys(params).length === 0
      ? ''
      : `AND v.n IN (SELECT e.n FROM own.entries e ${joins} WHERE ${where})`;
  const near = await db.all<
    { row: number; n: number | null; place: number } & Record<string, number | bigint>
  >(
    `SELECT * EXCLUDE (n), IF(n IN (SELECT n FROM own.superseded), NULL, n) AS n FROM (
       SELECT v.rowid AS "row", v.n, coalesce(v.states, 0) AS place, ${columns.map((column) => `v.${column}`).join(', ')}
       FROM own.vectors v
       WHERE v.owner = 'entry' AND v.fingerprint = $fingerprint AND v.b0 IS NOT NULL AND v.n IS NOT NULL ${among}
       ORDER BY ${columns.map((column) => `bit_count(xor(v.${column}, $${column}))::SMALLINT`).join(' + ')}, v.rowid LIMIT $limit)`,
    {
      ...params,
      fingerprint,
      limit,
      ...Object.fromEntries(bitsOf(vector).map((bits, i) => [columns[i]!, bits])),
    },
  );
  return near
    .map(({ row, n, place, ...signs }) => {
      const bits = BigInt64Array.from(columns, (column) => BigInt(signs[column]!));
      return { row, n, place, estimate: estimateOf(vector, new Int32Array(bits.buffer)) };
    })
    .sort((a, b) => b.estimate - a.estimate || a.row - b.row);
}

/** Mean absolute value of normally distributed numbers, as a part of their root mean square. */
const MEAN_SIZE = Math.sqrt(2 / Math.PI);

function estimateOf(vector: Float32Array, words: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++)
    sum += (words[i >> 5]! >>> (i & 31)) & 1 ? vector[i]! : -vector[i]!;
  return sum / Math.sqrt(vector.length) / MEAN_SIZE;
}

/** Measured cosine between a mean of signs and the mean that it approximates. */
const SIGNS_MEAN = 0.9;

/** The low four bits of each value, one in each byte. */
const SPREAD = Int32Array.from({ length: 16 }, (_, bits) =>
  [0, 1, 2, 3].reduce((sum, bit) => sum | (((bits >> bit) & 1) << (8 * bit)), 0),
);
/** Most tokens whose bits one byte can count. */
const COUNTED = 255;

/**
 * The cosine of a window from its tokens. A vector is the mean of its tokens' states, so the mean
 * of their signs approximates the vector and is much faster to read.
 */
export function cosineOf(vector: Float32Array, signs: Uint8Array): number {
  const width = vector.length >> 3;
  const tokens = Math.floor(signs.length / width);
  const ups = new Int16Array(vector.length);
  for (let from = 0; from < tokens; from += COUNTED) {
    const counts = new Int32Array(vector.length >> 2);
    for (let at = from * width; at < Math.min(tokens, from + COUNTED) * width; at += width)
      for (let byte = 0; byte < width; byte++) {
        const value = signs[at + byte]!;
        counts[2 * byte]! += SPREAD[value & 15]!;
        counts[2 * byte + 1]! += SPREAD[value >> 4]!;
      }
    const bytes = new Uint8Array(counts.buffer);
    for (let i = 0; i < ups.length; i++) ups[i]! += bytes[i]!;
  }
  let [dot, square] = [0, 0];
  for (let i = 0; i < vector.length; i++) {
    const mean = 2 * ups[i]! - tokens;
    dot += mean * vector[i]!;
    square += mean * mean;
  }
  return dot / (Math.sqrt(square) || 1) / SIGNS_MEAN;
}
