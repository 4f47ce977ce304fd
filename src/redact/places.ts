import { isPlaceholder } from './placeholder.js';
import { classOfKey } from './key-names.js';
import { isSecretValue } from './key-values.js';
import type { Span } from './span.js';

/**
 * Secrets that their place identifies: headers, URLs, command lines, manifests. Each has trigger
 * words and a function that checks one place.
 */
export interface SecretPlace {
  words: string[];
  find(text: string, trigger: number): Span[];
  /**
   * A check covers this many characters, so triggers within them are skipped; keeps repeated
   * triggers cheap.
   */
  covers?: number;
}

function one(span: Span | null): Span[] {
  return span === null ? [] : [span];
}

/** First group of a sticky pattern as a span. */
function group(text: string, at: number, pattern: RegExp, kind: string): Span | null {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const value = match?.[1];
  if (match === null || value === undefined) return null;
  const end = at + match[0].length;
  return { start: end - value.length, end, kind };
}

const SCHEME =
  /authorization(?:\\{0,7}["'`])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\\{0,7}["'`])?(?:(?:bearer|basic|token|apikey|digest|AWS4-HMAC-SHA256 [^\n]{0,300}Signature=)[ \t]{1,3})?([\w.~+/=:-]{6,4096})/iy;
const BEARER = /bearer[ \t]{1,3}([A-Za-z0-9._~+/=-]{16,4096})/iy;
const BASIC = /basic[ \t]{1,3}([A-Za-z0-9+/]{8,1000}={0,2})(?![\w-])/iy;

function authorization(text: string, at: number): Span | null {
  const span = group(text, at, SCHEME, 'auth-header');
  if (span === null) return null;
  const value = text.slice(span.start, span.end);
  const named =
    /[ \t]$/.test(text.slice(at, span.start)) &&
    !/[:=,][ \t]{1,4}$/.test(text.slice(at, span.start));
  if (
    isPlaceholder(value) ||
    /^https?:/.test(value) ||
    /(?:^|[^"'`])[ \t]{0,4},[ \t"'`]{0,8}$/.test(text.slice(at, span.start)) ||
    /^[A-Za-z]{1,60}(?:[.:-][A-Za-z]{1,60}){0,8}$/.test(value)
  )
    return null;
  return named || (value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value)) ? span : null;
}

function bearer(text: string, at: number): Span | null {
  const span = group(text, at, BEARER, 'auth-header');
  if (span === null) return null;
  const value = text.slice(span.start, span.end);
  return /\d/.test(value) && !isPlaceholder(value) ? span : null;
}

/** `Basic` and base64 that decodes to `user:password`. */
function basic(text: string, at: number): Span | null {
  const span = group(text, at, BASIC, 'auth-header');
  if (span === null) return null;
  const plain = Buffer.from(text.slice(span.start, span.end), 'base64').toString('latin1');
  return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,400}$/.test(plain) ? span : null;
}

/** The token of `.npmrc`. */
const NPM_TOKEN = /_authToken=([^\s$"'\\]{8,400})/iy;

const USERINFO =
  /:\/\/([^\s/@:'"`<>\\]{0,200}):([^\s@/'"`<>\\]{1,300}(?:\/[^\s@/'"`<>\\]{0,100})?)@(?=[\w.[\]$%-])/y;
const USER_ONLY = /:\/\/([A-Za-z0-9_%.~-]{16,300})@(?=[\w-]{1,100}\.)/y;
const WEAK =
  /^(?:pass|password|passwd|pwd|postgres|root|admin|user|username|test|secret|guest|mysql|mariadb|redis|mongo|example|changeme|rabbitmq|token|\*{1,40}|x{1,40}|\.{3})$/i;

/** Password in a URL's userinfo, or a token without a user. */
function userinfo(text: string, at: number): Span | null {
  USERINFO.lastIndex = at;
  const match = USERINFO.exec(text);
  if (match !== null) {
    const [whole, user = '', password = ''] = match;
    if (
      user.endsWith('[REDACTED') ||
      WEAK.test(password) ||
      /^\d{1,5}\//.test(password) ||
      password === user ||
      isPlaceholder(password)
    )
      return null;
    return {
      start: at + whole.length - 1 - password.length,
      end: at + whole.length - 1,
      kind: 'url-password',
    };
  }
  const token = group(text, at, USER_ONLY, 'url-password');
  if (token === null) return null;
  const value = text.slice(token.start - 1, token.end - 1);
  if (isPlaceholder(value) || !/\d/.test(value)) return null;
  return { ...token, start: token.start - 1, end: token.end - 1 };
}

function npmToken(text: string, at: number): Span | null {
  const span = group(text, at, NPM_TOKEN, 'npm-token');
  return span === null || isPlaceholder(text.slice(span.start, span.end)) ? null : span;
}

const CURL_USER =
  /[^\n]{0,400}?\s(?:-u|--user|--proxy-user|-U)[ =]{0,2}["']?([^\s"':$]{1,100}:[^\s"'$]{3,200})/y;
const DASH_P = /[^\n]{0,300}?\s(?:-p|--password[= ])["']?([^\s"'$-][^\s"'$]{3,200})/y;
const DASH_A = /[^\n]{0,300}?\s(?:-a|--pass)[ =]["']?([^\s"'$-][^\s"'$]{3,200})/y;
const SSHPASS = /sshpass[ \t]{1,4}-p[ =]{0,2}["']?([^\s"'$]{3,200})/y;

function commandSecret(text: string, at: number, pattern: RegExp): Span | null {
  const span = group(text, at, pattern, 'password');
  if (span === null) return null;
  const value = text.slice(span.start, span.end);
  const secret =
    value.includes(':') && pattern === CURL_USER ? value.slice(value.indexOf(':') + 1) : value;
  if (isPlaceholder(secret) || /^[/.]/.test(secret)) return null;
  return { ...span, start: span.end - secret.length };
}

const DASH_P_LOGIN = /[^\n]{0,300}?\s-p[ =]?["']?([^\s"'$-][^\s"'$]{3,200})/y;

const COOKIE =
  /(?:set-)?cookie2?(?:\\{0,3}["'`])?[ \t]{0,4}:[ \t]{0,4}(?:\\{0,3}["'`])?([^\n"'`]{8,4096})/iy;

/** Each long value of a Cookie or Set-Cookie header. */
function cookies(text: string, at: number): Span[] {
  const header = group(text, at, COOKIE, 'cookie');
  if (header === null) return [];
  const spans: Span[] = [];
  for (const match of text
    .slice(header.start, header.end)
    .matchAll(/([\w.$-]{1,80})=([^\s;,"'`\\]{12,4096})/g)) {
    const value = match[2] as string;
    const start = header.start + match.index + match[0].length - value.length;
    if (
      isSecretValue(value, {
        kind: 'cookie',
        quoted: true,
        next: '',
        prose: false,
        tight: true,
        literal: true,
        alone: false,
      })
    )
      spans.push({ start, end: start + value.length, kind: 'cookie' });
  }
  return spans;
}

const YAML_ENTRY =
  /\r?\n(?:[ \t]{0,40}#[^\n]{0,300}\n)?([ \t]{1,40})[\w.-]{1,100}:[ \t]{1,8}["']?([A-Za-z0-9+/=_-]{4,4096})["']?[ \t]{0,8}(?=\r?\n|$)/y;

/** How far after its `kind` a manifest is read. */
const REACH = 16_000;

/** The values below `data:` and `stringData:` of a Kubernetes Secret. */
function kubernetes(text: string, at: number): Span[] {
  const from = Math.max(0, text.lastIndexOf('\n---', at), at - 8000);
  const next = text.indexOf('\n---', at);
  const part = text
    .slice(from, Math.min(next < 0 ? text.length : next, at + REACH))
    .replace(/\\{1,4}n/g, (escape) => '\n'.padStart(escape.length));
  const spans: Span[] = [];
  for (const block of part.matchAll(
    /(?:^|\n)([ \t]{0,20})(?:data|stringData):[ \t]{0,8}(?=\r?\n)/g,
  )) {
    const start = block.index + block[0].length;
    const indent = (block[1] ?? '').length;
    YAML_ENTRY.lastIndex = start;
    for (
      let entry = YAML_ENTRY.exec(part);
      entry !== null && (entry[1] ?? '').length > indent;
      entry = YAML_ENTRY.exec(part)
    ) {
      const value = entry[2] as string;
      const valueStart = from + entry.index + entry[0].lastIndexOf(value);
      if (!isPlaceholder(value))
        spans.push({
          start: valueStart,
          end: valueStart + value.length,
          kind: 'kubernetes-secret',
        });
    }
  }
  for (const entry of part.matchAll(/"(?:data|stringData)"\s{0,8}:\s{0,8}\{([^{}]{4,8000})\}/g)) {
    for (const pair of (entry[1] as string).matchAll(/:\s{0,8}"([A-Za-z0-9+/=_-]{4,4096})"/g)) {
      const start =
        from +
        entry.index +
        entry[0].indexOf(entry[1] as string) +
        pair.index +
        pair[0].length -
        1 -
        (pair[1] as string).length;
      spans.push({ start, end: start + (pair[1] as string).length, kind: 'kubernetes-secret' });
    }
  }
  return spans;
}

/** End of the line (headers) or manifest that a check at `at` covers, at most `reach` further. */
export function endOfPart(text: string, at: number, reach: number): number {
  const end = text.indexOf(reach > 4000 ? '\n---' : '\n', at);
  return Math.min(end < 0 ? text.length : end, at + reach);
}

/** Bot tokens of Discord: three base64 parts, the first a number. */
const DISCORD =
  /([A-Za-z0-9][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})(?![\w.-])/y;
/** Contains digits, small and capital letters; in an identifier, one part consists of words. */
function isRandom(part: string): boolean {
  return /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part);
}

/** Has no fixed word, so it is checked at the starts of long runs. */
export function discordAt(text: string, at: number): Span | null {
  const span = group(text, at, DISCORD, 'discord-token');
  if (span === null) return null;
  const parts = text.slice(span.start, span.end).split('.');
  const isNumber = /^\d{15,22}$/.test(Buffer.from(parts[0] ?? '', 'base64').toString('latin1'));
  return isNumber || (isRandom(parts[0] ?? '') && isRandom(parts[2] ?? '')) ? span : null;
}

/** 64 bytes in base64, which may also be a hash: the text before it decides. */
const KEY_CHARS = 86;
const STORAGE =
  /account|storage|azure|blob|windows\.net|cosmos|shared.?(?:access.?)?key|(?:primary|secondary|master|connection).?(?:string|key)|permissions|\bkey[12]\b/i;
const HASHED = /(?:sha-?\d{3}|integrity|digest|checksum|hash|h1)["'`]{0,2}[ \t:=-]{0,6}["'`]?$/i;

/** The key of a storage account at the end of a long run. */
export function storageKeyAt(text: string, runStart: number, end: number): Span | null {
  const start = end - KEY_CHARS;
  const padding = /^(?:={2}|%3[dD]%3[dD])(?![=\w])/.exec(text.slice(end, end + 7));
  if (
    padding === null ||
    start < runStart ||
    (start > runStart && !/[/+_-]/.test(text[start - 1] as string))
  )
    return null;
  const before = text.slice(Math.max(0, start - 300), start);
  return STORAGE.test(before.slice(-240)) &&
    !HASHED.test(before) &&
    isRandom(text.slice(start, end))
    ? { start, end: end + padding[0].length, kind: 'storage-key' }
    : null;
}

const IDENTIFIED =
  /identified[ \t]{1,4}(?:with[ \t]{1,4}\S{1,60}[ \t]{1,4})?(?:by|as)[ \t]{1,4}(?:password[ \t]{1,4})?(?:\\{0,3}["'])([^"'\\\n]{4,200})(?=\\{0,3}["'])/iy;
const SQL_PASSWORD = /password[ \t]{1,4}(?:\\{0,3}["'])([^"'\\\n]{4,200})(?=\\{0,3}["'])/iy;

/** The password that SQL gives to a user. */
function sqlPassword(text: string, at: number, pattern: RegExp): Span | null {
  if (
    pattern === SQL_PASSWORD &&
    !/(?:\b(?:with|encrypted|set|login|superuser|createdb|role \S{1,60}|user \S{1,60}))[ \t]{1,4}$/i.test(
      text.slice(Math.max(0, at - 80), at),
    )
  )
    return null;
  const span = group(text, at, pattern, 'password');
  return span === null || isPlaceholder(text.slice(span.start, span.end)) ? null : span;
}

const MOST_ROWS = 200;
const LONGEST_ROW = 2000;
const RULED_OFF = /^[\s|+:-]{1,4000}$/;

/**
 * Cells below a heading that names a password, in a table with a ruled heading, as a database
 * prints it.
 */
function tableCells(text: string, at: number): Span[] {
  // Bounded instead of up to the next line end: a megabyte of `-+-` has none.
  const above = text.slice(Math.max(0, at - LONGEST_ROW), at);
  const rule = at - above.length + above.lastIndexOf('\n') + 1;
  const ruleEnd = at + text.slice(at, at + LONGEST_ROW).indexOf('\n');
  if (!above.includes('\n') || ruleEnd < at || !RULED_OFF.test(text.slice(rule, ruleEnd)))
    return [];
  const head = text
    .slice(Math.max(0, text.lastIndexOf('\n', rule - 2) + 1, rule - LONGEST_ROW), rule - 1)
    .split('|')
    .map((cell) => classOfKey(cell.trim()));
  if (!head.some((kind) => kind === 'password' || kind === 'secret' || kind === 'token')) return [];
  const spans: Span[] = [];
  let from = ruleEnd + 1;
  for (let row = 0; row < MOST_ROWS && from < text.length; row++) {
    const stop = text.indexOf('\n', from);
    const line = text.slice(from, Math.min(stop < 0 ? text.length : stop, from + LONGEST_ROW));
    const cells = line.split('|');
    if (cells.length !== head.length || RULED_OFF.test(line)) break;
    let start = from;
    cells.forEach((cell, column) => {
      const kind = head[column];
      const value = cell.trim();
      const valueStart = start + cell.indexOf(value);
      start += cell.length + 1;
      if (
        (kind === 'password' || kind === 'secret' || kind === 'token') &&
        /\d/.test(value) &&
        isSecretValue(value, {
          kind,
          quoted: true,
          next: '',
          prose: false,
          tight: true,
          literal: true,
          alone: true,
        })
      ) {
        spans.push({ start: valueStart, end: valueStart + value.length, kind });
      }
    });
    from = stop < 0 ? text.length : stop + 1;
  }
  return spans;
}

export const PLACES: readonly SecretPlace[] = [
  { words: ['_authtoken='], find: (text, at) => one(npmToken(text, at)) },
  { words: ['authorization'], find: (text, at) => one(authorization(text, at)) },
  { words: ['bearer '], find: (text, at) => one(bearer(text, at)) },
  { words: ['basic '], find: (text, at) => one(basic(text, at)) },
  { words: ['://'], find: (text, at) => one(userinfo(text, at)) },
  {
    words: ['curl ', 'wget ', 'http '],
    find: (text, at) => one(commandSecret(text, at, CURL_USER)),
  },
  {
    words: ['mysql ', 'mysqldump ', 'mariadb ', 'mongosh ', 'mongo '],
    find: (text, at) => one(commandSecret(text, at, DASH_P)),
  },
  {
    words: ['docker login', 'podman login', 'az login', 'oc login', 'helm registry login'],
    find: (text, at) => one(commandSecret(text, at, DASH_P_LOGIN)),
  },
  { words: ['redis-cli '], find: (text, at) => one(commandSecret(text, at, DASH_A)) },
  { words: ['identified '], find: (text, at) => one(sqlPassword(text, at, IDENTIFIED)) },
  {
    words: ["password '", 'password "', "password \\'", 'password \\"'],
    find: (text, at) => one(sqlPassword(text, at, SQL_PASSWORD)),
  },
  { words: ['-+-', '-|-'], find: tableCells, covers: LONGEST_ROW },
  { words: ['sshpass'], find: (text, at) => one(commandSecret(text, at, SSHPASS)) },
  {
    words: ['cookie:', 'cookie":', 'cookie\\":', "cookie':"],
    find: (text, at) => cookies(text, at),
    covers: 4000,
  },
  {
    words: ['kind: secret', '"kind":"secret"', '"kind": "secret"'],
    find: (text, at) => kubernetes(text, at),
    covers: REACH / 2,
  },
];
