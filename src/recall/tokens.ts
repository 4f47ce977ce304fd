/**
 * Compares a window with a query token by token, so that rare words count more than in a mean
 * vector. Each piece of the query counts with its best match. Pure.
 */
import { termsOf } from '../terms/index.js';
import type { Reading } from '../types.js';

/** A query, prepared for many windows. */
interface AskedTokens {
  /** Number of bytes per token of a window. */
  width: number;
  weights: readonly number[];
  /** For each piece, the amount that each value of each byte adds. */
  tables: readonly Float32Array[];
}

/** Weight of a function word; a sign has none. */
const FUNCTION_WORD = 0.5;

/** @param weights of the query's terms, by rarity */
export function askTokens(
  { vector, pieces, states }: Reading,
  weights: ReadonlyMap<string, number>,
): AskedTokens {
  const size = vector.length;
  const weighed = weighPieces(pieces, weights).map((weight, i) => ({
    weight,
    state: states.subarray(i * size, (i + 1) * size),
  }));
  const informative = weighed.filter(({ weight }) => weight > 0);
  return {
    width: size >> 3,
    weights: informative.map(({ weight }) => weight),
    tables: informative.map(({ state }) => tableOf(state)),
  };
}

/** Every piece of a word has the weight of the word. */
export function weighPieces(
  pieces: readonly string[],
  weights: ReadonlyMap<string, number>,
): number[] {
  const found: number[] = [];
  for (let from = 0; from < pieces.length;) {
    let to = from + 1;
    while (pieces[to]?.startsWith('##') === true) to++;
    const word = pieces.slice(from, to).join('').replaceAll('##', '');
    const known = [...termsOf(word).keys()].map((term) => weights.get(term) ?? 0);
    const weight = /[\p{L}\p{N}]/u.test(word) ? Math.max(FUNCTION_WORD, ...known) : 0;
    for (; from < to; from++) found.push(weight);
  }
  return found;
}

/**
 * The cosine of a state to a token's signs, by byte. The sum for a value is that of a value with
 * one bit less, plus that bit.
 */
function tableOf(state: Float32Array): Float32Array {
  const norm = Math.sqrt(state.reduce((sum, x) => sum + x * x, 0)) * Math.sqrt(state.length) || 1;
  const table = new Float32Array((state.length >> 3) * 256);
  for (let byte = 0; byte < state.length >> 3; byte++) {
    const bits = state.subarray(byte * 8, byte * 8 + 8);
    table[byte * 256] = -bits.reduce((sum, x) => sum + x, 0) / norm;
    for (let value = 1; value < 256; value++) {
      const lowest = 31 - Math.clz32(value & -value);
      table[byte * 256 + value] =
        table[byte * 256 + (value & (value - 1))]! + (2 * bits[lowest]!) / norm;
    }
  }
  return table;
}

/**
 * Mean over the query's pieces of the best cosine to a token, by weight: -1..1; null for a window
 * without tokens.
 */
export function likeness(
  { width, weights, tables }: AskedTokens,
  signs: Uint8Array,
): number | null {
  const tokens = Math.floor(signs.length / width);
  if (tokens === 0 || weights.length === 0) return null;
  let sum = 0;
  let whole = 0;
  for (let i = 0; i < tables.length; i++) {
    const table = tables[i]!;
    let best = -1;
    for (let token = 0; token < tokens; token++) {
      let cosine = 0;
      for (let byte = 0, at = token * width; byte < width; byte++, at++)
        cosine += table[(byte << 8) | signs[at]!]!;
      if (cosine > best) best = cosine;
    }
    sum += weights[i]! * best;
    whole += weights[i]!;
  }
  return sum / whole;
}
