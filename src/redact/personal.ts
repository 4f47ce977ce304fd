import { isPhoneValue } from './key-values.js';
import type { Span } from './span.js';
import { isAlphanumeric } from './tokens.js';

/** Endings that are files, not domains: `icon@2x.png`, `getty@tty1.service`. */
const FILES = new Set(
  (
    'png jpg jpeg gif svg webp ico ts tsx js jsx mjs cjs json yml yaml service socket timer target html css scss vue lock whl ' +
    'tgz zip md5'
  ).split(' '),
);
/** Addresses of programs, which occur in thousands of commit trailers and remotes. */
const PROGRAMS = /^(?:git|noreply|no-reply|donotreply)$/i;
const LOCAL = /[A-Za-z0-9._%+'-]/;
const DOMAIN =
  /@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}([A-Za-z]{2,24}))(?![A-Za-z0-9_@(])/y;

/** The e-mail address around an `@`. */
export function emailAt(text: string, at: number): Span | null {
  DOMAIN.lastIndex = at;
  const domain = DOMAIN.exec(text);
  if (domain === null || FILES.has((domain[2] as string).toLowerCase())) return null;
  let start = at;
  while (
    start > 0 &&
    at - start < 64 &&
    (LOCAL.test(text[start - 1] as string) || isAlphanumeric(text.charCodeAt(start - 1)))
  )
    start--;
  while (start < at && /[.'%+-]/.test(text[start] as string)) start++;
  if (start > 0 && text[start - 1] === '\\' && 'nrt'.includes(text[start] as string)) start++;
  const local = text.slice(start, at);
  if (local === '' || PROGRAMS.test(local) || isInAuthority(text, start)) return null;
  return { start, end: at + domain[0].length, kind: 'email' };
}

/** Inside `scheme://user:password@host`, which has its own rule, or a path `…/pkg@host`. */
function isInAuthority(text: string, start: number): boolean {
  return /:\/\/[^\s/@]{0,80}$/.test(text.slice(Math.max(0, start - 84), start));
}

const COUNTRY =
  /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|21[1-3689]|2[2-6]\d|29[0179]|35\d|37[0-9]|38[0-35-79]|42[013]|50\d|59\d|67[0-9]|68\d|69[0-2]|85[02356]|88[06]|96\d|97[0-9]|99[2-689])/;
const NUMBER = /(?:\+|00)[1-9]\d{0,3}(?:[ ./-]{0,2}\(?\d{1,5}\)?){1,6}(?![\w%])/y;

/** A phone number in international form, beginning with `+` or `00`. */
export function phoneAt(text: string, at: number): Span | null {
  const before = at === 0 ? '\n' : (text[at - 1] as string);
  if (!/[\s:("'`<>,;=|[]/.test(before)) return null;
  NUMBER.lastIndex = at;
  const match = NUMBER.exec(text);
  if (match === null) return null;
  const number = match[0];
  const digits = number.replace(/\D/g, '').replace(/^00/, '');
  const separated = /\d[ ./()-]{1,3}\d/.test(number);
  if (digits.length < 9 || digits.length > 15 || !COUNTRY.test(digits) || !hasPhoneGroups(number))
    return null;
  if (!separated && (before === '\n' || digits.length < 10 || text[at] !== '+')) return null;
  return { start: at, end: at + number.length, kind: 'phone' };
}

/**
 * Whether groups of digits look like a phone number: equal short groups are a row of numbers, and
 * dates or versions have dots between short ones.
 */
function hasPhoneGroups(number: string): boolean {
  const groups = number
    .replace(/^(?:\+|00)/, '')
    .split(/[ ./()-]{1,3}/)
    .filter((group) => group !== '');
  const rest = groups.slice(1);
  if (rest.length === 0) return true;
  const pairs = rest[0]?.length === 1 ? rest.slice(1) : rest;
  if (pairs.every((group) => group.length === 2)) return pairs.length >= 4;
  return (
    rest.every((group) => group.length >= 2 || group === '0') &&
    rest.some((group) => group.length >= 3)
  );
}

const LOCAL_NUMBER = /\(\d{3}\)[ -]?\d{3}-\d{4}(?!\d)/y;

/** `(415) 555-2671`; the trigger is the closing bracket. */
export function bracketPhoneAt(text: string, bracket: number): Span | null {
  const start = bracket - 4;
  if (start < 0 || (start > 0 && isAlphanumeric(text.charCodeAt(start - 1)))) return null;
  LOCAL_NUMBER.lastIndex = start;
  const match = LOCAL_NUMBER.exec(text);
  return match === null || !isPhoneValue(match[0])
    ? null
    : { start, end: start + match[0].length, kind: 'phone' };
}

/** Lengths of IBANs by country (SWIFT registry). */
const IBAN_LENGTHS = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 ' +
    'GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ' +
    'ME22 MK19 MN20 MR27 MT31 MU30 NI28 ' +
    'NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 ' +
    'TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);
const IBAN = /[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?/g;

/** Bank account numbers with a correct check sum, in one block or in groups of four. */
export function ibansIn(text: string): Span[] {
  const spans: Span[] = [];
  IBAN.lastIndex = 0;
  for (let match = IBAN.exec(text); match !== null; match = IBAN.exec(text)) {
    const length = IBAN_LENGTHS.get(match[0].slice(0, 2));
    if (length === undefined || isAlphanumeric(text.charCodeAt(match.index - 1))) continue;
    const end = endAfter(match[0], length);
    if (end !== null && hasIbanSum(match[0].slice(0, end).replace(/ /g, '')))
      spans.push({ start: match.index, end: match.index + end, kind: 'iban' });
  }
  return spans;
}

/** Position after `length` characters that are not blanks. */
function endAfter(text: string, length: number): number | null {
  let seen = 0;
  for (let i = 0; i < text.length; i++) if (text[i] !== ' ' && ++seen === length) return i + 1;
  return null;
}

/** ISO 7064 mod 97-10. */
function hasIbanSum(iban: string): boolean {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = char <= '9' ? Number(char) : char.charCodeAt(0) - 55;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
