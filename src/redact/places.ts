/**
 * Secrets recognised by their place: headers, URLs, command lines, manifests. Each place has
 * trigger words and a function that checks it.
 */
import { isSecretValue } from './key-values.js';
import { isPlaceholder } from './placeholder.js';
import type { Span } from './span.js';

export interface SecretPlace {
  words: string[];
  find(text: string, trigger: number): Span[];
  /** Characters that a check covers. Triggers among them are skipped, to save time. */
  covers?: number;
}

/**
 * A place with one value: the first group of a sticky pattern.
 * @param isSecret whether the value is a secret, by the text between trigger and value
 */
function place(
  words: string,
  kind: string,
  pattern: RegExp,
  isSecret: (value: string, before: string, all: string, at: number) => boolean = () => true,
): SecretPlace {
  return {
    words: words.split('|'),
    find(text, at) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      const value = match?.[1];
      if (match === null || value === undefined || isPlaceholder(value)) return [];
      const end = at + match[0].length;
      const before = text.slice(at, end - value.length);
      return isSecret(value, before, text, at) ? [{ start: end - value.length, end, kind }] : [];
    },
  };
}

const AUTHORIZATION =
  /authorization(?:\\{0,7}["'`])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\\{0,7}["'`])?(?:(?:bearer|basic|token|apikey|digest|AWS4-HMAC-SHA256 [^\n]{0,300}Signature=)[ \t]{1,3})?([\w.~+/=:-]{6,4096})/iy;

function isAuthorization(value: string, before: string): boolean {
  const isCode =
    /^https?:/.test(value) ||
    /(?:^|[^"'`])[ \t]{0,4},[ \t"'`]{0,8}$/.test(before) ||
    /^[A-Za-z]{1,60}(?:[.:-][A-Za-z]{1,60}){0,8}$/.test(value);
  const hasScheme = /[ \t]$/.test(before) && !/[:=,][ \t]{1,4}$/.test(before);
  const isRandom = value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value);
  return !isCode && (hasScheme || isRandom);
}

function isBasic(value: string): boolean {
  const plain = Buffer.from(value, 'base64').toString('latin1');
  return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,400}$/.test(plain);
}

const USERINFO =
  /:\/\/([^\s/@:'"`<>\\]{0,200}):([^\s@/'"`<>\\]{1,300}(?:\/[^\s@/'"`<>\\]{0,100})?)@(?=[\w.[\]$%-])/y;
const USER_ONLY = /:\/\/([A-Za-z0-9_%.~-]{16,300})@(?=[\w-]{1,100}\.)/y;
const WEAK =
  /^(?:pass|password|passwd|pwd|postgres|root|admin|user|username|test|secret|guest|mysql|mariadb|redis|mongo|example|changeme|rabbitmq|token|\*{1,40}|x{1,40}|\.{3})$/i;

/** A URL's password, or its token without a user. */
function userinfo(text: string, at: number): Span[] {
  USERINFO.lastIndex = USER_ONLY.lastIndex = at;
  const match = USERINFO.exec(text) ?? USER_ONLY.exec(text);
  if (match === null) return [];
  const [whole, user = '', password] = match;
  const isSecret =
    password === undefined
      ? /\d/.test(user)
      : !user.endsWith('[REDACTED') &&
        !WEAK.test(password) &&
        !/^\d{1,5}\//.test(password) &&
        password !== user;
  const value = password ?? user;
  const end = at + whole.length - 1;
  return isSecret && !isPlaceholder(value)
    ? [{ start: end - value.length, end, kind: 'url-password' }]
    : [];
}

function option(words: string, pattern: RegExp): SecretPlace {
  return place(words, 'password', pattern, (value) => !/^[/.]/.test(value));
}

const COOKIE =
  /(?:set-)?cookie2?(?:\\{0,3}["'`])?[ \t]{0,4}:[ \t]{0,4}(?:\\{0,3}["'`])?([^\n"'`]{8,4096})/iy;
const COOKIE_VALUE = /([\w.$-]{1,80})=([^\s;,"'`\\]{12,4096})/g;
const QUOTED = { quoted: true, next: '', prose: false, tight: true, literal: true, alone: false };

function cookies(text: string, at: number): Span[] {
  COOKIE.lastIndex = at;
  const header = COOKIE.exec(text);
  if (header === null) return [];
  const from = at + header[0].length - header[1]!.length;
  return [...header[1]!.matchAll(COOKIE_VALUE)].flatMap(({ index, 0: whole, 2: value = '' }) => {
    const end = from + index + whole.length;
    const isSecret = isSecretValue(value, { ...QUOTED, kind: 'cookie' });
    return isSecret ? [{ start: end - value.length, end, kind: 'cookie' }] : [];
  });
}

/** How far a manifest is read after its `kind`. */
const REACH = 16_000;
const YAML_BLOCK = /(?:^|\n)([ \t]{0,20})(?:data|stringData):[ \t]{0,8}(?=\r?\n)/g;
const YAML_ENTRY =
  /\r?\n(?:[ \t]{0,40}#[^\n]{0,300}\n)?([ \t]{1,40})[\w.-]{1,100}:[ \t]{1,8}["']?([A-Za-z0-9+/=_-]{4,4096})["']?[ \t]{0,8}(?=\r?\n|$)/y;
const JSON_BLOCK = /"(?:data|stringData)"\s{0,8}:\s{0,8}\{([^{}]{4,8000})\}/g;
const JSON_ENTRY = /:\s{0,8}"([A-Za-z0-9+/=_-]{4,4096})"/g;

/** The values below `data:` and `stringData:` of a Kubernetes Secret. */
function kubernetes(text: string, at: number): Span[] {
  const from = Math.max(0, text.lastIndexOf('\n---', at), at - 8000);
  const next = text.indexOf('\n---', at);
  const part = text
    .slice(from, Math.min(next < 0 ? text.length : next, at + REACH))
    .replace(/\\{1,4}n/g, (escape) => '\n'.padStart(escape.length));
  const spans: Span[] = [];
  const add = (value: string, end: number): void => {
    const start = from + end - value.length;
    spans.push({ start, end: from + end, kind: 'kubernetes-secret' });
  };
  for (const block of part.matchAll(YAML_BLOCK)) {
    YAML_ENTRY.lastIndex = block.index + block[0].length;
    for (;;) {
      const entry = YAML_ENTRY.exec(part);
      if (entry === null || entry[1]!.length <= block[1]!.length) break;
      const value = entry[2]!;
      const start = entry.index + entry[0].lastIndexOf(value);
      if (!isPlaceholder(value)) add(value, start + value.length);
    }
  }
  for (const block of part.matchAll(JSON_BLOCK)) {
    const start = block.index + block[0].indexOf(block[1]!);
    for (const entry of block[1]!.matchAll(JSON_ENTRY))
      add(entry[1]!, start + entry.index + entry[0].length - 1);
  }
  return spans;
}

/** End of the line (headers) or manifest that a check at `at` covers, at most `reach` further. */
export function endOfPart(text: string, at: number, reach: number): number {
  const end = text.indexOf(reach > 4000 ? '\n---' : '\n', at);
  return Math.min(end < 0 ? text.length : end, at + reach);
}

/** Whether a part has digits, small and capital letters; a part of an identifier has only words. */
function isRandom(part: string): boolean {
  return /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part);
}

/** Bot token of Discord: three base64 parts; the first is a number. */
const DISCORD =
  /([A-Za-z0-9][A-Za-z0-9_-]{22,27})\.[A-Za-z0-9_-]{6}\.([A-Za-z0-9_-]{27,40})(?![\w.-])/y;

/** A token without a fixed word, so it is checked at the start of each long run. */
export function discordAt(text: string, at: number): Span | null {
  DISCORD.lastIndex = at;
  const match = DISCORD.exec(text);
  if (match === null) return null;
  const [whole, first = '', last = ''] = match;
  const isNumber = /^\d{15,22}$/.test(Buffer.from(first, 'base64').toString('latin1'));
  return isNumber || (isRandom(first) && isRandom(last))
    ? { start: at, end: at + whole.length, kind: 'discord-token' }
    : null;
}

/** 64 bytes in base64 may also be a hash, so the text before them decides. */
const KEY_CHARS = 86;
const STORAGE =
  /account|storage|azure|blob|windows\.net|cosmos|shared.?(?:access.?)?key|(?:primary|secondary|master|connection).?(?:string|key)|permissions|\bkey[12]\b/i;
const HASHED = /(?:sha-?\d{3}|integrity|digest|checksum|hash|h1)["'`]{0,2}[ \t:=-]{0,6}["'`]?$/i;

/** The key of a storage account at the end of a long run. */
export function storageKeyAt(text: string, runStart: number, end: number): Span | null {
  const start = end - KEY_CHARS;
  const padding = /^(?:={2}|%3[dD]%3[dD])(?![=\w])/.exec(text.slice(end, end + 7))?.[0];
  if (padding === undefined || start < runStart) return null;
  if (start > runStart && !/[/+_-]/.test(text[start - 1]!)) return null;
  const before = text.slice(Math.max(0, start - 300), start);
  const isKey = STORAGE.test(before.slice(-240)) && !HASHED.test(before);
  return isKey && isRandom(text.slice(start, end))
    ? { start, end: end + padding.length, kind: 'storage-key' }
    : null;
}

const GIVES_PASSWORD =
  /(?:\b(?:with|encrypted|set|login|superuser|createdb|role \S{1,60}|user \S{1,60}))[ \t]{1,4}$/i;

export const PLACES: readonly SecretPlace[] = [
  place('_authtoken=', 'npm-token', /_authToken=([^\s$"'\\]{8,400})/iy),
  place('authorization', 'auth-header', AUTHORIZATION, isAuthorization),
  place('bearer ', 'auth-header', /bearer[ \t]{1,3}([A-Za-z0-9._~+/=-]{16,4096})/iy, (value) =>
    /\d/.test(value),
  ),
  place(
    'basic ',
    'auth-header',
    /basic[ \t]{1,3}([A-Za-z0-9+/]{8,1000}={0,2})(?![\w-])/iy,
    isBasic,
  ),
  { words: ['://'], find: userinfo },
  option(
    'curl |wget |http ',
    /[^\n]{0,400}?\s(?:-u|--user|--proxy-user|-U)[ =]{0,2}["']?(?=[^\s"':$]{1,100}:[^\s"'$]{3,200})[^:]+:([^\s"'$]{3,200})/y,
  ),
  option(
    'mysql |mysqldump |mariadb |mongosh |mongo ',
    /[^\n]{0,300}?\s(?:-p|--password[= ])["']?([^\s"'$-][^\s"'$]{3,200})/y,
  ),
  option(
    'docker login|podman login|az login|oc login|helm registry login',
    /[^\n]{0,300}?\s-p[ =]?["']?([^\s"'$-][^\s"'$]{3,200})/y,
  ),
  option('redis-cli ', /[^\n]{0,300}?\s(?:-a|--pass)[ =]["']?([^\s"'$-][^\s"'$]{3,200})/y),
  option('sshpass', /sshpass[ \t]{1,4}-p[ =]{0,2}["']?([^\s"'$]{3,200})/y),
  place(
    'identified ',
    'password',
    /identified[ \t]{1,4}(?:with[ \t]{1,4}\S{1,60}[ \t]{1,4})?(?:by|as)[ \t]{1,4}(?:password[ \t]{1,4})?\\{0,3}["']([^"'\\\n]{4,200})(?=\\{0,3}["'])/iy,
  ),
  place(
    'password \'|password "|password \\\'|password \\"',
    'password',
    /password[ \t]{1,4}\\{0,3}["']([^"'\\\n]{4,200})(?=\\{0,3}["'])/iy,
    (_value, _before, text, at) => GIVES_PASSWORD.test(text.slice(Math.max(0, at - 80), at)),
  ),
  { words: ['cookie:', 'cookie":', 'cookie\\":', "cookie':"], find: cookies, covers: 4000 },
  {
    words: ['kind: secret', '"kind":"secret"', '"kind": "secret"'],
    find: kubernetes,
    covers: REACH / 2,
  },
];
