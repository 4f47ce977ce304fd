import { wordsIn } from '../text/words.js';

/**
 * Share of a quote's words that must stand together in the entry it names. Models change commas and
 * cases; invented quotes fall below this.
 */
export const LEAST_MATCH = 0.8;
/** A quote of fewer words than this must stand there as it is. */
const SHORT = 4;

/**
 * How well a quote is found in a text, 0..1: the largest share of its words inside one window of
 * the text that is a quarter longer than the quote. Order inside the window is free: that forgives
 * a moved word and nothing else.
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
    found += take(left, words[i]!);
    if (i >= size) found -= giveBack(left, words[i - size]!);
    best = Math.max(best, found);
  }
  return best / wanted.length;
}

/** @returns 1 when the word was still wanted */
function take(left: Map<string, number>, word: string): number {
  const count = left.get(word);
  if (count === undefined) return 0;
  left.set(word, count - 1);
  return count > 0 ? 1 : 0;
}

function giveBack(left: Map<string, number>, word: string): number {
  const count = left.get(word);
  if (count === undefined) return 0;
  left.set(word, count + 1);
  return count >= 0 ? 1 : 0;
}
