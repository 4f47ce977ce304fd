import { stem } from '../text/stem.js';

/** Longest indexed term; a longer word is base64, a hash of a minifier or the like. */
export const MAX_TERM = 64;

const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const LETTERS = /^[a-z]+$/;
const NONE: readonly string[] = [];

/**
 * Terms of one word (letters, digits, underscores): the whole in lower case, and the stemmed parts
 * of camelCase and snake_case. `parseHTMLFile` -> parsehtmlfile, pars, html, file; `TS2345` ->
 * ts2345; `naïve` -> naiv, as for `naive`.
 */
export function termsOfWord(word: string): readonly string[] {
  if (word.length > MAX_TERM || word.length < 2) return NONE;
  const lower = word.toLowerCase();
  if (LETTERS.test(word)) return [stem(word)];
  if (!isAscii(lower)) return [stemmed(fold(lower))];
  if (isNoise(word)) return NONE;
  const terms = new Set<string>();
  const plain = trimUnderscores(lower);
  if (LETTERS.test(plain) && !hasHump(word)) return plain.length < 2 ? NONE : [stem(plain)];
  if (plain.length > 1) terms.add(plain);
  if (hasHump(word) || plain.includes('_')) addParts(terms, word);
  return [...terms];
}

/**
 * Adds the parts between underscores and capitals. `utf8` and `v2` stay whole; `sha256Sum` gives
 * sha256 and sum.
 */
function addParts(terms: Set<string>, word: string): void {
  for (const piece of word.split('_')) {
    let glued = '';
    for (const part of piece.match(PART) ?? []) {
      if (/^[0-9]/.test(part)) glued += part;
      else {
        addPart(terms, glued);
        glued = part;
      }
    }
    addPart(terms, glued);
  }
}

function stemmed(lower: string): string {
  return LETTERS.test(lower) ? stem(lower) : lower;
}

function addPart(terms: Set<string>, part: string): void {
  if (part.length < 2) return;
  const lower = part.toLowerCase();
  terms.add(stemmed(lower));
}

/** A lower-case letter or digit followed by an upper-case one, or an acronym followed by a word. */
function hasHump(word: string): boolean {
  return /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/.test(word);
}

/**
 * Base64-like: at least 24 characters that often change between letters and digits, or a number of
 * over 12 digits.
 */
function isNoise(word: string): boolean {
  if (word.length > 12 && /^[0-9]+$/.test(word)) return true;
  if (word.length < 24 || !/[0-9]/.test(word) || !/[a-z]/.test(word) || !/[A-Z]/.test(word))
    return false;
  let changes = 0;
  for (let i = 1; i < word.length; i++) if (kindAt(word, i) !== kindAt(word, i - 1)) changes++;
  return changes * 3 > word.length;
}

function kindAt(word: string, at: number): number {
  const unit = word.charCodeAt(at);
  return unit < 58 ? 0 : unit < 91 ? 1 : 2;
}

function trimUnderscores(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && word.charCodeAt(start) === 95) start++;
  while (end > start && word.charCodeAt(end - 1) === 95) end--;
  return start === 0 && end === word.length ? word : word.slice(start, end);
}

function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false;
  return true;
}

/** A word without accents and compatibility forms (full-width letters, ligatures). */
export function fold(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}
