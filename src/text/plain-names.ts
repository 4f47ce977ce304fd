/**
 * One spelling of names. A page may write a command in bold, with entities, soft hyphens or
 * full-width signs, and the agent types it plainly: what is compared is compared in this form,
 * foreign texts and steps alike.
 */

/** Zero-width, bidi, soft hyphen, fillers, tag characters and variation selectors. */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
/** How an address is written that nobody shall follow: `x[.]example`, `x (dot) example`. */
const DOTS = /(?<=[\w-]) {0,2}(?:\[(?:\.|dot)\]|\((?:\.|dot)\)) {0,2}(?=\w)/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  shy: '',
  hyphen: '-',
  dash: '-',
  sol: '/',
  period: '.',
  colon: ':',
  lowbar: '_',
  zwnj: '',
  zwj: '',
};

function sign(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/**
 * Whole runs of them, so that signs of several bytes come out right; what is no such text stays.
 */
function unpercent(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}

/**
 * A text as a reader sees it, without markup: each sign of it in its plain form. Each pattern is
 * linear.
 */
export function readable(text: string): string {
  return text
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi, (_, hex?: string, ten?: string) =>
      sign(hex === undefined ? Number(ten) : parseInt(hex, 16)),
    )
    .replace(/&([a-z]{2,8});/g, (whole, name: string) => NAMED[name] ?? whole)
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => sign(parseInt(hex, 16)))
    .replace(/(?:%[0-9a-f]{2})+/gi, unpercent)
    .replace(/<\/?[a-z][^<>\n]{0,200}>/gi, '')
    .replace(/\\\r?\n[ \t]*/g, ' ')
    .replace(/\\([-_.*/~`])/g, '$1')
    .replace(/\*\*?|__|~~/g, '')
    .normalize('NFKC')
    .replace(DASHES, '-')
    .replace(INVISIBLE, '')
    .replace(DOTS, '.')
    .replace(/\bhxxp(?=s?\[?:)/gi, 'http')
    .replace(/(?<=\bhttps?)(?:\[:\]\/\/|\[:\/\/\])/gi, '://');
}

/** What two spellings of one command, package or place have in common. */
export function nameKey(token: string): string {
  if (/^[\x00-\x7f]*$/.test(token)) return token.toLowerCase();
  return token.normalize('NFKC').replace(DASHES, '-').replace(INVISIBLE, '').toLowerCase();
}
