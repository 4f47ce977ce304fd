import type { Dictionary } from './dictionary.js';
import { classOf, DIGIT, IDEOGRAPH, JOINER, LOWER, SEPARATOR, table } from './letters.js';
import { MAX_TERM, termsOfCompound, termsOfWord } from './split.js';

/** Salts that keep a compound's hash apart from the same characters read as a word. */
const WORD_SEED = 0x811c9dc5 | 0;
const COMPOUND_SEED = 0x2545f491;
const OTHER_SEED = 0x9747b28c | 0;

/**
 * Counts words, compounds (`src/app.ts`, `--no-verify`) and pairs of ideographs of a text in one pass:
 * no regular expression, no look-back further than three characters.
 */
export function countWords(text: string, dictionary: Dictionary): void {
  const end = text.length;
  let at = 0;
  while (at < end) {
    const kind = kindAt(text, at);
    if (kind === SEPARATOR || kind === JOINER) at++;
    else if (kind === IDEOGRAPH) at = countIdeographs(text, at, dictionary);
    else at = countCompound(text, at, dictionary);
  }
}

function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const kind = table[unit] as number;
  return kind === 255 ? classOf(unit) : kind;
}

/** Words joined by single joiners, beginning at `start`; returns the position after them. */
function countCompound(text: string, start: number, dictionary: Dictionary): number {
  const end = text.length;
  let wordStart = start;
  let segment = start;
  let slashes = 0;
  let at = start;
  for (;;) {
    let kind = SEPARATOR;
    let one = WORD_SEED;
    let two = OTHER_SEED;
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      kind = table[unit] as number;
      if (kind === 255) kind = classOf(unit);
      if (kind === SEPARATOR || kind === JOINER || kind === IDEOGRAPH) break;
      one = Math.imul(one ^ unit, 0x01000193);
      two = Math.imul(two ^ unit, 0x5bd1e995) ^ (two >>> 13);
    }
    if (at - wordStart <= MAX_TERM && at - wordStart > 1) dictionary.count(text, wordStart, at, one, two, termsOfWord);
    if (kind !== JOINER || at + 1 >= end) break;
    const next = kindAt(text, at + 1);
    if (next === SEPARATOR || next === JOINER || next === IDEOGRAPH) break;
    const unit = text.charCodeAt(at);
    if (unit === 47 || unit === 92) {
      if (wordStart > segment) countSpan(text, segment, at, dictionary);
      slashes++;
      segment = at + 1;
    }
    wordStart = ++at;
  }
  if (wordStart > start) endPath(text, { start, segment, end: at, slashes, dotted: wordStart > segment }, dictionary);
  else if (at - start === 1) countSharp(text, start, dictionary);
  if (slashes === 0 && start > 1 && text.charCodeAt(start - 1) === 45) countFlag(text, start, at, dictionary);
  return at;
}

interface Compound {
  start: number;
  /** Start of the part after the last slash. */
  segment: number;
  end: number;
  slashes: number;
  /** The last part is itself joined by dots or dashes. */
  dotted: boolean;
}

/** The whole compound, and of a path the file name and the last two parts. */
function endPath(text: string, { start, segment, end, slashes, dotted }: Compound, dictionary: Dictionary): void {
  if (slashes === 0) {
    if (end - start <= 12 || !isNumber(text, start, end)) countSpan(text, start, end, dictionary);
    return;
  }
  if (dotted) countSpan(text, segment, end, dictionary);
  countSpan(text, start, end, dictionary);
  if (slashes < 2) return;
  let folder = segment - 1;
  while (folder > start && text.charCodeAt(folder - 1) !== 47 && text.charCodeAt(folder - 1) !== 92) folder--;
  countSpan(text, folder, end, dictionary);
}

/** `--no-verify`: exactly two dashes, after a blank or bracket. */
function countFlag(text: string, start: number, end: number, dictionary: Dictionary): void {
  if (text.charCodeAt(start - 2) !== 45 || kindAt(text, start) !== LOWER) return;
  if (start > 2 && kindAt(text, start - 3) !== SEPARATOR) return;
  countSpan(text, start - 2, end, dictionary);
}

/** c++, c#, f#: single letters otherwise mean nothing. */
function countSharp(text: string, start: number, dictionary: Dictionary): void {
  if (kindAt(text, start) === DIGIT) return;
  const next = text.charCodeAt(start + 1);
  if (next === 35) countSpan(text, start, start + 2, dictionary);
  else if (next === 43 && text.charCodeAt(start + 2) === 43) countSpan(text, start, start + 3, dictionary);
}

/** 1.234.567.890: dates and versions are found as wholes, longer chains of digits are not worth a term. */
function isNumber(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const kind = kindAt(text, i);
    if (kind !== DIGIT && kind !== JOINER) return false;
  }
  return true;
}

/** Pairs of neighbouring ideographs; a lonely one is its own term. */
function countIdeographs(text: string, start: number, dictionary: Dictionary): number {
  let at = start;
  while (at < text.length && kindAt(text, at) === IDEOGRAPH) at++;
  if (at - start === 1) countSpan(text, start, at, dictionary);
  for (let i = start; i + 1 < at; i++) countSpan(text, i, i + 2, dictionary);
  return at;
}

function countSpan(text: string, start: number, end: number, dictionary: Dictionary): void {
  if (end - start > MAX_TERM) return;
  let one = COMPOUND_SEED;
  let two = OTHER_SEED;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul(two ^ unit, 0x5bd1e995) ^ (two >>> 13);
  }
  dictionary.count(text, start, end, one, two, termsOfCompound);
}
