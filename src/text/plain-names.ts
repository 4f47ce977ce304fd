/** One spelling of names and commands: what is compared is compared in this form. Pure. */

/** Zero-width, bidi, soft hyphen, fillers, tag characters and variation selectors. */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
/** How an address is written that nobody shall follow: `x[.]example`, `x (dot) example`. */
const DOTS = /(?<=[\w-]) {0,2}(?:\[(?:\.|dot)\]|\((?:\.|dot)\)) {0,2}(?=\w)/gi;

/** A text as a reader sees it: each sign in its plain form. Each pattern is linear. */
export function readable(text: string): string {
  return text
    .replace(/\\\r?\n[ \t]*/g, ' ')
    .normalize('NFKC')
    .replace(DASHES, '-')
    .replace(INVISIBLE, '')
    .replace(DOTS, '.')
    .replace(/\bhxxp(?=s?\[?:)/gi, 'http')
    .replace(/(?<=\bhttps?)(?:\[:\]\/\/|\[:\/\/\])/gi, '://');
}

/** What two spellings of one command, package or place have in common. */
export function nameKey(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().toLowerCase();
  if (/^[\x00-\x7f]*$/.test(line)) return line;
  return line.normalize('NFKC').replace(DASHES, '-').replace(INVISIBLE, '');
}
