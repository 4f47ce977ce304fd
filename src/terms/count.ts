/**
 * Counts the terms of a text in one pass. A stretch is `c++` or `c#`, joined words (`src/app.ts`,
 * `--no-verify`), or ideographs. A cache has the terms of each stretch.
 */
import type { Terms } from '../types.js';
import { MAX_TERM, termsOfWord } from './split.js';

/**
 * Chinese, Japanese, Korean: indexed as pairs of characters. Surrogates (emoji, rare scripts)
 * separate stretches.
 */
const IDEOGRAPHS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3005\u30fc\uff70]/u;
const WORDS = /[\w\p{L}\p{N}\p{M}]/u;

/** Kinds of UTF-16 units. A single `JOIN` between two words joins them. */
const [NONE, JOIN, DIGIT, LETTER, IDEOGRAPH] = [1, 2, 3, 4, 5];
const kinds = new Uint8Array(1 << 16);

function kindOf(unit: number): number {
  return kinds[unit] || (kinds[unit] = learnKind(String.fromCharCode(unit)));
}

function learnKind(unit: string): number {
  if (/[0-9]/.test(unit)) return DIGIT;
  if (/[./\\-]/.test(unit)) return JOIN;
  return IDEOGRAPHS.test(unit) ? IDEOGRAPH : WORDS.test(unit) ? LETTER : NONE;
}

function isWord(kind: number): boolean {
  return kind === LETTER || kind === DIGIT;
}

/** End of the stretch that begins at `at`; `at` itself if none begins there. */
function endOfStretch(text: string, at: number): number {
  const kind = kindOf(text.charCodeAt(at));
  if (kind === NONE) return at;
  if (kind === IDEOGRAPH) {
    let end = at + 1;
    while (end < text.length && kindOf(text.charCodeAt(end)) === IDEOGRAPH) end++;
    return end;
  }
  if (kind === JOIN) return isFlag(text, at) ? endOfWords(text, at + 2) : at;
  if (kind === LETTER && at + 1 < text.length) {
    const next = text.charCodeAt(at + 1);
    if (next === HASH) return at + 2;
    if (next === PLUS && text.charCodeAt(at + 2) === PLUS) return at + 3;
  }
  return endOfWords(text, at);
}

const [HASH, PLUS, DASH] = [35, 43, 45];

/** Whether the two dashes of a flag follow a blank, a bracket or nothing. */
function isFlag(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== DASH || text.charCodeAt(at + 1) !== DASH) return false;
  const first = text.charCodeAt(at + 2);
  return first >= 97 && first <= 122 && (at === 0 || kindOf(text.charCodeAt(at - 1)) === NONE);
}

/** Words joined by single `.`, `/`, `\` or `-`. */
function endOfWords(text: string, at: number): number {
  let end = at;
  for (;;) {
    while (end < text.length && isWord(kindOf(text.charCodeAt(end)))) end++;
    if (
      end + 1 >= text.length ||
      kindOf(text.charCodeAt(end)) !== JOIN ||
      !isWord(kindOf(text.charCodeAt(end + 1)))
    )
      return end;
    end += 1;
  }
}

/**
 * 1.234.567.890: dates and versions are indexed whole; a longer chain of digits is no useful term.
 */
const LONG_NUMBER = /^(?=.{13})[\d.-]+$/;

/**
 * The terms of a stretch in order, with repeats: its words; for a path also each dotted part, the
 * whole path and its last two parts.
 */
function termsIn(stretch: string): string[] {
  if (kindOf(stretch.charCodeAt(0)) === IDEOGRAPH) {
    if (stretch.length === 1) return [stretch];
    return Array.from({ length: stretch.length - 1 }, (_, at) =>
      stretch.slice(at, at + 2).toLowerCase(),
    );
  }
  if (/[#+]$/.test(stretch)) return [stretch.toLowerCase()];
  const found: string[] = [];
  const add = (compound: string): void =>
    void (compound.length <= MAX_TERM && found.push(compound.toLowerCase()));
  const plain = stretch.startsWith('--') ? stretch.slice(2) : stretch;
  const parts = plain.split(/[/\\]/);
  for (const part of parts) {
    const words = part.split(/[.-]/);
    for (const word of words) found.push(...termsOfWord(word));
    if (words.length > 1 && (parts.length > 1 || !LONG_NUMBER.test(part))) add(part);
  }
  if (parts.length > 1) add(plain);
  else if (plain !== stretch) add(stretch);
  if (parts.length > 2) add(plain.slice(-(parts.at(-1)!.length + parts.at(-2)!.length + 1)));
  return found;
}

/** Most terms in the cache, and most different terms of one text. */
const TERMS = 400_000;
const STRETCHES = 100_000;
/** Slots for stretches; at most half are used. */
const SLOTS = 1 << 18;
/** A longer stretch, mostly base64, does not occur again. */
const KEPT_CHARS = 256;

/** Caches stretches and their terms from text to text, with a limit on the memory. */
export class TermCounter {
  /**
   * For each stretch: the high and low half of its hash, and a number. A positive one is the id of
   * its only term plus one, a negative one `-1 - place in lists`.
   */
  private readonly slots = new Int32Array(3 * SLOTS);
  private stretches = 0;
  private readonly lists: Int32Array[] = [];
  private readonly ids = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly hashes = new BigInt64Array(TERMS);
  /** Frequency of each term in the current text, and the ids of the terms that occur. */
  private readonly counts = new Int32Array(TERMS);
  private readonly seen: number[] = [];

  /** Terms of a text in order of first appearance, with their frequency. */
  count(text: string): Map<string, number> {
    this.read(text);
    return new Map(this.seen.map((term) => [this.texts[term]!, this.counts[term]!]));
  }

  /** The same terms as hashes, and their number with repeats. */
  countHashed(text: string): { terms: Terms; length: number } {
    this.read(text);
    const { seen, counts } = this;
    const terms: Terms = {
      hashes: new BigInt64Array(seen.length),
      counts: new Int32Array(seen.length),
    };
    let length = 0;
    for (let i = 0; i < seen.length; i++) {
      terms.hashes[i] = this.hashes[seen[i]!]!;
      length += terms.counts[i] = counts[seen[i]!]!;
    }
    return { terms, length };
  }

  private read(text: string): void {
    const { counts, seen } = this;
    for (const term of seen) counts[term] = 0;
    seen.length = 0;
    if (this.stretches > STRETCHES || this.texts.length > TERMS / 2) this.forget();
    for (let at = 0; at < text.length;) {
      const end = endOfStretch(text, at);
      if (end > at) this.add(text, at, end);
      at = Math.max(end, at + 1);
    }
  }

  /**
   * The key of a stretch is the hash under which a term is stored, because making a string of each
   * stretch is slow.
   */
  private add(text: string, from: number, to: number): void {
    const { slots, counts, seen } = this;
    const [high, low] = hashOf(text, from, to);
    let slot = 3 * (low & (SLOTS - 1));
    while (slots[slot + 2] !== 0 && (slots[slot] !== high || slots[slot + 1] !== low))
      slot = (slot + 3) % slots.length;
    const known = slots[slot + 2]!;
    if (known > 0) {
      if (counts[known - 1]!++ === 0) seen.push(known - 1);
      return;
    }
    const terms = known < 0 ? this.lists[-1 - known]! : this.termsOf(text.slice(from, to));
    for (const term of terms) if (counts[term]!++ === 0) seen.push(term);
    if (known < 0 || to - from > KEPT_CHARS || this.stretches > SLOTS / 2) return;
    this.stretches += 1;
    slots[slot] = high;
    slots[slot + 1] = low;
    slots[slot + 2] = terms.length === 1 ? terms[0]! + 1 : -this.lists.push(terms);
  }

  private forget(): void {
    this.slots.fill(0);
    this.stretches = 0;
    this.lists.length = 0;
    this.ids.clear();
    this.texts.length = 0;
  }

  private termsOf(stretch: string): Int32Array {
    return Int32Array.from(termsIn(stretch).flatMap((term) => this.idOf(term) ?? []));
  }

  private idOf(term: string): number | null {
    const known = this.ids.get(term);
    if (known !== undefined || this.texts.length === TERMS) return known ?? null;
    const id = this.texts.push(term) - 1;
    this.ids.set(term, id);
    this.hashes[id] = hashTerm(term);
    return id;
  }
}

// Signed 64-bit hashes of terms: two 32-bit mixes over UTF-16 units, because BigInt is slow in the
// inner loop.

const words = new DataView(new ArrayBuffer(8));

/** Hash of a term, stored in the postings: high half FNV-1a 32, low half a murmur-style mix. */
export function hashTerm(term: string): bigint {
  const [high, low] = hashOf(term, 0, term.length);
  words.setInt32(0, high);
  words.setInt32(4, low);
  return words.getBigInt64(0);
}

function hashOf(text: string, from: number, to: number): [high: number, low: number] {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ (unit & 0xff), 0x01000193);
    high = Math.imul(high ^ (unit >>> 8), 0x01000193);
    low = Math.imul(low ^ unit, 0xcc9e2d51);
    low = Math.imul((low << 15) | (low >>> 17), 0x1b873593);
  }
  return [finish(high ^ (to - from)), finish(low ^ (to - from))];
}

/** Last step of MurmurHash3 (fmix32). */
function finish(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
