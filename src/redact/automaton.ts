/**
 * Finds any of a few hundred words in one pass (Aho-Corasick), ignoring ASCII case. Takes linear
 * time for any text.
 */
import { INVISIBLE_CLASS } from '../text/signs.js';

interface Automaton {
  /** Next state, by state and character class. */
  next: Int16Array;
  /**
   * States from here on end a word; `outputs[state - firstOutput]` has its words, longest first.
   */
  firstOutput: number;
  outputs: Int16Array[];
  /** Character class of each ASCII unit; 0: the unit is in no word. */
  classes: Uint8Array;
  lengths: number[];
  /** Kind of each unit beyond ASCII. */
  signs(): Uint8Array;
}

const MAY_HIDE = 1;
const LETTER = 2;

/** There are at most 63 character classes besides 0, so a state is a row of 64. */
const ROW_BITS = 6;
const ROW = 1 << ROW_BITS;

interface State {
  row: Int16Array;
  /** Indexes of the words that end here. */
  ends: number[];
  fail: number;
}

/**
 * Builds the automaton for words (lower case, ASCII, at least one character).
 * @param letters letters beyond ASCII that the search reports, in any case
 */
export function buildAutomaton(words: readonly string[], letters: string): Automaton {
  const classes = classesOf(words);
  const states = linked(trieOf(words, classes));
  const lengths = words.map((word) => word.length);
  // States that end a word come last.
  const isEnd = (state: number): number => Number(states[state]!.ends.length > 0);
  const order = [...states.keys()].sort((a, b) => isEnd(a) - isEnd(b) || a - b);
  const place = new Int16Array(order.length);
  order.forEach((state, at) => (place[state] = at));
  const next = new Int16Array(order.length * ROW);
  order.forEach((state, at) =>
    next.set(
      states[state]!.row.map((to) => place[to]!),
      at << ROW_BITS,
    ),
  );
  const firstOutput = order.findIndex((state) => isEnd(state) === 1);
  const outputs = order
    .slice(firstOutput)
    .map((state) => Int16Array.from(states[state]!.ends.sort((a, b) => lengths[b]! - lengths[a]!)));
  let signs: Uint8Array | null = null;
  return {
    next,
    firstOutput,
    outputs,
    classes,
    lengths,
    signs: () => (signs ??= signsOf(letters)),
  };
}

function classesOf(words: readonly string[]): Uint8Array {
  const classes = new Uint8Array(128);
  const characters = new Set(words.join(''));
  if (characters.size >= ROW) throw new RangeError(`${characters.size} characters in the words`);
  [...characters].forEach((char, at) => (classes[char.charCodeAt(0)] = at + 1));
  for (let unit = 65; unit <= 90; unit++) classes[unit] = classes[unit + 32]!;
  return classes;
}

function trieOf(words: readonly string[], classes: Uint8Array): State[] {
  const blank = (): State => ({ row: new Int16Array(ROW).fill(-1), ends: [], fail: 0 });
  const states = [blank()];
  words.forEach((word, index) => {
    let state = states[0]!;
    for (const char of word) {
      const kind = classes[char.charCodeAt(0)]!;
      if (state.row[kind] === -1) state.row[kind] = states.push(blank()) - 1;
      state = states[state.row[kind]!]!;
    }
    state.ends.push(index);
  });
  return states;
}

/** Fills the failure transitions breadth first, so that scanning never steps back. */
function linked(states: State[]): State[] {
  const root = states[0]!.row;
  const queue = [...root].filter((to) => to > 0);
  root.forEach((to, kind) => (root[kind] = Math.max(0, to)));
  for (const at of queue) {
    const { row, ends, fail } = states[at]!;
    const back = states[fail]!;
    ends.push(...back.ends);
    row.forEach((to, kind) => {
      if (to === -1) row[kind] = back.row[kind]!;
      else {
        states[to]!.fail = back.row[kind]!;
        queue.push(to);
      }
    });
  }
  return states;
}

const HIDING = `[${INVISIBLE_CLASS}\\uff01-\\uff5e]`;
/** Characters that can hide a word. A selector after a picture is harmless: it only adds colour. */
const ODD = new RegExp(`(?<=[\\x00-\\x7f])\\ufe0f|(?!\\ufe0f)${HIDING}`, 'u');
/** First halves of the surrogate pairs in `ODD`. */
const HALVES = '\ud82f\ud834\udb40';

function signsOf(letters: string): Uint8Array {
  const units = Uint16Array.from({ length: 0xff80 }, (_, at) => at + 0x80);
  const all = Buffer.from(units.buffer)
    .toString('utf16le')
    .replace(/[\ud800-\udfff]+/g, '');
  const signs = new Uint8Array(0x10000);
  for (const [sign] of all.matchAll(new RegExp(HIDING, 'gu'))) signs[sign.charCodeAt(0)] = MAY_HIDE;
  for (const half of HALVES.split('')) signs[half.charCodeAt(0)] = MAY_HIDE;
  for (const [sign] of all.matchAll(new RegExp(`[${letters}]`, 'giu')))
    signs[sign.charCodeAt(0)]! |= LETTER;
  return signs;
}

/** Fetches many characters at once, because single ones are slow. */
const PIECE = 1 << 14;

/**
 * Calls `found` for every word that ends in the text, with its index and start, in order of their
 * ends.
 * @returns whether the text contains invisible or full-width characters, which can hide a word, and
 *   whether it has one of the letters
 */
export function scan(
  { next, classes, firstOutput, outputs, lengths, signs }: Automaton,
  text: string,
  found: (word: number, start: number) => void,
): { odd: boolean; letters: boolean } {
  // `found` may scan another text, so each call has its own buffer; most texts are short.
  const units = new Uint16Array(Math.min(text.length, PIECE));
  const bytes = Buffer.from(units.buffer);
  let state = 0;
  let beyond: Uint8Array | null = null;
  let seen = 0;
  for (let from = 0; from < text.length; from += PIECE) {
    const size = Math.min(PIECE, text.length - from);
    bytes.write(size === text.length ? text : text.slice(from, from + size), 'utf16le');
    for (let i = 0; i < size; i++) {
      const unit = units[i]!;
      if (unit > 127) {
        state = 0;
        beyond ??= signs();
        seen |= beyond[unit]!;
        continue;
      }
      state = next[(state << ROW_BITS) | classes[unit]!]!;
      if (state < firstOutput) continue;
      for (const word of outputs[state - firstOutput]!) found(word, from + i + 1 - lengths[word]!);
    }
  }
  return { odd: (seen & MAY_HIDE) > 0 && ODD.test(text), letters: (seen & LETTER) > 0 };
}
