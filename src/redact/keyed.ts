import { classOfKey, type KeyClass } from './key-names.js';
import { isSecretValue, type ValueContext } from './key-values.js';
import type { Span } from './span.js';

const NAME_BEFORE = 60;
const NAME_AFTER = 40;
const VALUE_LIMIT = 4096;

/** Start of a text in code, escaped up to three times. */
const OPENS = String.raw`[rbfuRBFU]{0,2}\\{0,7}["'${'`'}]`;
const LINE_END = String.raw`(?:\r?\n|\\{1,4}n)`;
const CONTINUED = String.raw`(?:\\\r?\n|\\{3,8}n)`;
function sticky(...parts: readonly string[]): RegExp {
  return new RegExp(parts.join(''), 'iy');
}

/**
 * Between a name and its value: quotes and brackets that close the name, then `=`, `:`, `=>`, `:=`,
 * `,` in a call, or an XML bracket.
 */
const SEPARATOR = sticky(
  String.raw`(?:\\{0,7}["'${'`'}]|&quot;)?\]?\??(?:`,
  String.raw`[ \t\u00a0\u202f]{0,20}(?<sign>=>|:=|\?=|\+=|={1,3}|::?|[：＝]|%3[ad]|(?<=[ \t])\|(?=[ \t]))[ \t\u00a0\u202f\u3000]{0,20}`,
  String.raw`|(?<comma>,)[ \t]{0,8}(?=\\{0,7}["'${'`'}])|(?<call>\()[ \t]{0,4}(?=${OPENS})|(?<tag>>)(?=[^\s<]))`,
);
/** `password: str = "…"`: a type is between name and value; the value must be quoted. */
const TYPED = sticky(
  String.raw`[ \t]{0,4}\??:[ \t]{0,4}[A-Za-z_][\w.<>[\]| ]{0,40}?[ \t]{0,4}=[ \t]{0,4}(?=${OPENS})`,
);
/** `"ApiKey" value="…"`, and the `value:` line that follows `name: API_KEY`. */
const SIBLING = sticky(
  String.raw`\\{0,3}["']?(?:,?[ \t]{1,8}|,?[ \t]{0,8}${LINE_END}[ \t]{0,60})["']?value\\{0,3}["']?[ \t]{0,4}[=:][ \t]{0,8}`,
);
/** The value is on the next line: after a shell's backslash, in a YAML block, or quoted. */
const BROKEN = sticky(
  String.raw`(?:\\{0,7}["'${'`'}])?[ \t]{0,20}(?::=|=>|[=:])[ \t]{0,8}`,
  String.raw`(?:(?:${CONTINUED}|[>|][+-]?\d?[ \t]{0,4}${LINE_END})[ \t]{0,60}(?=\S)`,
  String.raw`|\(?[ \t]{0,4}${LINE_END}[ \t]{0,60}(?=${OPENS}))`,
);
/** Sign of a text on the next lines: a YAML block or a continued shell line. */
const BLOCK = /[>|\\][+-]?\d?[ \t]{0,4}\r?\n/;
/** A column of a listing: `DB_PASSWORD    …` fills the whole line. */
const COLUMN =
  /(?:[ \t]{2,40}|\t)(?=(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])\S{8,400}?[ \t]{0,8}(?:\\{1,4}[rn]|\r?(?:\n|$)))/y;
/** A flag and its value: `--password …`, `-token …`; also `login x password y` in a netrc file. */
const BLANK = sticky(String.raw`[ \t]{1,8}(?:${CONTINUED}[ \t]{0,60})?(?=[^\s=:-])`);
/** In prose: `the password is …`, `set the token to …`. */
const PROSE =
  /(?: for [^\s:=]{1,40}(?: [^\s:=]{1,20})?)?(?:[ \t]{1,4}(?:is|was|to|be|ist|lautet|es|est|è|é)[ \t:]{1,4}|[は是为為][ \t:：]{0,4})(?:now |set to )?/iy;

const QUOTE = /[rbfuRBFU]{0,2}(?<quote>\\{0,7}["'`]|&quot;)/y;
const ENV_START = /(?:^|[\n;&|("'`\s]|\\n|-e |-e|export |set |ENV |ARG |env )$/;
/** Next line of a value that YAML or a shell breaks: one indented word. */
const NEXT_LINE =
  /\\?(?:\r?\n|\\{1,4}n)[+-]?[ \t]{1,60}([A-Za-z0-9+/=_.~-]{4,400})(?=\\{0,7}["']?[ \t]{0,4}(?:\\?\r?\n|\\{1,4}n|$))/y;
/** Next piece of a value that code joins from literals. */
const NEXT_PIECE =
  /(["'])(?:[ \t]{0,4}[+.][ \t]{0,4}(?:\r?\n[ \t]{0,60})?|[ \t]{0,4}\\?\r?\n[ \t]{0,60})\1([A-Za-z0-9+/=_.~-]{4,400})(?=\1)/y;
const MOST_LINES = 100;

interface Name {
  text: string;
  start: number;
  end: number;
}

export function nameAt(text: string, from: number, to: number): Name {
  let [start, end] = [from, to];
  const least = Math.max(0, from - NAME_BEFORE);
  const most = Math.min(text.length, to + NAME_AFTER);
  while (start > least && isNameUnit(text.charCodeAt(start - 1)) && !isEscape(text, start - 1))
    start--;
  while (end < most && isNameUnit(text.charCodeAt(end)) && text[end] !== '.') end++;
  return { text: text.slice(start, end), start, end };
}

const nameUnits = new Uint8Array(0x10000);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.ñ')
  nameUnits[char.charCodeAt(0)] = 1;

function isNameUnit(unit: number): boolean {
  return nameUnits[unit] === 1;
}

/** Whether the character is the n of `\n` or the t of `\t`, and so no part of the name. */
function isEscape(text: string, at: number): boolean {
  return text[at - 1] === '\\' && 'nrt'.includes(text[at]!);
}

/** State from the check of one name for the next ones. */
export interface Seen {
  /** Names before this index are inside a long bare value that is checked already. */
  bareUntil: number;
  /** The text needs a second check without the prefixes and suffixes of tools. */
  isDoubted: boolean;
}

const LONG_BARE = 200;
/** First characters of the patterns above, which may follow a name. */
const FOLLOWS = new Set('\\"\'`&]? \t=:+%,(>|\r\n：＝\u00a0\u202fは是为為');

export function keyedAt(
  text: string,
  name: Name,
  seen: Seen,
  kind = classOfKey(name.text),
): Span | null {
  if (kind === null || !FOLLOWS.has(text[name.end] ?? '')) return null;
  const isConstant = name.text.includes('_') && name.text === name.text.toUpperCase();
  const patterns = [
    ...[SEPARATOR, TYPED, SIBLING, BROKEN],
    ...(isConstant ? [COLUMN] : []),
    ...(isFlag(text, name) || isNetrc(text, name) ? [BLANK] : []),
    PROSE,
  ];
  for (const pattern of patterns) {
    const span = matched(text, name, kind, pattern, seen);
    if (span !== null) return span;
  }
  return null;
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
  const between = match[0];
  const isTag = match.groups?.['tag'] !== undefined;
  const isBlock = pattern === BROKEN && BLOCK.test(between);
  const first = valueAt(text, name.end + between.length, isTag);
  const value = first.quoted || isBlock ? withNextLines(text, first) : first;
  // `request.pass(…)` is a method or member with that name.
  if (
    /(?:^|\.)pass$/i.test(name.text) &&
    (match.groups?.['call'] || (!value.quoted && between !== '='))
  )
    return null;
  const bare = text.slice(value.start, value.end);
  const whole = value.joined ?? bare;
  const context: ValueContext = {
    kind,
    quoted: value.quoted,
    next: text[value.end] ?? '',
    prose: pattern === PROSE,
    tight: between === '=' || between === '\\"=',
    literal:
      pattern === COLUMN ||
      (pattern === BLANK && /[^A-Za-z]|[a-z][A-Z]/.test(bare)) ||
      pattern === SIBLING ||
      isTag ||
      isBlock ||
      isAssignment(text, name, pattern === BROKEN ? between.slice(0, 1) : between),
    alone: isAloneOnLine(text, name, value.end),
  };
  const isSecret = isSecretValue(whole, context);
  // Without prefixes and suffixes of tools, the value may continue, be an assignment or fill its
  // line.
  seen.isDoubted ||=
    /\n|\\n/.test(between) ||
    (value.quoted || !/\w/.test(bare)
      ? ENDS_LINE.test(text.slice(value.end, value.end + 90))
      : bare.endsWith('$')) ||
    (!isSecret &&
      isSecretValue(whole, { ...context, literal: context.literal || context.tight, alone: true }));
  // A long secret may continue, so its end is checked.
  if (!value.quoted && bare.length > LONG_BARE)
    seen.bareUntil = value.end - (isSecret ? LONG_BARE : 0);
  return isSecret ? { start: value.start, end: value.end, kind: KINDS[kind] ?? kind } : null;
}

/** The end of a line, after a value that may continue in the next line. */
const ENDS_LINE = /^["'`]?(?:\^M|[^\w\n,;)\]}]){0,80}(?:\n|$|\\{1,4}[nr])/;

const KINDS: Partial<Record<KeyClass, string>> = {
  weak: 'secret',
  signature: 'secret',
  storage: 'storage-key',
};

/**
 * Whether the separator assigns nothing: `==`, `===`, a Rust path `::`, a comma between list items,
 * or a bracket that does not close a tag (`Key=<your-key>;`).
 */
function isComparison(text: string, name: Name, { 0: between, groups }: RegExpExecArray): boolean {
  const before = text.slice(Math.max(0, name.start - 64), name.start);
  if (groups?.['tag'] !== undefined)
    return (
      /[;,)\]&]/.test(text[name.end + between.length] ?? '') ||
      !/(?:^|[^P?])<[\w:]{0,60}$/.test(before)
    );
  if (groups?.['comma'] !== undefined) return !/\([ \t]{0,4}\\{0,3}["'`]$/.test(before);
  return /^(?:={2,3}|::)$/.test(groups?.['sign'] ?? '');
}

/** An environment line: an upper-case name and `=` without blanks, at the start of a word. */
function isAssignment(text: string, name: Name, separator: string): boolean {
  if (separator !== '=' && separator !== '\\"=') return false;
  if (/[?&]/.test(text[name.start - 1] ?? '')) return true;
  const isDashed = text.slice(Math.max(0, name.start - 2), name.start + 2).startsWith('-');
  return (
    (name.text === name.text.toUpperCase() || isDashed || name.text.startsWith('--')) &&
    ENV_START.test(text.slice(Math.max(0, name.start - 8), name.start))
  );
}

function isFlag(text: string, name: Name): boolean {
  return /^-{1,2}[A-Za-z]/.test(name.text) && /^$|[\s"'`[(,\\]/.test(text[name.start - 1] ?? '');
}

function isNetrc(text: string, { text: name, start }: Name): boolean {
  const before = text.slice(Math.max(0, start - 140), start);
  return name === 'password' && /\b(?:login|machine|user) \S{1,100}\s{1,20}$/.test(before);
}

/** Whether only `key: value` is on the line, as in YAML, INI and properties files. */
function isAloneOnLine(text: string, name: Name, end: number): boolean {
  const before = text.slice(Math.max(0, name.start - 40), name.start);
  return (
    /(?:^|\n|\\n)[ \t-]{0,40}["']?$/.test(before) &&
    /^(?:["']?\r?(?:\n|$)|["']?\\[nr]|$)/.test(text.slice(end, end + 3))
  );
}

interface Value {
  start: number;
  end: number;
  quoted: boolean;
  /** The joined value if it spans several lines. */
  joined?: string;
}

/** A value with its continuation on the next lines, up to its quote or the end of its block. */
function withNextLines(text: string, value: Value): Value {
  let end = text.startsWith('\\\n', value.end - 1) ? value.end - 1 : value.end;
  const parts = [text.slice(value.start, end)];
  if (!/^[A-Za-z0-9+/=_.~-]{4,400}$/.test(parts[0]!)) return value;
  while (parts.length <= MOST_LINES) {
    NEXT_LINE.lastIndex = NEXT_PIECE.lastIndex = end;
    const next = NEXT_LINE.exec(text) ?? (value.quoted ? NEXT_PIECE.exec(text) : null);
    if (next === null) break;
    parts.push(next.at(-1)!);
    end += next[0].length;
  }
  return parts.length === 1 ? value : { ...value, end, joined: parts.join('') };
}

/** 1 for characters that end a bare value: controls, blanks, quotes, brackets and separators. */
const bareEnds = new Uint8Array(0x10000).fill(1, 0, 0x21).fill(1, 0x3000, 0x3040);
for (const char of '"\'`,;<>|})]&\u00a0\uff09\uff0c\uff1b') bareEnds[char.charCodeAt(0)] = 1;

function endsBare(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return bareEnds[unit] === 1 || (unit === 92 && 'nrt"\'`\\'.includes(text[at + 1] ?? 'n'));
}

/**
 * The value at a place. A quoted value ends at the same quote on the same line, a bare one at a
 * blank, quote, bracket or separator.
 */
function valueAt(text: string, at: number, inTag: boolean): Value {
  const limit = Math.min(text.length, at + VALUE_LIMIT);
  QUOTE.lastIndex = at;
  const quote = inTag ? undefined : QUOTE.exec(text)?.groups?.['quote'];
  if (quote !== undefined) {
    const start = QUOTE.lastIndex;
    return { start, end: closingQuote(text, start, limit, quote), quoted: true };
  }
  let end = at;
  while (end < limit && (inTag ? !'<\n'.includes(text[end]!) : !endsBare(text, end))) end++;
  while (end > at && /[.,;:!?]/.test(text[end - 1]!)) end--;
  return { start: at, end, quoted: inTag };
}

function closingQuote(text: string, start: number, limit: number, quote: string): number {
  const last = quote.at(-1)!;
  for (let at = start; at < limit; at++) {
    if (text[at] === '\n' || (last === ';' && text.startsWith('&quot;', at))) return at;
    const isEscaped = quote.length === 1 && text[at - 1] === '\\' && at > start;
    if (text[at] !== last || last === ';' || isEscaped) continue;
    // The backslashes that escape the closing quote are not part of the value.
    let end = at;
    for (let i = 1; i < quote.length && end > start && text[end - 1] === '\\'; i++) end--;
    return end;
  }
  return limit;
}
