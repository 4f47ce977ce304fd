/** How many cells of a terminal a text takes, and how much of it fits. Pure. */

/** What a terminal draws as one sign. */
interface Cell {
  text: string;
  width: number;
  /** Where it begins in the text, in UTF-16 units. */
  at: number;
}

const PLAIN = /^[\x20-\x7e]*$/;
/**
 * East Asian signs and emoji take two cells (Unicode Annex 11); the halfwidth forms among them take
 * one.
 */
const WIDE =
  /^(?![\uff61-\uffdc])(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}\ufe0f)/u;
/** Combining signs without a letter, and signs that only steer; a soft hyphen is drawn. */
const EMPTY = /^(?!\u00ad)[\p{Mn}\p{Me}\p{Cf}]/u;

export function cellsOf(text: string): Cell[] {
  if (PLAIN.test(text)) return Array.from(text, (sign, at) => ({ text: sign, width: 1, at }));
  return Array.from(
    new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text),
    ({ segment, index }) => ({
      text: segment,
      width: EMPTY.test(segment) ? 0 : WIDE.test(segment) ? 2 : 1,
      at: index,
    }),
  );
}

export function cellWidth(text: string): number {
  return PLAIN.test(text) ? text.length : cellsOf(text).reduce((sum, { width }) => sum + width, 0);
}

/** The beginning of a text that fits into so many cells; a mark stands for what is cut. */
export function cut(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  return width < 1 ? '' : `${beginning(cellsOf(text), width - 1)}…`;
}

/** The end of a text that fits; a mark stands for what is cut. */
export function cutBefore(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  const backwards = cellsOf(text).reverse();
  let left = width - 1;
  const kept = backwards.findIndex((cell) => (left -= cell.width) < 0);
  return width < 1 ? '' : `…${text.slice(kept === 0 ? text.length : backwards[kept - 1]!.at)}`;
}

/** Cut or filled with blanks to exactly so many cells. */
export function padded(text: string, width: number): string {
  const fitting = cut(text, width);
  return fitting + ' '.repeat(Math.max(0, width - cellWidth(fitting)));
}

function beginning(cells: readonly Cell[], width: number): string {
  let [text, left] = ['', width];
  for (const cell of cells) {
    left -= cell.width;
    if (left < 0) break;
    text += cell.text;
  }
  return text;
}
