/**
 * Texts by running number. `own.texts` is ordered by `n`, so a range reads only a part of the
 * table; a join may read all of it. Statements here read bounded slices.
 */
import type { Db } from '../db.js';
import { isAmong, nearNumbers } from '../search/numbers.js';

/** Key of a text: a row of `own.entries`. */
export interface TextKey {
  n: number;
  /** Terms in the text, as `own.entries` counts them. */
  length: number;
}

/** Limits of one statement: rows, bytes, and ranges of the table. */
const TEXT_SLICE = { rows: 1000, bytes: 8 * 2 ** 20, parts: 20 };

/** Rows of an engine vector; a gap of at least this many rows is not read. */
const VECTOR_ROWS = 2048;

/** Estimates bytes from the number of terms. */
export function bytesOfTerms(terms: number): number {
  return 40 + 9 * terms;
}

/** Keys ordered by `n`, in slices for one statement each. Pure. */
export function sliceKeys<Key extends TextKey>(keys: readonly Key[]): Key[][] {
  const slices: Key[][] = [];
  let [bytes, parts] = [0, 0];
  for (const key of [...keys].sort((a, b) => a.n - b.n)) {
    const slice = slices.at(-1);
    const size = bytesOfTerms(key.length);
    const last = slice?.at(-1);
    const isFar = last !== undefined && key.n - last.n > VECTOR_ROWS;
    if (
      slice === undefined ||
      slice.length >= TEXT_SLICE.rows ||
      bytes + size > TEXT_SLICE.bytes ||
      (isFar && parts >= TEXT_SLICE.parts)
    ) {
      slices.push([key]);
      [bytes, parts] = [size, 1];
    } else {
      slice.push(key);
      bytes += size;
      parts += isFar ? 1 : 0;
    }
  }
  return slices;
}

/**
 * Whole texts of these rows; the caller limits their number. Missing texts are absent. Neighbours
 * together cost as much as one of them.
 */
export async function textsOf(db: Db, keys: readonly TextKey[]): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const slice of sliceKeys(keys)) {
    const rows = await db.all<{ n: number; text: string }>(selectTexts('text', slice));
    for (const { n, text } of rows) found.set(n, text);
  }
  return found;
}

/**
 * As `textsOf`, but only head and tail, with an ellipsis between them, of texts longer than twice
 * `reach` characters.
 */
export async function clippedTextsOf(
  db: Db,
  keys: readonly TextKey[],
  reach: number,
): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const slice of sliceKeys(keys)) {
    const clipped = `CASE WHEN length(text) > 2 * $reach
      THEN left(text, $reach) || chr(10) || '…' || chr(10) || right(text, $reach) ELSE text END`;
    const rows = await db.all<{ n: number; text: string }>(selectTexts(clipped, slice), { reach });
    for (const { n, text } of rows) found.set(n, text);
  }
  return found;
}

/**
 * Literal numbers, since the engine compares them with the minimum and maximum of each row group.
 */
function selectTexts(text: string, slice: readonly TextKey[]): string {
  const parts = nearNumbers(
    slice.map(({ n }) => n),
    VECTOR_ROWS,
  );
  return parts
    .map((part) => `SELECT n, ${text} AS text FROM own.texts WHERE ${isAmong('n', part)}`)
    .join(' UNION ALL ');
}
