import type { KeyClass } from './key-names.js';
import { entropyOf, isPlaceholder } from './placeholder.js';

/** The surroundings of a value. */
export interface ValueContext {
  kind: KeyClass;
  quoted: boolean;
  /** The character after the value. */
  next: string;
  /** Found in a sentence. */
  prose: boolean;
  /** `=` without blanks comes before it. */
  tight: boolean;
  /** The place takes only literals: environment lines, flags, XML text, query strings. */
  literal: boolean;
  /** Name and value fill the line. */
  alone: boolean;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PATH =
  /^(?:\.{0,2}\/|~\/|[A-Za-z]:[\\/]|https?:\/\/|file:|ssh:\/\/)|^[\w./-]{1,200}\.(?:txt|json|ya?ml|toml|pem|crt|pub|key|[cm]?[jt]sx?|py|go|rs|rb|java|kt|cs|php|sh|env|md|html|css|sql|lock|log|png|svg)$/i;
const VERSION = /^[~^<>=v]{0,3}\d{1,4}\.\d{1,5}(?:\.\d{1,6})?(?:[-+.][\w.-]{1,60})?$/;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$]*(?:[.:?!-]{1,2}[A-Za-z_$][A-Za-z_$]*)*\d{0,2}[!?]?$/;
const MEMBER = /^[A-Za-z_$][\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60}){1,10}[!?]?$|\$\d{0,4}$/;
const CAMEL = /^[A-Za-z]?[a-z]+(?:[A-Z][a-z]+|[A-Z]{2,5}){1,8}\d{0,2}$/;
const SNAKE = /^[a-zA-Z]{1,20}(?:[_.:/-]{1,2}[a-zA-Z]{1,20}){1,10}(?:[_.:-]?\d{1,4})?$/;

/**
 * Describes a secret instead of being one: "the token is base64-encoded", "the key is v2". A
 * continuation with digits is a value that only begins like this.
 */
const TECHNICAL =
  /^(?:(?:base(?:32|64)|sha-?\d{1,3}|utf-?\d{1,2}|md5|aes(?:-?\d{3})?|rsa(?:-?\d{4})?|[hrep]s(?:256|384|512)|oauth2?|http2?|ipv[46]|x509|bcrypt|argon2|pkce)[a-z]{0,12}|v\d{1,3}(?:(?:alpha|beta|rc)\d{0,2})?)(?![a-z0-9])|^\d{1,6}[a-z]{1,3}$/i;

/** Base64 may begin with either of its two signs. */
const SIGNED_BASE64 = /^[+/](?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{30,4096}={0,2}$/;

/** Whether the value of a name of this class is a secret here. */
export function isSecretValue(value: string, context: ValueContext): boolean {
  if (
    value.length < 4 ||
    value.length > 4096 ||
    isPlaceholder(value) ||
    value.startsWith('[REDACTED')
  )
    return false;
  if (context.kind === 'storage') return /^[A-Za-z0-9+/]{86}==$/.test(value);
  if (context.kind === 'mnemonic') return /^(?:[a-z]{3,8} ){11,23}[a-z]{3,8}$/.test(value);
  if (/\s/.test(value)) return isSpaced(value, context);
  if (UUID.test(value)) return context.kind !== 'cookie';
  if (isCode(value, context) || isPath(value) || VERSION.test(value)) return false;
  return isStrong(value, context);
}

/** A call, a member, an index, a template: the value is computed, not written here. */
function isCode(value: string, { quoted, next, literal, prose, tight }: ValueContext): boolean {
  if (prose)
    return next === '(' || /[()[\]{}]/.test(value) || TECHNICAL.test(value) || MEMBER.test(value);
  if (quoted) return /^(?:\$|%\(|\{|#\{)|[({]\s?\w*\s?[)}]$/.test(value);
  if (
    /[([{]/.test(value) ||
    next === '(' ||
    value.startsWith('&') ||
    (/^[-+*/=!~?]/.test(value) && !SIGNED_BASE64.test(value))
  )
    return !literal || /^\$|\(/.test(value);
  if (tight && /\d/.test(value) && /^[\s&"'\\]?$/.test(next)) return false;
  return (
    !literal &&
    (IDENTIFIER.test(value) || CAMEL.test(value) || MEMBER.test(value) || isWordy(value)) &&
    !isLowerWord(value)
  );
}

const WORDS = { most: 16, signs: 16 * 21 };

/**
 * Words joined by humps or separators, with a few digits: oauth2ClientSecret, sha256_digest. At
 * most 16 words, capitals, numbers and separators. Checked piece by piece, because a pattern tries
 * every way to split: 40 letters took three seconds, each four more eight times as long.
 */
function isWordy(value: string): boolean {
  const isMade =
    value.length <= WORDS.signs && /^[\w.:/-]+$/.test(value) && /[a-z][A-Z]|[_.:/-]/.test(value);
  if (!isMade || /\d.*\d.*\d.*\d/.test(value)) return false;
  const least = new Array<number>(value.length + 1).fill(Infinity);
  least[0] = 0;
  for (let at = 0; at < value.length; at++) {
    if (least[at]! >= WORDS.most) continue;
    for (const [shortest, length] of piecesAt(value, at))
      for (let end = at + shortest; end <= at + length; end++)
        least[end] = Math.min(least[end]!, least[at]! + 1);
  }
  return least[value.length]! <= WORDS.most;
}

/** The shortest and the longest piece of each kind that begins there. */
function piecesAt(value: string, at: number): [number, number][] {
  const length = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(value)?.[0].length ?? 0;
  };
  const isCapital = /[A-Z]/.test(value[at]!);
  return [
    [isCapital ? 3 : 2, length(/[A-Z]?[a-z]{2,20}/y)],
    [2, length(/[A-Z]{2,8}/y)],
    [1, length(/\d{1,3}|[_.:/-]/y)],
  ];
}

function isLowerWord(value: string): boolean {
  return /^[a-z]{10,40}$/.test(value);
}

/**
 * Paths and URLs. Base64 may begin with a slash too, but then it has no second one nearby, or mixes
 * cases and digits.
 */
function isPath(value: string): boolean {
  if (!PATH.test(value)) return false;
  return !(/^\/[A-Za-z0-9+/=]{30,}$/.test(value) && /[+=]|\d[A-Z]|[A-Z]\d/.test(value));
}

function isStrong(value: string, { kind, quoted, prose, literal, alone }: ValueContext): boolean {
  const letters = /[A-Za-z]/.test(value);
  const digits = /\d/.test(value);
  const symbols = /[^\p{L}\p{M}0-9_.:/-]/u.test(value);
  if (kind === 'cookie') return value.length >= 16 && letters && digits;
  if (kind === 'weak' || kind === 'signature')
    return value.length >= 20 && letters && digits && entropyOf(value) >= 3 && !SNAKE.test(value);
  if (prose)
    return (
      value.length >= 6 &&
      letters &&
      (digits || symbols) &&
      !SNAKE.test(value) &&
      !/^[A-Za-z]+'[a-z]+$|^\W|\)$/.test(value)
    );
  if (kind === 'password')
    return isPassword(value, { letters, digits, symbols, quoted, literal, alone });
  if (!letters)
    return (
      digits &&
      (quoted || literal) &&
      value.length >= 12 &&
      !/^\d{1,3}(?:[.,]\d{1,3})+$/.test(value)
    );
  if (digits && !SNAKE.test(value) && !(!literal && isWordy(value)))
    return value.length >= 8 && (value.length >= 12 || entropyOf(value) >= 2.5);
  if (digits) return value.length >= 16 && literal;
  if (symbols && value.length >= 12) return entropyOf(value) >= 3;
  return (
    value.length >= 20 &&
    entropyOf(value) >= 3.5 &&
    !SNAKE.test(value) &&
    !CAMEL.test(value) &&
    (!IDENTIFIER.test(value) || mixesCases(value))
  );
}

/** Only letters, but case changes too often for words: base64 without digits. */
function mixesCases(value: string): boolean {
  return (value.match(/[a-z][A-Z]/g) ?? []).length * 4 >= value.length - 4;
}

interface Shape {
  letters: boolean;
  digits: boolean;
  symbols: boolean;
  quoted: boolean;
  literal: boolean;
  alone: boolean;
}

/**
 * Passwords are short and may be words; only what code and forms write in their place is not
 * masked.
 */
function isPassword(
  value: string,
  { letters, digits, symbols, quoted, literal, alone }: Shape,
): boolean {
  if (/pass(?:word|wd|phrase)|passwort|kennwort/i.test(value) && !digits && !symbols) return false;
  if (!letters)
    return (
      digits &&
      (quoted || literal || alone) &&
      value.length >= 4 &&
      !/^\d{1,3}(?:\.\d{1,3}){1,3}%?$/.test(value)
    );
  if (digits) return value.length >= 5 && (quoted || literal || alone || !SNAKE.test(value));
  if (symbols) return value.length >= 6 && (quoted || literal || alone);
  if (SNAKE.test(value) || CAMEL.test(value)) return literal && value.length >= 8;
  return quoted || literal
    ? value.length >= 6 && !/^[A-Z][a-z]+$/.test(value)
    : alone && isLowerWord(value);
}

/**
 * Quoted text with blanks is a label or a sentence, unless it looks like a pass phrase in an
 * environment line.
 */
function isSpaced(value: string, { kind, quoted, literal }: ValueContext): boolean {
  if (kind !== 'password' && kind !== 'secret') return false;
  return (
    quoted &&
    literal &&
    value.length <= 80 &&
    /\d/.test(value) &&
    /[A-Z]/.test(value) &&
    !/[.,:;!?)]$/.test(value)
  );
}
