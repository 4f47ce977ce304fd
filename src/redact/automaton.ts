/**
 * Finds any of a few hundred words in one pass (Aho-Corasick), ignoring ASCII case. Takes linear
 * time for any text.
 */

interface Automaton {
  /** Next state, by state and character class. */
  next: Int16Array;
  /**
   * States from here on end a word; `outputs[state - firstOutput]` are the words, longest first.
   */
  firstOutput: number;
  outputs: Int16Array[];
  /** Character class of each ASCII unit; 0 = in no word. */
  classes: Uint8Array;
  lengths: number[];
}

/** Characters have at most 63 classes besides "none", so a state is a row of 64. */
const ROW_BITS = 6;
const ROW = 1 << ROW_BITS;

interface Trie {
  rows: Int16Array[];
  ends: number[][];
}

/** Builds the automaton for words (lower case, ASCII, at least one character). */
export function buildAutomaton(words: readonly string[]): Automaton {
  const classes = classesOf(words);
  const trie: Trie = { rows: [new Int16Array(ROW).fill(-1)], ends: [[]] };
  words.forEach((word, index) => insert(trie, word, index, classes));
  link(trie);
  const lengths = words.map((word) => word.length);
  const order = trie.ends
    .map((_, state) => state)
    .sort((a, b) => Number(has(trie, a)) - Number(has(trie, b)) || a - b);
  const place = new Int16Array(order.length);
  order.forEach((state, at) => (place[state] = at));
  const next = new Int16Array(order.length * ROW);
  order.forEach((state, at) =>
    next.set(
      (trie.rows[state] as Int16Array).map((to) => place[to] as number),
      at << ROW_BITS,
    ),
  );
  const firstOutput = order.findIndex((state) => has(trie, state));
  const outputs = order
    .slice(firstOutput)
    .map((state) =>
      Int16Array.from(
        (trie.ends[state] as number[]).sort(
          (a, b) => (lengths[b] as number) - (lengths[a] as number),
        ),
      ),
    );
  return { next, firstOutput, outputs, classes, lengths };
}

function has(trie: Trie, state: number): boolean {
  return (trie.ends[state] as number[]).length > 0;
}

function classesOf(words: readonly string[]): Uint8Array {
  const classes = new Uint8Array(128);
  let count = 0;
  for (const char of new Set(words.join(''))) classes[char.charCodeAt(0)] = ++count;
  if (count >= ROW)
    throw new RangeError(
      `${count} different characters in the words, at most ${ROW - 1} are possible`,
    );
  for (let unit = 65; unit <= 90; unit++) classes[unit] = classes[unit + 32] as number;
  return classes;
}

function insert({ rows, ends }: Trie, word: string, index: number, classes: Uint8Array): void {
  let state = 0;
  for (let i = 0; i < word.length; i++) {
    const row = rows[state] as Int16Array;
    const kind = classes[word.charCodeAt(i)] as number;
    if (row[kind] === -1) {
      row[kind] = rows.length;
      rows.push(new Int16Array(ROW).fill(-1));
      ends.push([]);
    }
    state = row[kind] as number;
  }
  ends[state]?.push(index);
}

/** Fills the failure transitions breadth first, so that scanning never steps back. */
function link({ rows, ends }: Trie): void {
  const fail = new Int16Array(rows.length);
  const queue: number[] = [];
  const root = rows[0] as Int16Array;
  for (let kind = 0; kind < ROW; kind++) {
    const state = root[kind] as number;
    if (state > 0) queue.push(state);
    else root[kind] = 0;
  }
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] as number;
    const row = rows[state] as Int16Array;
    const back = rows[fail[state] as number] as Int16Array;
    ends[state]?.push(...(ends[fail[state] as number] as number[]));
    for (let kind = 0; kind < ROW; kind++) {
      const child = row[kind] as number;
      if (child === -1) row[kind] = back[kind] as number;
      else {
        fail[child] = back[kind] as number;
        queue.push(child);
      }
    }
  }
}

/** Characters fetched together: fetching each from the string takes twice as long (measured). */
const PIECE = 1 << 14;

/**
 * Calls `found` for every word that ends in the text, with its index and start, in order of their
 * ends.
 * @returns whether the text contains invisible or full-width characters, which can hide a word, and
 *   whether it has letters beyond ASCII
 */
export function scan(
  { next, classes, firstOutput, outputs, lengths }: Automaton,
  text: string,
  found: (word: number, start: number) => void,
): { odd: boolean; letters: boolean } {
  // `found` may scan another text, so each call has its own buffer; most texts are short.
  const units = new Uint16Array(Math.min(text.length, PIECE));
  const bytes = Buffer.from(units.buffer);
  let state = 0;
  let odd = false;
  let letters = false;
  for (let from = 0; from < text.length; from += PIECE) {
    const size = Math.min(PIECE, text.length - from);
    bytes.write(size === text.length ? text : text.slice(from, from + size), 'utf16le');
    for (let i = 0; i < size; i++) {
      const unit = units[i] as number;
      if (unit > 127) {
        state = 0;
        if (!odd && isOdd(unit)) odd = true;
        if (!letters && isLetter(unit)) letters = true;
        continue;
      }
      state = next[(state << ROW_BITS) | (classes[unit] as number)] as number;
      if (state < firstOutput) continue;
      const words = outputs[state - firstOutput] as Int16Array;
      for (let w = 0; w < words.length; w++)
        found(words[w] as number, from + i + 1 - (lengths[words[w] as number] as number));
    }
  }
  return { odd, letters };
}

/** Latin with accents up to Hangul: no signs, arrows and frames. */
function isLetter(unit: number): boolean {
  return unit < 0x2000 ? unit >= 0xc0 : unit >= 0x3040 && unit < 0xd800;
}

/** Soft hyphen, joiners, direction marks, BOM: invisible, and able to split a word. */
export function isInvisible(unit: number): boolean {
  return (
    unit === 0xad ||
    unit === 0xfeff ||
    (unit >= 0x200b && unit <= 0x200f) ||
    (unit >= 0x202a && unit <= 0x202e) ||
    (unit >= 0x2060 && unit <= 0x2064)
  );
}

function isOdd(unit: number): boolean {
  return isInvisible(unit) || (unit > 0xff00 && unit < 0xff5f);
}
