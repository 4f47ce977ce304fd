import { FUNCTION_WORDS } from '../text/words.js';
import type { Terms } from '../types.js';
import { TermCounter } from './count.js';
export { hashTerm } from './count.js';
export { fold } from './split.js';
export { windowsOf } from './windows.js';

const counter = new TermCounter();

/**
 * Search terms of a text with their frequency: whole identifiers and their camelCase, snake_case,
 * kebab, dotted and path parts, error codes, flags, numbers with units; English lightly stemmed,
 * CJK as pairs of characters, all in lower case, at most 64 characters each. Base64-like words are
 * left out.
 */
export function termsOf(text: string): Map<string, number> {
  return counter.count(text);
}

/**
 * The same terms as hashes for the postings, and their number with repeats (the length that BM25
 * needs).
 */
export function hashedTermsOf(text: string): { terms: Terms; length: number } {
  return counter.countHashed(text);
}

/**
 * Terms of a query in order of first appearance, each once; function words only when nothing else
 * is there.
 */
export function normaliseQuery(text: string): string[] {
  const rest = text
    .split(/\s+/)
    .filter((word) => !isFunctionWord(word) || /[A-Za-z][^A-Za-z]+[A-Za-z]/.test(word));
  const terms = [...termsOf(rest.join(' ')).keys()];
  return terms.length > 0 ? terms : [...termsOf(text).keys()];
}

function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word.replace(/[^A-Za-z]/g, '').toLowerCase());
}

/**
 * Share of a query's words that are function words, 0..1: a third and more in a sentence, none in
 * names and error messages.
 */
export function functionWordShare(text: string): number {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.filter(isFunctionWord).length / Math.max(1, words.length);
}

/**
 * What a text that holds a term has in it, in lower case and maybe without its accents: the stem of
 * `policies` is `policy`. A text without it needs no splitting.
 */
export function partOf(term: string): string {
  return /^[a-z]{2,}y$/.test(term) ? term.slice(0, -1) : term;
}
