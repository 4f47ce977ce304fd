/** Invisible characters, and texts without them. Pure. */
import { verbatim } from './verbatim.js';

/**
 * Characters that show nothing but can hide text or split a word: Unicode's own list, annotation
 * marks and the empty Braille cell. The selector after a coloured picture stays.
 */
const INVISIBLE =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!\ufe0f)[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/gu;

/** The same characters for a character class of a pattern with the flag `u`. */
export const INVISIBLE_CLASS = '\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb\\u2800';

/** Colours and other control sequences for a terminal; each repetition ends at the next escape. */
export const ORDERS =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
/** How people write an address that nobody should open: `x[.]example`, `x (dot) example`. */
const DOTS = /(?<=[\w-]) {0,2}(?:\[(?:\.|dot)\]|\((?:\.|dot)\)) {0,2}(?=\w)/gi;

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/**
 * A text as a reader sees it, with each character in its plain form. Each pattern takes linear
 * time.
 */
export function readable(text: string): string {
  return withoutInvisible(
    text
      .replace(/\\\r?\n[ \t]*/g, ' ')
      .normalize('NFKC')
      .replace(DASHES, '-'),
  )
    .replace(DOTS, '.')
    .replace(/\bhxxp(?=s?\[?:)/gi, 'http')
    .replace(/(?<=\bhttps?)(?:\[:\]\/\/|\[:\/\/\])/gi, '://');
}

/** A text's key, equal for two spellings of one command, package or place. */
export function nameKey(text: string): string {
  const line = verbatim(text).toLowerCase();
  if (/^[\x00-\x7f]*$/.test(line)) return line;
  return withoutInvisible(line.normalize('NFKC').replace(DASHES, '-'));
}
