import type { Terms } from '../types.js';

/** Turns the raw text of a word or compound into its terms. */
type Expand = (raw: string) => readonly string[];

/**
 * Slots of four numbers: both hashes, the word's term or where its terms start in the pool, their number (0 = free slot, -1 = no
 * terms).
 */
const SLOTS = 1 << 18;
const WORDS = 200_000;
const TERMS = 400_000;

/**
 * Memo of raw words and their terms. A word is found by two 32-bit hashes of its characters, which the scanner computes while it
 * reads, so a known word costs neither a string nor a BigInt (measured: 8 times faster than a Map of strings).
 * Emptied between texts when full, which bounds it to about 40 MB; one text gives at most 400,000 terms.
 */
export class Dictionary {
  private readonly slots = new Int32Array(SLOTS * 4);
  private readonly pool = new Int32Array(WORDS * 4);
  private pooled = 0;
  private words = 0;
  private readonly ids = new Map<string, number>();
  /** Text and stable hash of each term, by number. */
  readonly texts: string[] = [];
  private readonly hashes = new BigInt64Array(TERMS);
  /** The same as halves, which are copied without making a BigInt of them. */
  private readonly halves = new Int32Array(this.hashes.buffer);
  /** Frequency of each term in the text being read, and the numbers of those above zero. */
  readonly counts = new Int32Array(TERMS);
  readonly seen: number[] = [];

  /** Must be called before each text: clears everything when more than half full. */
  begin(): void {
    this.forget();
    if (this.words > WORDS * 0.6 || this.pooled > this.pool.length * 0.6 || this.texts.length > TERMS / 2) this.clear();
  }

  /**
   * The terms of the text that was read, in order of first appearance, and their number with repeats; the counts are zero
   * afterwards.
   */
  take(): { terms: Terms; length: number } {
    const { seen, counts, halves } = this;
    const terms: Terms = { hashes: new BigInt64Array(seen.length), counts: new Int32Array(seen.length) };
    const taken = new Int32Array(terms.hashes.buffer);
    let length = 0;
    for (let i = 0; i < seen.length; i++) {
      const term = seen[i] as number;
      const count = counts[term] as number;
      counts[term] = 0; // here, while it is in the cache, which the whole table would not fit
      length += count;
      terms.counts[i] = count;
      taken[2 * i] = halves[2 * term] as number;
      taken[2 * i + 1] = halves[2 * term + 1] as number;
    }
    seen.length = 0;
    return { terms, length };
  }

  private forget(): void {
    for (const term of this.seen) this.counts[term] = 0;
    this.seen.length = 0;
  }

  /** Counts the terms of the characters from `start` to `end`, whose hashes are `one` and `two`. */
  count(units: Uint16Array, start: number, end: number, one: number, two: number, expand: Expand): void {
    const { slots } = this;
    let slot = ((one ^ (two >>> 7)) & (SLOTS - 1)) << 2;
    for (;;) {
      const size = slots[slot + 3] as number;
      if (size === 0) return this.add(slot, String.fromCharCode(...units.subarray(start, end)), one, two, expand);
      if (slots[slot] === one && slots[slot + 1] === two) {
        if (size === 1) this.countTerm(slots[slot + 2] as number);
        else if (size > 0) this.countPooled(slots[slot + 2] as number, size);
        return;
      }
      slot = (slot + 4) & (SLOTS * 4 - 1);
    }
  }

  private countPooled(from: number, size: number): void {
    for (let i = from; i < from + size; i++) this.countTerm(this.pool[i] as number);
  }

  private countTerm(term: number): void {
    const count = this.counts[term] as number;
    if (count === 0) this.seen.push(term);
    this.counts[term] = count + 1;
  }

  private add(slot: number, raw: string, one: number, two: number, expand: Expand): void {
    const terms = expand(raw);
    const from = this.pooled;
    const keep = this.words < WORDS && from + terms.length <= this.pool.length;
    for (const text of terms) {
      const term = this.idOf(text);
      if (term < 0) continue;
      if (keep) this.pool[this.pooled++] = term;
      this.countTerm(term);
    }
    if (!keep) return;
    this.words++;
    this.slots[slot] = one;
    this.slots[slot + 1] = two;
    const size = this.pooled - from;
    this.slots[slot + 2] = size === 1 ? (this.pool[--this.pooled] as number) : from;
    this.slots[slot + 3] = size || -1;
  }

  private idOf(term: string): number {
    let id = this.ids.get(term);
    if (id === undefined) {
      id = this.texts.length;
      if (id >= TERMS) return -1;
      this.ids.set(term, id);
      this.texts.push(term);
      this.hashes[id] = hashTerm(term);
    }
    return id;
  }

  private clear(): void {
    this.slots.fill(0);
    this.pooled = 0;
    this.words = 0;
    this.ids.clear();
    this.texts.length = 0;
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
