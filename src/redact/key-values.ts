import type { KeyClass } from './key-names.js';
import { entropyOf, isPlaceholder } from './placeholder.js';

/** The surroundings of a value. */
export interface ValueContext {
  kind: KeyClass;
  quoted: boolean;
  /** The character after the value. */
  next: string;
  /** The value is in a sentence. */
  prose: boolean;
  /** A `=` without blanks is before the value. */
  tight: boolean;
  /** The place contains only literals: environment lines, flags, XML text, query strings. */
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

/** Descriptions of a secret: "the token is base64-encoded". With further digits it is a value. */
const TECHNICAL =
  /^(?:(?:base(?:32|64)|sha-?\d{1,3}|utf-?\d{1,2}|md5|aes(?:-?\d{3})?|rsa(?:-?\d{4})?|[hrep]s(?:256|384|512)|oauth2?|http2?|ipv[46]|x509|bcrypt|argon2|pkce)[a-z]{0,12}|v\d{1,3}(?:(?:alpha|beta|rc)\d{0,2})?)(?![a-z0-9])|^\d{1,6}[a-z]{1,3}$/i;

/** Base64 that begins with `+` or `/`. */
const SIGNED_BASE64 = /^[+/](?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{30,4096}={0,2}$/;

export function isSecretValue(value: string, context: ValueContext): boolean {
  const { kind } = context;
  if (value.length < 4 || value.length > 4096) return false;
  if (isPlaceholder(value) || value.startsWith('[REDACTED')) return false;
  if (kind === 'storage') return /^[A-Za-z0-9+/]{86}==$/.test(value);
  if (kind === 'mnemonic') return /^(?:[a-z]{3,8} ){11,23}[a-z]{3,8}$/.test(value);
  if (/\s/.test(value)) return isSpaced(value, context);
  if (UUID.test(value)) return kind !== 'cookie';
  if (isCode(value, context) || isPath(value) || VERSION.test(value)) return false;
  return isStrong(value, context);
}

/** Whether the value is a call, a member, an index or a template, and so computed. */
function isCode(value: string, { quoted, next, literal, prose, tight }: ValueContext): boolean {
  if (prose)
    return next === '(' || /[()[\]{}]/.test(value) || TECHNICAL.test(value) || MEMBER.test(value);
  if (quoted) return /^(?:\$|%\(|\{|#\{)|[({]\s?\w*\s?[)}]$/.test(value);
  const isMade =
    /[([{]/.test(value) ||
    next === '(' ||
    value.startsWith('&') ||
    (/^[-+*/=!~?]/.test(value) && !SIGNED_BASE64.test(value));
  if (isMade) return !literal || /^\$|\(/.test(value);
  if (literal || isLowerWord(value)) return false;
  if (tight && /\d/.test(value) && /^[\s&"'\\]?$/.test(next)) return false;
  return IDENTIFIER.test(value) || CAMEL.test(value) || MEMBER.test(value) || isWordy(value);
}

/** Joints between the words of a name: signs, capitals, and both sides of digits. */
const JOINTS = /[_.:/-]|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\d)(?=\D)|(?<=\D)(?=\d)/;

/** Words joined by capitals or signs, with a few digits: oauth2ClientSecret, sha256_digest. */
function isWordy(value: string): boolean {
  if (!/^[\w.:/-]{1,336}$/.test(value) || !/[a-z][A-Z]|[_.:/-]/.test(value)) return false;
  const words = value.split(JOINTS).filter((word) => word !== '');
  const isWord = (word: string): boolean => /^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|\d{1,3})$/.test(word);
  return words.length <= 16 && words.every(isWord) && !/\d.*\d.*\d.*\d/.test(value);
}

function isLowerWord(value: string): boolean {
  return /^[a-z]{10,40}$/.test(value);
}

/**
 * Whether a value is a path or URL. Base64 may also begin with a slash, but then it has no second
 * one nearby, or mixes cases and digits.
 */
function isPath(value: string): boolean {
  const isBase64 = /^\/[A-Za-z0-9+/=]{30,}$/.test(value) && /[+=]|\d[A-Z]|[A-Z]\d/.test(value);
  return PATH.test(value) && !isBase64;
}

function isStrong(value: string, context: ValueContext): boolean {
  const { kind, quoted, prose, literal } = context;
  const { length } = value;
  const letters = /[A-Za-z]/.test(value);
  const digits = /\d/.test(value);
  const symbols = /[^\p{L}\p{M}0-9_.:/-]/u.test(value);
  const isSnake = SNAKE.test(value);
  if (kind === 'cookie') return length >= 16 && letters && digits;
  if (kind === 'weak' || kind === 'signature')
    return length >= 20 && letters && digits && entropyOf(value) >= 3 && !isSnake;
  if (prose) {
    const isWord = isSnake || /^[A-Za-z]+'[a-z]+$|^\W|\)$/.test(value);
    return length >= 6 && letters && (digits || symbols) && !isWord;
  }
  if (kind === 'password') return isPassword(value, context, { letters, digits, symbols });
  if (!letters)
    return digits && (quoted || literal) && length >= 12 && !/^\d+(?:[.,]\d+)+$/.test(value);
  if (digits && !isSnake && (literal || !isWordy(value)))
    return length >= 8 && (length >= 12 || entropyOf(value) >= 2.5);
  if (digits) return length >= 16 && literal;
  if (symbols && length >= 12) return entropyOf(value) >= 3;
  // Case changes too often for words, so this is base64 without digits.
  const mixesCases = (value.match(/[a-z][A-Z]/g) ?? []).length * 4 >= length - 4;
  const isName = isSnake || CAMEL.test(value) || (IDENTIFIER.test(value) && !mixesCases);
  return length >= 20 && entropyOf(value) >= 3.5 && !isName;
}

/** Passwords are short and may be words; only usual replacements in code are not masked. */
function isPassword(
  value: string,
  { quoted, literal, alone }: ValueContext,
  { letters, digits, symbols }: { letters: boolean; digits: boolean; symbols: boolean },
): boolean {
  const isValue = quoted || literal || alone;
  const isSnake = SNAKE.test(value);
  if (/pass(?:word|wd|phrase)|passwort|kennwort/i.test(value) && !digits && !symbols) return false;
  if (!letters) return digits && isValue && !/^\d{1,3}(?:\.\d{1,3}){1,3}%?$/.test(value);
  if (digits) return value.length >= 5 && (isValue || !isSnake);
  if (symbols) return value.length >= 6 && isValue;
  if (isSnake || CAMEL.test(value)) return literal && value.length >= 8;
  return quoted || literal
    ? value.length >= 6 && !/^[A-Z][a-z]+$/.test(value)
    : alone && isLowerWord(value);
}

/** Quoted text with blanks is a label or a sentence; in an environment line it is a pass phrase. */
function isSpaced(value: string, { kind, quoted, literal }: ValueContext): boolean {
  const isOpen = (kind === 'password' || kind === 'secret') && quoted && literal;
  return (
    isOpen && value.length <= 80 && /\d.*[A-Z]|[A-Z].*\d/.test(value) && !/[.,:;!?)]$/.test(value)
  );
}
