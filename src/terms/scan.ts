import type { Dictionary } from './dictionary.js';
import { classOf, DIGIT, IDEOGRAPH, JOINER, LOWER, SEPARATOR, table } from './letters.js';
import { MAX_TERM, termsOfCompound, termsOfWord } from './split.js';

/** Salts that keep a compound's hash apart from the same characters read as a word. */
const WORD_SEED = 0x811c9dc5 | 0;
const COMPOUND_SEED = 0x2545f491;
const OTHER_SEED = 0x9747b28c | 0;

/** Units read at once; a line that is longer is read whole, in memory of its own when it is longer than any stored result. */
const PIECE = 1 << 16;
const shared = new Uint16Array(1 << 19);

/** Hashes of a stretch that are put together from those of its words, so that no character is hashed twice. */
class Mixed {
  one = 0;
  two = 0;

  become(one: number, two: number): void {
    this.one = one;
    this.two = two;
  }

  take(one: number, two: number): void {
    this.one = Math.imul(this.one ^ one, 0x01000193);
    this.two = Math.imul(this.two ^ two, 0x5bd1e995) ^ (this.two >>> 13);
  }
}

/** Hashes of the compound being read: of all of it, of the part from its last slash, and from the slash before. */
const whole = new Mixed();
const last = new Mixed();
const lastTwo = new Mixed();

/**
 * Counts words, compounds (`src/app.ts`, `--no-verify`) and pairs of ideographs of a text in one pass:
 * no regular expression, no look-back further than three characters.
 * The units are copied out of the string first: asking it for each of them takes twice as long (measured).
 */
export function countWords(text: string, dictionary: Dictionary): void {
  for (let from = 0; from < text.length;) {
    const to = endOfPiece(text, from);
    const units = to - from <= shared.length ? shared : new Uint16Array(to - from);
    Buffer.from(units.buffer).write(text.length === to - from ? text : text.slice(from, to), 'utf16le');
    countUnits(units, to - from, dictionary);
    from = to;
  }
}

/** Ends a piece after a line's end, since no term reaches across one. */
function endOfPiece(text: string, from: number): number {
  if (text.length - from <= PIECE) return text.length;
  const before = text.lastIndexOf('\n', from + PIECE - 1);
  if (before >= from) return before + 1;
  const after = text.indexOf('\n', from + PIECE);
  return after < 0 ? text.length : after + 1;
}

function countUnits(units: Uint16Array, end: number, dictionary: Dictionary): void {
  let at = 0;
  while (at < end) {
    const kind = kindAt(units, at);
    if (kind === SEPARATOR || kind === JOINER) at++;
    else if (kind === IDEOGRAPH) at = countIdeographs(units, at, end, dictionary);
    else at = countCompound(units, at, end, dictionary);
  }
}

function kindAt(units: Uint16Array, at: number): number {
  const unit = units[at] as number;
  const kind = table[unit] as number;
  return kind === 255 ? classOf(unit) : kind;
}

/** Words joined by single joiners, beginning at `start`; returns the position after them. */
function countCompound(units: Uint16Array, start: number, end: number, dictionary: Dictionary): number {
  let wordStart = start;
  let segment = start;
  let folder = start;
  let slashes = 0;
  let at = start;
  for (;;) {
    let kind = SEPARATOR;
    let one = WORD_SEED;
    let two = OTHER_SEED;
    for (; at < end; at++) {
      const unit = units[at] as number;
      kind = table[unit] as number;
      if (kind === 255) kind = classOf(unit);
      if (kind === SEPARATOR || kind === JOINER || kind === IDEOGRAPH) break;
      one = Math.imul(one ^ unit, 0x01000193);
      two = Math.imul(two ^ unit, 0x5bd1e995) ^ (two >>> 13);
    }
    if (at - wordStart <= MAX_TERM && at - wordStart > 1) dictionary.count(units, wordStart, at, one, two, termsOfWord);
    const goesOn = kind === JOINER && at + 1 < end && isWordAt(units, at + 1);
    if (wordStart === start) {
      if (!goesOn) break;
      startMixing();
    }
    mix(one, two);
    if (!goesOn) break;
    const unit = units[at] as number;
    if (unit === 47 || unit === 92) {
      if (wordStart > segment) countMixed(units, segment, at, last, dictionary);
      slashes++;
      lastTwo.become(last.one, last.two);
      last.become(COMPOUND_SEED, OTHER_SEED);
      folder = segment;
      segment = at + 1;
    } else last.take(unit, unit);
    whole.take(unit, unit);
    lastTwo.take(unit, unit);
    wordStart = ++at;
  }
  if (wordStart > start) endPath(units, { start, segment, folder, end: at, slashes, dotted: wordStart > segment }, dictionary);
  else if (at - start === 1) countSharp(units, start, end, dictionary);
  if (slashes === 0 && start > 1 && units[start - 1] === 45) countFlag(units, start, at, dictionary);
  return at;
}

function isWordAt(units: Uint16Array, at: number): boolean {
  const kind = kindAt(units, at);
  return kind !== SEPARATOR && kind !== JOINER && kind !== IDEOGRAPH;
}

function startMixing(): void {
  whole.become(COMPOUND_SEED, OTHER_SEED);
  last.become(COMPOUND_SEED, OTHER_SEED);
  lastTwo.become(COMPOUND_SEED, OTHER_SEED);
}

function mix(one: number, two: number): void {
  whole.take(one, two);
  last.take(one, two);
  lastTwo.take(one, two);
}

function countMixed(units: Uint16Array, start: number, end: number, { one, two }: Mixed, dictionary: Dictionary): void {
  if (end - start <= MAX_TERM) dictionary.count(units, start, end, one, two, termsOfCompound);
}

interface Compound {
  start: number;
  /** Start of the part after the last slash, and of the one before. */
  segment: number;
  folder: number;
  end: number;
  slashes: number;
  /** The last part is itself joined by dots or dashes. */
  dotted: boolean;
}

/** The whole compound, and of a path the file name and the last two parts. */
function endPath(units: Uint16Array, { start, segment, folder, end, slashes, dotted }: Compound, dictionary: Dictionary): void {
  if (slashes === 0) {
    if (end - start <= 12 || !isNumber(units, start, end)) countMixed(units, start, end, whole, dictionary);
    return;
  }
  if (dotted) countMixed(units, segment, end, last, dictionary);
  countMixed(units, start, end, whole, dictionary);
  if (slashes >= 2) countMixed(units, folder, end, lastTwo, dictionary);
}

/** `--no-verify`: exactly two dashes, after a blank or bracket. */
function countFlag(units: Uint16Array, start: number, end: number, dictionary: Dictionary): void {
  if (units[start - 2] !== 45 || kindAt(units, start) !== LOWER) return;
  if (start > 2 && kindAt(units, start - 3) !== SEPARATOR) return;
  countSpan(units, start - 2, end, dictionary);
}

/** c++, c#, f#: single letters otherwise mean nothing. */
function countSharp(units: Uint16Array, start: number, end: number, dictionary: Dictionary): void {
  if (kindAt(units, start) === DIGIT) return;
  const next = start + 1 < end ? units[start + 1] : 0;
  if (next === 35) countSpan(units, start, start + 2, dictionary);
  else if (next === 43 && start + 2 < end && units[start + 2] === 43) countSpan(units, start, start + 3, dictionary);
}

/** 1.234.567.890: dates and versions are found as wholes, longer chains of digits are not worth a term. */
function isNumber(units: Uint16Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const kind = kindAt(units, i);
    if (kind !== DIGIT && kind !== JOINER) return false;
  }
  return true;
}

/** Pairs of neighbouring ideographs; a lonely one is its own term. */
function countIdeographs(units: Uint16Array, start: number, end: number, dictionary: Dictionary): number {
  let at = start;
  while (at < end && kindAt(units, at) === IDEOGRAPH) at++;
  if (at - start === 1) countSpan(units, start, at, dictionary);
  for (let i = start; i + 1 < at; i++) countSpan(units, i, i + 2, dictionary);
  return at;
}

function countSpan(units: Uint16Array, start: number, end: number, dictionary: Dictionary): void {
  if (end - start > MAX_TERM) return;
  let one = COMPOUND_SEED;
  let two = OTHER_SEED;
  for (let i = start; i < end; i++) {
    const unit = units[i] as number;
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul(two ^ unit, 0x5bd1e995) ^ (two >>> 13);
  }
  dictionary.count(units, start, end, one, two, termsOfCompound);
}
