import { wordsIn } from '../text/words.js';

/**
 * Least share of a quote's words that must occur together in the entry. Models change commas and
 * case; invented quotes have a lower share.
 */
export const LEAST_MATCH = 0.8;
/** A quote of fewer words must occur in the entry unchanged. */
const SHORT = 4;

/**
 * How well a text contains a quote, 0..1: the largest share of the quote's words, in any order, in
 * one window of the text. The window is a quarter longer than the quote.
 */
export function matchQuote(quote: string, text: string): number {
  const wanted = wordsIn(quote.normalize('NFKC'));
  const words = wordsIn(text.normalize('NFKC'));
  if (wanted.length === 0) return 0;
  if (` ${words.join(' ')} `.includes(` ${wanted.join(' ')} `)) return 1;
  if (wanted.length < SHORT) return 0;
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  const size = Math.ceil(wanted.length * 1.25);
  let found = 0;
  let best = 0;
  for (let i = 0; i < words.length; i += 1) {
    found += count(left, words[i]!, -1);
    if (i >= size) found -= count(left, words[i - size]!, 1);
    best = Math.max(best, found);
  }
  return best / wanted.length;
}

/** Counts a word that enters (-1) or leaves (1) the window. @returns 1 if the share changes */
function count(left: Map<string, number>, word: string, change: -1 | 1): number {
  const wanted = left.get(word);
  if (wanted === undefined) return 0;
  left.set(word, wanted + change);
  return Math.max(wanted, wanted + change) > 0 ? 1 : 0;
}
