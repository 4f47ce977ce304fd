import { FUNCTION_WORDS } from '../text/words.js';
import type { Terms } from '../types.js';
import { TermCounter } from './count.js';
export { hashTerm } from './count.js';

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
 * What a text with a term has in it, in lower case and maybe without its accents: the stem of
 * `policies` is `policy`. A text without it needs no splitting.
 */
export function partOf(term: string): string {
  return /^[a-z]{2,}y$/.test(term) ? term.slice(0, -1) : term;
}

/**
 * Measured: windows of about 250 characters of prose rank better than whole entries or
 * 1,200-character chunks.
 */
const WINDOW = 250;

/** A break is looked for in the last part of the window: paragraph, line, sentence, then word. */
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
 * @param limit most windows to give back; a very long text keeps its first ones
 * @returns windows in order, trimmed, none empty, each at most 250 characters
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
