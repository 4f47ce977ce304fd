import { classOfKey, type KeyClass } from './key-names.js';
import { isSecretValue, type ValueContext } from './key-values.js';
import type { Span } from './span.js';

const NAME_BEFORE = 60;
const NAME_AFTER = 40;
const VALUE_LIMIT = 4096;

/**
 * Between a name and its value: quotes and brackets that close the name, then `=`, `:`, `=>`, `:=`,
 * `,` in a call, or an XML bracket.
 */
const SEPARATOR =
  /(?<close>\\{0,7}["'`]|&quot;)?(?<bracket>\])?\??(?:[ \t\u00a0\u202f]{0,20}(?<sign>=>|:=|\?=|\+=|={1,3}|::?|[：＝]|%3[ad]|(?<=[ \t])\|(?=[ \t]))[ \t\u00a0\u202f\u3000]{0,20}|(?<comma>,)[ \t]{0,8}(?=\\{0,7}["'`])|(?<call>\()[ \t]{0,4}(?=[rbfuRBFU]{0,2}\\{0,7}["'`])|(?<tag>>)(?=[^\s<]))/iy;
/** `password: str = "…"`: a type between name and value; the value must be quoted. */
const TYPED =
  /[ \t]{0,4}\??:[ \t]{0,4}[A-Za-z_][\w.<>[\]| ]{0,40}?[ \t]{0,4}=[ \t]{0,4}(?=[rbfuRBFU]{0,2}\\{0,7}["'`])/y;
/** `"ApiKey" value="…"`, and the `value:` line that follows `name: API_KEY`. */
const SIBLING =
  /\\{0,3}["']?(?:,?[ \t]{1,8}|,?[ \t]{0,8}(?:\r?\n|\\{1,4}n)[ \t]{0,60})["']?value\\{0,3}["']?[ \t]{0,4}[=:][ \t]{0,8}/iy;
/** In prose: `the password is …`, `set the token to …`. */
const PROSE =
  /(?: for [^\s:=]{1,40}(?: [^\s:=]{1,20})?)?(?:[ \t]{1,4}(?:is|was|to|be|ist|lautet|es|est|è|é)[ \t:]{1,4}|[は是为為][ \t:：]{0,4})(?:now |set to )?/iy;
/** A flag and its value: `--password …`, `-token …`; also `login x password y` of netrc. */
const BLANK = /[ \t]{1,8}(?:(?:\\\r?\n|\\{3,8}n)[ \t]{0,60})?(?=[^\s=:-])/y;
/** The value is on the next line: after a shell's backslash, in a block of YAML, or quoted. */
const BROKEN =
  /(?:\\{0,7}["'`])?[ \t]{0,20}(?::=|=>|[=:])[ \t]{0,8}(?:(?:\\\r?\n|\\{3,8}n|[>|][+-]?\d?[ \t]{0,4}(?:\r?\n|\\{1,4}n))[ \t]{0,60}(?=\S)|\(?[ \t]{0,4}(?:\r?\n|\\{1,4}n)[ \t]{0,60}(?=[rbfuRBFU]{0,2}\\{0,7}["'`]))/y;
/** Marks a value as text instead of code: a block of YAML or a continued shell line. */
const BLOCK = /[>|\\][+-]?\d?[ \t]{0,4}\r?\n/;
const QUOTE = /[rbfuRBFU]{0,2}(?<quote>\\{0,7}["'`]|&quot;)/y;
const ENV_START = /(?:^|[\n;&|("'`\s]|\\n|-e |-e|export |set |ENV |ARG |env )$/;

/** A column in a listing: `DB_PASSWORD    …` is a whole line. */
const COLUMN =
  /(?:[ \t]{2,40}|\t)(?=(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])\S{8,400}[ \t]{0,8}\r?(?:\n|$))/y;
/** Another line of a value that YAML or a shell breaks: one word, indented. */
const NEXT_LINE =
  /\\?(?:\r?\n|\\{1,4}n)[+-]?[ \t]{1,60}([A-Za-z0-9+/=_.~-]{4,400})(?=\\{0,7}["']?[ \t]{0,4}(?:\\?\r?\n|\\{1,4}n|$))/y;
const MOST_LINES = 100;
/** Another piece of a value that code concatenates from literals. */
const NEXT_PIECE =
  /(["'])(?:[ \t]{0,4}[+.][ \t]{0,4}(?:\r?\n[ \t]{0,60})?|[ \t]{0,4}\\?\r?\n[ \t]{0,60})\1([A-Za-z0-9+/=_.~-]{4,400})(?=\1)/y;

interface Name {
  text: string;
  start: number;
  end: number;
}

/** The whole identifier around a trigger. */
export function nameAt(text: string, from: number, to: number): Name {
  let start = from;
  const least = Math.max(0, from - NAME_BEFORE);
  while (start > least && isNameUnit(text.charCodeAt(start - 1)) && !isEscape(text, start - 1))
    start--;
  let end = to;
  const most = Math.min(text.length, to + NAME_AFTER);
  while (end < most && isNameUnit(text.charCodeAt(end)) && text.charCodeAt(end) !== 46) end++;
  return { text: text.slice(start, end), start, end };
}

/** Letters, digits, underscore, dash, dot. */
function isNameUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit === 95 ||
    unit === 45 ||
    unit === 46 ||
    unit === 241
  );
}

/** The n of `\n`, the t of `\t`: the character at `at` belongs to an escape, not to the name. */
function isEscape(text: string, at: number): boolean {
  return at > 0 && text.charCodeAt(at - 1) === 92 && 'nrt'.includes(text[at] as string);
}

/** What the check of one name leaves for the next ones. */
export interface Seen {
  /** End of a long bare value that is not a secret: names inside it are not checked again. */
  bareUntil: number;
  /** A name had a value that is not a secret there, but may be one on a line of its own. */
  isDoubted: boolean;
}

const LONG_BARE = 200;

/** What can come between a name and its value: each pattern below begins with one of these. */
const FOLLOWS = new Set(
  [...'\\"\'`&]? \t=:+%,(>|\r\n：＝\u00a0\u202fは是为為'].map((char) => char.charCodeAt(0)),
);

/** The value that belongs to `name` if it is a secret. */
export function keyedAt(
  text: string,
  name: Name,
  seen: Seen,
  kind = classOfKey(name.text),
): Span | null {
  if (kind === null || !FOLLOWS.has(text.charCodeAt(name.end))) return null;
  return (
    matched(text, name, kind, SEPARATOR, seen) ??
    matched(text, name, kind, TYPED, seen) ??
    matched(text, name, kind, SIBLING, seen) ??
    matched(text, name, kind, BROKEN, seen) ??
    (isConstant(name.text) ? matched(text, name, kind, COLUMN, seen) : null) ??
    (isFlag(text, name) || isNetrc(text, name) ? matched(text, name, kind, BLANK, seen) : null) ??
    matched(text, name, kind, PROSE, seen)
  );
}

function matched(
  text: string,
  name: Name,
  kind: KeyClass,
  pattern: RegExp,
  seen: Seen,
): Span | null {
  pattern.lastIndex = name.end;
  const match = pattern.exec(text);
  if (match === null || (pattern === SEPARATOR && isComparison(text, name, match))) return null;
  const at = name.end + match[0].length;
  const first = valueAt(text, at, match.groups?.['tag'] !== undefined);
  const value =
    first.quoted || (pattern === BROKEN && BLOCK.test(match[0]))
      ? withNextLines(text, first)
      : first;
  if (
    /(?:^|\.)pass$/i.test(name.text) &&
    (match.groups?.['call'] !== undefined || (!value.quoted && match[0] !== '='))
  )
    return null;
  const context: ValueContext = {
    kind,
    quoted: value.quoted,
    next: text[value.end] ?? '',
    prose: pattern === PROSE,
    tight: match[0] === '=' || match[0] === '\\"=',
    literal:
      pattern === COLUMN ||
      (pattern === BLANK && /[^A-Za-z]|[a-z][A-Z]/.test(text.slice(value.start, value.end))) ||
      pattern === SIBLING ||
      match.groups?.['tag'] !== undefined ||
      (pattern === BROKEN && BLOCK.test(match[0])) ||
      isAssignment(text, name, pattern === BROKEN ? match[0].slice(0, 1) : match[0]),
    alone: isAloneOnLine(text, name, value.end),
  };
  if (!isSecretValue(value.joined ?? text.slice(value.start, value.end), context)) {
    if (!value.quoted && value.end - value.start > LONG_BARE) seen.bareUntil = value.end;
    seen.isDoubted = true;
    return null;
  }
  return {
    start: value.start,
    end: value.end,
    kind:
      kind === 'weak' || kind === 'signature'
        ? 'secret'
        : kind === 'storage'
          ? 'storage-key'
          : kind,
  };
}

/**
 * `==`, `===`, a Rust path `::`, a comma between list items instead of arguments, a bracket that
 * does not close a tag (`Key=<your-key>;`).
 */
function isComparison(text: string, name: Name, match: RegExpExecArray): boolean {
  if (match.groups?.['tag'] !== undefined)
    return (
      /[;,)\]&]/.test(text[name.end + match[0].length] ?? '') ||
      !/(?:^|[^P?])<[\w:]{0,60}$/.test(text.slice(Math.max(0, name.start - 64), name.start))
    );
  if (match.groups?.['comma'] !== undefined)
    return !/\([ \t]{0,4}\\{0,3}["'`]$/.test(text.slice(Math.max(0, name.start - 8), name.start));
  const sign = match.groups?.['sign'];
  return sign !== undefined && (/^={2,3}$/.test(sign) || sign === '::');
}

/** Environment style: an upper-case name and `=` without blanks, at the start of a word. */
function isAssignment(text: string, name: Name, separator: string): boolean {
  if (separator !== '=' && separator !== '\\"=') return false;
  if (text[name.start - 1] === '?' || text[name.start - 1] === '&') return true;
  const constant = name.text === name.text.toUpperCase();
  return (
    (constant ||
      /^-{1,2}/.test(text.slice(Math.max(0, name.start - 2), name.start + 2)) ||
      name.text.startsWith('--')) &&
    ENV_START.test(text.slice(Math.max(0, name.start - 8), name.start))
  );
}

function isFlag(text: string, name: Name): boolean {
  return (
    /^-{1,2}[A-Za-z]/.test(name.text) &&
    (name.start === 0 || /[\s"'`[(,\\]/.test(text[name.start - 1] as string))
  );
}

function isNetrc(text: string, name: Name): boolean {
  return (
    name.text === 'password' &&
    /\b(?:login|machine|user) \S{1,100}\s{1,20}$/.test(
      text.slice(Math.max(0, name.start - 140), name.start),
    )
  );
}

/** `key: value` and nothing else on the line, as in YAML, INI and properties files. */
function isAloneOnLine(text: string, name: Name, end: number): boolean {
  const before = text.slice(Math.max(0, name.start - 40), name.start);
  const after = text.slice(end, end + 3);
  return (
    /(?:^|\n|\\n)[ \t-]{0,40}["']?$/.test(before) &&
    /^(?:["']?\r?(?:\n|$)|["']?\\[nr]|$)/.test(after)
  );
}

interface Value {
  start: number;
  end: number;
  quoted: boolean;
  /** The joined value if it spans several lines. */
  joined?: string;
}

/** A value that continues on the next lines, up to its quote or the end of its block. */
function withNextLines(text: string, value: Value): Value {
  let { end } = value;
  if (text[end - 1] === '\\' && text[end] === '\n') end--;
  const parts = [text.slice(value.start, end)];
  if (!/^[A-Za-z0-9+/=_.~-]{4,400}$/.test(parts[0] as string)) return value;
  for (let line = 0; line < MOST_LINES; line++) {
    NEXT_LINE.lastIndex = end;
    NEXT_PIECE.lastIndex = end;
    const next = NEXT_LINE.exec(text) ?? (value.quoted ? NEXT_PIECE.exec(text) : null);
    if (next === null) break;
    parts.push(next[next.length - 1] as string);
    end += next[0].length;
  }
  return parts.length === 1 ? value : { ...value, end, joined: parts.join('') };
}

function isConstant(name: string): boolean {
  return name.includes('_') && name === name.toUpperCase();
}

/**
 * Quoted: up to the same quote on the same line; bare: up to a blank, quote, bracket or separator.
 */
function valueAt(text: string, at: number, inTag: boolean): Value {
  const limit = Math.min(text.length, at + VALUE_LIMIT);
  QUOTE.lastIndex = at;
  const quote = QUOTE.exec(text)?.groups?.['quote'];
  if (quote !== undefined && !inTag) {
    const start = QUOTE.lastIndex;
    return { start, end: closingQuote(text, start, limit, quote), quoted: true };
  }
  let end = at;
  if (inTag) while (end < limit && text[end] !== '<' && text[end] !== '\n') end++;
  else while (end < limit && !endsBare(text, end)) end++;
  while (end > at && /[.,;:!?]/.test(text[end - 1] as string)) end--;
  return { start: at, end, quoted: inTag };
}

function closingQuote(text: string, start: number, limit: number, quote: string): number {
  const last = quote[quote.length - 1] as string;
  for (let at = start; at < limit; at++) {
    const char = text[at] as string;
    if (char === '\n') return at;
    if (char === last && last !== ';')
      return quote.length === 1 && text[at - 1] === '\\' && at > start
        ? closingQuote(text, at + 1, limit, quote)
        : withoutBackslashes(text, start, at, quote);
    if (last === ';' && text.startsWith('&quot;', at)) return at;
  }
  return limit;
}

/** The backslashes that escape the closing quote are not part of the value. */
function withoutBackslashes(text: string, start: number, at: number, quote: string): number {
  let end = at;
  for (let i = 1; i < quote.length && end > start && text[end - 1] === '\\'; i++) end--;
  return end;
}

function endsBare(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit <= 32 || unit === 0xa0) return true;
  if (unit === 92) return 'nrt"\'`\\'.includes(text[at + 1] ?? 'n');
  return (
    unit === 34 ||
    unit === 39 ||
    unit === 96 ||
    unit === 44 ||
    unit === 59 ||
    unit === 60 ||
    unit === 62 ||
    unit === 124 ||
    unit === 125 ||
    unit === 41 ||
    unit === 93 ||
    unit === 38 ||
    (unit >= 0x3000 && unit <= 0x303f) ||
    unit === 0xff09 ||
    unit === 0xff0c ||
    unit === 0xff1b
  );
}
