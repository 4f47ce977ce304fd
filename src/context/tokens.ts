/**
 * Real tokens (o200k), counted on the text as written. bundle.js packs the ranks into one file of
 * bytes: as the tokenizer's own list of strings they took 0.15 s and 60 MB in each process that
 * counted a line.
 */
import { createRequire } from 'node:module';

/**
 * All tokens by their bytes: token i is `bytes` from `starts[i]` to `starts[i + 1]`; the lowest of
 * `ranks` is merged first.
 */
interface Vocabulary {
  starts: Uint32Array;
  ranks: Uint32Array;
  bytes: Uint8Array;
}

let vocabulary: Vocabulary | null = null;

function loadVocabulary(): Vocabulary {
  return (vocabulary ??= createRequire(import.meta.url)('#lib/o200k') as Vocabulary);
}

/**
 * What is looked up whole; a token never crosses such a piece. As OpenAI's tiktoken publishes it.
 */
const ENDING = `(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?`;
const PIECE = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+${ENDING}`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*${ENDING}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|'),
  'gu',
);

/**
 * Number of o200k tokens of a text. Text that looks like a special token (`<|endoftext|>`) is text.
 */
export function countTokens(text: string): number {
  let count = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    const bytes = Buffer.from(piece);
    count += rankOf(bytes, 0, bytes.length) < Infinity ? 1 : countMerged(bytes);
  }
  return count;
}

/** Infinity when the bytes are no token. */
function rankOf(piece: Uint8Array, from: number, to: number): number {
  const { starts, ranks, bytes } = loadVocabulary();
  let [low, high] = [0, ranks.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const [start, end] = [starts[middle]!, starts[middle + 1]!];
    const common = Math.min(end - start, to - from);
    let at = 0;
    while (at < common && bytes[start + at] === piece[from + at]) at++;
    const order = at < common ? bytes[start + at]! - piece[from + at]! : end - start - (to - from);
    if (order === 0) return ranks[middle]!;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return Infinity;
}

/**
 * Byte pair encoding: of all neighbours those with the lowest rank are joined, the first first,
 * until none makes a token.
 */
function countMerged(piece: Uint8Array): number {
  const starts = Array.from({ length: piece.length + 1 }, (_, at) => at);
  const rankAt = (at: number): number =>
    at + 2 < starts.length ? rankOf(piece, starts[at]!, starts[at + 2]!) : Infinity;
  const ranks = starts.map((_, at) => rankAt(at));
  for (;;) {
    let best = 0;
    for (let at = 1; at < ranks.length; at++) if (ranks[at]! < ranks[best]!) best = at;
    if (ranks[best] === Infinity) return starts.length - 1;
    starts.splice(best + 1, 1);
    ranks.splice(best + 1, 1);
    ranks[best] = rankAt(best);
    if (best > 0) ranks[best - 1] = rankAt(best - 1);
  }
}

/**
 * Tokens of one line with its newline. The sum over lines is an upper bound; the budget is checked
 * on the whole text.
 */
export function countLine(line: string): number {
  return countTokens(`${line}\n`);
}

/**
 * Estimated tokens, for ordering ten thousand lines of which thirty are shown: a fifth of a word in
 * Latin script, about one per character elsewhere. Measured within 25 % of the count on English
 * lines with code; never used to hold the budget.
 */
export function guessTokens(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x2e7f) wide++;
  return Math.max(1, (text.length - wide) / 3.9 + wide * 0.8);
}
