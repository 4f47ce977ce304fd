import { FUNCTION_WORDS } from '../text/words.js';
import type { Terms } from '../types.js';
import { TermCounter } from './count.js';
export { hashTerm } from './count.js';

const counter = new TermCounter();

/**
 * Search terms of a text with their frequency, in lower case, at most 64 characters each: whole
 * identifiers and their parts (camelCase, snake_case, kebab, dots, paths), error codes, flags,
 * numbers with units. English is lightly stemmed; CJK is split into pairs of characters.
 * Base64-like words are left out.
 */
export function termsOf(text: string): Map<string, number> {
  return counter.count(text);
}

/**
 * The same terms as hashes for the postings, and their number with repeats (the length for BM25).
 */
export function hashedTermsOf(text: string): { terms: Terms; length: number } {
  return counter.countHashed(text);
}

/**
 * Terms of a query in order of first appearance, each once; function words only if there are no
 * others.
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
 * Share of function words in a query, 0..1: at least a third in a sentence, none in names and error
 * messages.
 */
export function functionWordShare(text: string): number {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.filter(isFunctionWord).length / Math.max(1, words.length);
}

/**
 * A part that every text with the term contains, in lower case and maybe without accents: `polic`
 * for the stem `policy`, because of `policies`. A text without this part needs no splitting.
 */
export function partOf(term: string): string {
  return /^[a-z]{2,}y$/.test(term) ? term.slice(0, -1) : term;
}

/** Windows of this length rank better than whole entries or longer windows. */
const WINDOW = 250;

/** Where the last part of a window may break: at a paragraph, a line, a sentence, else a word. */
const BREAKS = [/\n\s*\n/g, /\n/g, /[.!?。！？]\s+/g, /\s+/g];

interface Window {
  /** Index in the text, in UTF-16 units. */
  start: number;
  text: string;
}

function lastBreak(text: string, from: number, to: number): number {
  const part = text.slice(from, to);
  for (const pattern of BREAKS) {
    let end = -1;
    for (const match of part.matchAll(pattern)) end = match.index + match[0].length;
    if (end > 0) return from + end;
  }
  return to;
}

/**
 * Splits a text into windows of at most 250 characters, in order, trimmed, none empty.
 * @param limit most windows; of a very long text the first ones
 */
export function windowsOf(text: string, limit = 40): Window[] {
  const windows: Window[] = [];
  let at = 0;
  while (at < text.length && windows.length < limit) {
    const end =
      at + WINDOW >= text.length ? text.length : lastBreak(text, at + (WINDOW >> 1), at + WINDOW);
    const piece = text.slice(at, end);
    const trimmed = piece.trim();
    if (trimmed !== '') windows.push({ start: at + piece.indexOf(trimmed), text: trimmed });
    at = end;
  }
  return windows;
}
