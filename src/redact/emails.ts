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
