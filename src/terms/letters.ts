/** Character classes for the term scanner. */

export const SEPARATOR = 0;
export const LOWER = 1;
const UPPER = 2;
export const DIGIT = 3;
const UNDERSCORE = 4;
/** Joins words to compounds when it stands between two of them: . - / \ : @ + */
export const JOINER = 5;
/** A letter outside ASCII that forms words. */
const LETTER = 6;
/** Chinese, Japanese, Korean: indexed as pairs of characters. */
export const IDEOGRAPH = 7;

/** Class per UTF-16 unit; filled for ASCII at load, for the rest at first sight (255 = not yet known). */
const classes = new Uint8Array(0x10000).fill(255);
for (let unit = 0; unit < 128; unit++) classes[unit] = SEPARATOR;
for (let unit = 97; unit <= 122; unit++) classes[unit] = LOWER;
for (let unit = 65; unit <= 90; unit++) classes[unit] = UPPER;
for (let unit = 48; unit <= 57; unit++) classes[unit] = DIGIT;
classes[95] = UNDERSCORE;
for (const joiner of './\\-') classes[joiner.charCodeAt(0)] = JOINER;

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3005\u30fc\uff70]/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;

/** Class of one UTF-16 unit; surrogates (emoji, rare scripts) separate. */
export function classOf(unit: number): number {
  const known = classes[unit] as number;
  if (known !== 255) return known;
  const char = String.fromCharCode(unit);
  let found = SEPARATOR;
  if (unit < 0xd800 || unit > 0xdfff) found = CJK.test(char) ? IDEOGRAPH : WORD.test(char) ? LETTER : SEPARATOR;
  classes[unit] = found;
  return found;
}

/** The table itself for the inner loop; 255 means: ask `classOf`. */
export const table: Readonly<Uint8Array> = classes;
