import { INVISIBLE_CLASS } from '../text/signs.js';
import type { Span } from './span.js';

/**
 * Another form of a text: with decoded escapes, without invisible characters and terminal colours.
 * `starts[i]` is the original index of character i.
 */
export interface View {
  text: string;
  starts: Int32Array;
}

/** A terminal colour, plain or escaped. */
export const COLOUR = /(?:\u001b|\\{1,4}(?:u001[bB]|x1[bB]|e|033))\[[\d;]{0,20}[mK]/;
const ESCAPES = new RegExp(
  [
    /\\{1,4}u\{?0{0,4}([2-7][0-9a-fA-F])\}?|\\{1,4}x([2-7][0-9a-fA-F])/,
    /%(0[9aAdD]|[2-7][0-9a-fA-F])|&#(\d{2,3});|&#x([2-7][0-9a-fA-F]);|&(quot|amp|lt|gt);/,
    new RegExp(`${COLOUR.source}|\\\\\\r?\\n|[${INVISIBLE_CLASS}]`, 'u'),
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);
const NAMED: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>' };

/**
 * Beginnings of escapes for printable characters; a line end hides nothing. A text without any of
 * them needs no second check.
 */
export const ESCAPE_WORDS: readonly string[] = [
  ...'%2 %3 %4 %5 %6 %7 \\u00 \\u{ \\x2 \\x3 \\x4 \\x5 \\x6 \\x7 &# &quot; &amp; &lt; &gt;'.split(
    ' ',
  ),
  ...['\u001b[', '\\x1b[', '\\e[', '\\033[', '\\\n', '\\\r\n'],
];

export function createView(text: string): {
  drop(from: number, to: number, instead?: string): void;
  /** Null if nothing was dropped. */
  done(): View | null;
} {
  const parts: string[] = [];
  const starts = new Int32Array(text.length + 1);
  let length = 0;
  let at = 0;
  const keep = (to: number): void => {
    for (let i = at; i < to; i++) starts[length++] = i;
    if (to > at) parts.push(text.slice(at, to));
  };
  return {
    drop(from, to, instead = '') {
      keep(from);
      at = to;
      if (instead !== '') starts[length++] = from;
      parts.push(instead);
    },
    done() {
      if (at === 0) return null;
      keep(text.length);
      starts[length] = text.length;
      return { text: parts.join(''), starts: starts.subarray(0, length + 1) };
    },
  };
}

/**
 * The text with `\u0061`, `\x61`, `%61`, `&#97;` and named entities decoded once, without invisible
 * characters and continued line ends; null if it has none of these.
 */
export function decodedView(text: string): View | null {
  const view = createView(text);
  for (const match of text.matchAll(ESCAPES)) {
    const char = charOf(match);
    if (char !== null) view.drop(match.index, match.index + match[0].length, char);
  }
  return view.done();
}

function charOf(match: RegExpExecArray): string | null {
  const hex = match[1] ?? match[2] ?? match[3] ?? match[5];
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (match[4] !== undefined) {
    const unit = Number(match[4]);
    return unit >= 32 && unit < 127 ? String.fromCharCode(unit) : null;
  }
  return match[6] === undefined ? '' : (NAMED[match[6]] ?? null);
}

export function mapSpans(view: View, spans: readonly Span[]): Span[] {
  return spans.map(({ start, end, kind }) => ({
    start: view.starts[start] as number,
    end: view.starts[end] as number,
    kind,
  }));
}
