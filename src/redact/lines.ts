import { COLOUR, type View, createView } from './views.js';

// Signs that tools add around the lines of a file: numbers, places, diff signs, quotes, colours.

/** Prefixes of a line. */
const PIECES = [
  COLOUR,
  // `2026-01-02T10:00:00.000Z `
  /\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z| ?[+-]\d\d:?\d\d)?\]?[ \t]/,
  // `     3→`, `3\t`, `3:`, `3 | `, `#3 `, `L3: `, `[3] `, `3 + `
  /[ \t]{0,12}[#L([]?\d{1,7}[\])]?(?:[ \t]{0,4}(?:→|\\{1,4}t|[:|│┃▏❘¦.)>-])[ \t]?|\t|[ \t]{1,3}[+>-][ \t]|[ \t]{1,2})/,
  // `12:a3f|`, `12#XJ:`, `3fa9→`: the hash of a line
  /[ \t]{0,12}(?:\d{1,7}[:#])?[0-9A-Za-z]{2,8}(?:[|│→]|(?<=#[0-9A-Za-z]{2,8}):)[ \t]?/,
  // `src/a.env:3:`, `a.env-3-`, `a.env:3:7:`, `a.env(3): `
  /(?!\\{1,4}t)(?:[A-Za-z]:)?[^\s:"'`=|]{1,200}(?:[:-]\d{1,7}(?:[:-]\d{1,5})?[:-]|\(\d{1,7}(?:,\d{1,5})?\):[ \t]?)/,
  // `config/prod.env:`
  /(?!\\{1,4}t)(?=[^\s:"'`=|]{0,200}(?:[/\\]|\.(?:env|ya?ml|json|toml|ini|conf|cfg|properties|txt|md|sh|[jt]sx?|py|rb|go|pem):)|[^\s:"'`=|]{0,200}\.[^\s:"'`=|]{1,200}:\S)(?:[A-Za-z]:)?[^\s:"'`=|]{1,200}:/,
  // `a1b2c3d4 (Ana 2026-01-02 10:00:00 +0000 3) `
  /\^?[0-9a-f]{7,40} (?:\S{1,80} {1,4})?\([^()\n]{4,120} \d{1,7}\) ?/,
  // `[pod/web] `, `web-1  | `
  /\[[^\]\n]{1,80}\][ \t]/,
  /[\w.@/-]{1,60}[ \t]{0,20}[|│] ?/,
  // The signs of a diff, a quote, a frame; not the dashes that begin a key.
  /[ \t]{0,8}(?:\+{1,3}|-{1,3}(?!-)|[<>|│┃▏❘¦!~])[ \t]?/,
];
const BEFORE = new RegExp(PIECES.map(({ source }) => source).join('|'), 'y');
/** A line may have several prefixes, e.g. in a diff of a quoted file with numbers. */
const MOST_BEFORE = 6;
/** Suffixes of a line: the `$` of `cat -A`, a frame, a colour. */
const AFTER = new RegExp(`(?:${COLOUR.source}|[ \\t]{1,60}[|│┃]|(?:\\^M)?\\$){1,4}$`);
const LONGEST_AFTER = 80;
/** A line end, plain or escaped in JSON. */
const LINE_END = /\r?\n|((?:\\{1,4}r)?\\{1,4}n)/g;

const TAB = /\\{1,4}t/y;

/** Start of the line's own text, after the prefixes of tools. */
export function contentStart(text: string, lineStart: number, end = text.length): number {
  let at = lineStart;
  for (let pieces = 0; pieces < MOST_BEFORE && at < end; pieces++) {
    BEFORE.lastIndex = at;
    const piece = BEFORE.exec(text);
    if (piece === null || at + piece[0].length > end) break;
    at += piece[0].length;
  }
  return at;
}

/** A line without prefixes and suffixes of tools. */
export function contentOf(line: string): string {
  const start = contentStart(line, 0);
  return line.slice(start, line.length - afterLength(line, start, line.length));
}

function afterLength(text: string, start: number, end: number): number {
  if (start >= end || !'$|│┃mK'.includes(text[end - 1] as string)) return 0;
  return AFTER.exec(text.slice(Math.max(start, end - LONGEST_AFTER), end))?.[0].length ?? 0;
}

/** The text with only the content of each line; null if no line has a prefix or suffix. */
export function linesView(text: string): View | null {
  const view = createView(text);
  const take = (from: number, to: number): void => {
    const start = contentStart(text, from, to);
    if (start > from) view.drop(from, start);
    for (let at = start; ;) {
      TAB.lastIndex = at;
      const tab = TAB.exec(text);
      if (tab === null) break;
      view.drop(at, (at += tab[0].length), '\t');
    }
    const after = afterLength(text, start, to);
    if (after > 0) view.drop(to - after, to);
  };
  let from = 0;
  for (const end of text.matchAll(LINE_END)) {
    take(from, end.index);
    from = end.index + end[0].length;
    if (end[1] !== undefined) view.drop(end.index, from, '\n');
  }
  take(from, text.length);
  return view.done();
}
