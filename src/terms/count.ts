/**
 * Counts the terms of a text: a pattern finds words, compounds (`src/app.ts`, `--no-verify`) and ideographs, a memo knows the
 * terms of each.
 */
import type { Terms } from '../types.js';
import { MAX_TERM, termsOfWord } from './split.js';

/** Chinese, Japanese, Korean: indexed as pairs of characters. Surrogates (emoji, rare scripts) separate. */
const IDEOGRAPH = String.raw`[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3005\u30fc\uff70]--[\u{10000}-\u{10ffff}]]`;
const WORD = String.raw`[[\w\p{L}\p{N}\p{M}]--${IDEOGRAPH}--[\u{10000}-\u{10ffff}]]`;

/**
 * `c++` and `c#`; words joined by single `.`, `/`, `\` or `-`, with the two dashes of a flag that stand after a blank or bracket;
 * ideographs. Nothing is required behind what repeats, so that no text takes more than linear time.
 */
function stretchesOf(word: string, ideograph: string, flags: string): RegExp {
  const joined = String.raw`(?:(?<![${word}${ideograph}.\/\\\-])--(?=[a-z]))?${word}+(?:[.\/\\\-]${word}+)*`;
  return new RegExp(String.raw`(?!\d)${word}(?:#|\+\+)|${joined}|${ideograph}+`, flags);
}
const ANY = stretchesOf(WORD, IDEOGRAPH, 'gv');
/** The same for texts without any other character. */
const ASCII = /(?!\d)\w(?:#|\+\+)|(?:(?<![\w./\\-])--(?=[a-z]))?\w+(?:[./\\-]\w+)*/g;
const NOT_ASCII = /[\u0080-\uffff]/;
const IDEOGRAPHS = new RegExp(`^${IDEOGRAPH}`, 'v');

/** 1.234.567.890: dates and versions are found as wholes, longer chains of digits are not worth a term. */
const LONG_NUMBER = /^(?=.{13})[\d.-]+$/;

/** The terms of a stretch in order, with repeats: its words, of a path each dotted part, the whole and the last two parts. */
function termsIn(stretch: string): string[] {
  if (IDEOGRAPHS.test(stretch)) {
    if (stretch.length === 1) return [stretch];
    return Array.from({ length: stretch.length - 1 }, (_, at) => stretch.slice(at, at + 2).toLowerCase());
  }
  if (/[#+]$/.test(stretch)) return [stretch.toLowerCase()];
  const found: string[] = [];
  const add = (compound: string): void => void (compound.length <= MAX_TERM && found.push(compound.toLowerCase()));
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

/** A stretch of six million characters overflows the pattern's stack. */
const PIECE = 1 << 20;

/** A longer text in pieces, cut at a blank; without any for so long it holds no words. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const most = from + PIECE;
    const blank = most < text.length ? Math.max(text.lastIndexOf('\n', most), text.lastIndexOf(' ', most)) : -1;
    const to = blank > from ? blank : most;
    yield text.slice(from, to);
    from = to;
  }
}

/** Terms that are known at once; one text gives at most so many different ones. */
const TERMS = 400_000;
const STRETCHES = 100_000;
/** Longer stretches are base64 and the like: they do not come again, and would stay in memory. */
const KEPT_CHARS = 256;

/** Remembers stretches and their terms from text to text, bounded to about 40 MB. */
export class TermCounter {
  /** The number of its only term, or the numbers of all. */
  private readonly stretches = new Map<string, number | Int32Array>();
  private readonly ids = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly hashes = new BigInt64Array(TERMS);
  /** Frequency of each term in the text being read, and the numbers of those above zero. */
  private readonly counts = new Int32Array(TERMS);
  private readonly seen: number[] = [];

  /** Terms in order of first appearance, with their frequency. */
  count(text: string): Map<string, number> {
    this.read(text);
    return new Map(this.seen.map((term) => [this.texts[term]!, this.counts[term]!]));
  }

  /** The same as hashes, and their number with repeats. */
  countHashed(text: string): { terms: Terms; length: number } {
    this.read(text);
    const { seen, counts } = this;
    const terms: Terms = { hashes: new BigInt64Array(seen.length), counts: new Int32Array(seen.length) };
    let length = 0;
    for (let i = 0; i < seen.length; i++) {
      terms.hashes[i] = this.hashes[seen[i]!]!;
      length += terms.counts[i] = counts[seen[i]!]!;
    }
    return { terms, length };
  }

  private read(text: string): void {
    const { stretches, counts, seen } = this;
    for (const term of seen) counts[term] = 0;
    seen.length = 0;
    if (stretches.size > STRETCHES || this.texts.length > TERMS / 2) this.forget();
    for (const piece of piecesOf(text)) {
      for (const stretch of piece.match(NOT_ASCII.test(piece) ? ANY : ASCII) ?? []) {
        const terms = stretches.get(stretch) ?? this.learn(stretch);
        if (typeof terms === 'number') {
          if (counts[terms]!++ === 0) seen.push(terms);
        } else for (const term of terms) if (counts[term]!++ === 0) seen.push(term);
      }
    }
  }

  private forget(): void {
    this.stretches.clear();
    this.ids.clear();
    this.texts.length = 0;
  }

  private learn(stretch: string): number | Int32Array {
    const ids = termsIn(stretch).flatMap((term) => this.idOf(term) ?? []);
    const terms = ids.length === 1 ? ids[0]! : Int32Array.from(ids);
    // A stretch that was cut out of a text would keep all of the text in memory.
    if (stretch.length <= KEPT_CHARS) this.stretches.set(Buffer.from(stretch, 'utf16le').toString('utf16le'), terms);
    return terms;
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

// Signed 64-bit hashes of terms: two 32-bit mixes over UTF-16 units, so the inner loop never touches a BigInt.

const words = new DataView(new ArrayBuffer(8));

/**
 * Stable hash of a term (the same on every machine and version; stored in the postings).
 * High half FNV-1a 32, low half a murmur-style mix; for 10 million terms the chance of any collision is about 3e-6.
 */
export function hashTerm(term: string): bigint {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    high = Math.imul(high ^ (unit & 0xff), 0x01000193);
    high = Math.imul(high ^ (unit >>> 8), 0x01000193);
    low = Math.imul(low ^ unit, 0xcc9e2d51);
    low = Math.imul((low << 15) | (low >>> 17), 0x1b873593);
  }
  words.setInt32(0, finish(high ^ term.length));
  words.setInt32(4, finish(low ^ term.length));
  return words.getBigInt64(0);
}

/** Final avalanche of MurmurHash3 (fmix32). */
function finish(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
