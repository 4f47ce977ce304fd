import type { Terms } from '../types.js';
import { Dictionary } from './dictionary.js';
import { countWords } from './scan.js';
export { hashTerm } from './dictionary.js';
export { windowsOf } from './windows.js';
export { errorSignature, failureSignature } from './signature.js';

const dictionary = new Dictionary();

/**
 * Search terms of a text with their frequency: whole identifiers and their camelCase, snake_case, kebab, dotted and path parts,
 * error codes, flags, numbers with units; English lightly stemmed, CJK as pairs of characters, all in lower case,
 * at most 64 characters each. Base64-like words are left out.
 */
export function termsOf(text: string): Map<string, number> {
  read(text);
  return new Map(dictionary.seen.map((term) => [dictionary.texts[term] as string, dictionary.counts[term] as number]));
}

/** The same terms as hashes for the postings, and their number with repeats (the length that BM25 needs). */
export function hashedTermsOf(text: string): { terms: Terms; length: number } {
  read(text);
  return dictionary.take();
}

function read(text: string): void {
  dictionary.begin();
  countWords(text, dictionary);
}

/**
 * Terms of a query in order of first appearance, each once; function words only when nothing else is there.
 */
export function normaliseQuery(text: string): string[] {
  const rest = text
    .split(/\s+/)
    .filter((word) => !STOPWORDS.has(word.replace(/[^A-Za-z]/g, '').toLowerCase()) || /[A-Za-z][^A-Za-z]+[A-Za-z]/.test(word));
  const terms = [...termsOf(rest.join(' ')).keys()];
  return terms.length > 0 ? terms : [...termsOf(text).keys()];
}

/** English function words: indexed like any word, but left out of a query that has others (halves the rows read). */
const STOPWORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of on or ' +
    'our should so than that the their them then there these they this to was we were what when where which who why will with ' +
    'would you your'
  ).split(' '),
);
