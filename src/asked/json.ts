/** Finds JSON in a model's answer, and repairs it once if needed. */
import { verbatim } from '../text/verbatim.js';
import { isObject, type Json, list, object, parseAny } from '../text/fields.js';

/** Null if the answer has no JSON, even after the repair. */
function readJson(text: string): unknown {
  const from = text.search(/[[{]/);
  if (from < 0) return null;
  const body = text.slice(from);
  const whole = body.slice(0, Math.max(body.lastIndexOf('}'), body.lastIndexOf(']')) + 1);
  return parseAny(whole) ?? parseAny(mend(body));
}

/**
 * Cuts a broken answer after its last whole object, closes open brackets and removes commas before
 * closing ones. This repairs errors of small models and answers that were cut off.
 */
function mend(text: string): string {
  const open: string[] = [];
  let inString = false;
  let lastWhole = 0;
  let closers = '';
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i]!;
    if (inString) {
      if (sign === '\\') i += 1;
      else if (sign === '"') inString = false;
      continue;
    }
    if (sign === '"') inString = true;
    else if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']');
    else if (sign === '}' || sign === ']') {
      if (open.pop() !== sign) break;
      lastWhole = i + 1;
      closers = [...open].reverse().join('');
      if (open.length === 0) break;
    }
  }
  return (text.slice(0, lastWhole) + closers).replace(/,(\s*[\]}])/g, '$1');
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
/** Kinds of claims about a session or a known lesson. */
export const ABOUT = ['new', 'confirms', 'contradicts', 'narrower', 'same', 'drop'] as const;

/** A claim of a model, unchecked. */
export interface Claim {
  about: (typeof ABOUT)[number];
  id: string | null;
  /** Ids of known claims that say the same. */
  ids: string[];
  kind: string;
  scope: string;
  /** The importance that the model gives; null if it gives none. */
  importance: 1 | 2 | 3 | null;
  text: string;
  line: number | null;
  quote: string;
  /** For a decision that the agent proposed: the line in which the person accepted it. */
  accepted: number | null;
  /** The command, error or file to which the claim applies; empty if there is none. */
  at: string;
  /** The wish is for this time only. */
  once: boolean;
}

/** Most claims of one answer that are read. */
const MOST_CLAIMS = 60;

/** Null if the answer has no JSON, even after the repair. */
export function readAnswer(text: string): Claim[] | null {
  const found = readJson(text);
  if (found === null) return null;
  // Some models answer with the bare list.
  const claims = Array.isArray(found) ? found : list(object(found)['lessons']);
  return claims.slice(0, MOST_CLAIMS).filter(isObject).map(toClaim);
}

function toClaim(raw: Json): Claim {
  return {
    about: ABOUT.find((each) => each === raw['about']) ?? 'new',
    id: stringOf(raw['id']) || null,
    ids: [...new Set(list(raw['ids']).map(stringOf))],
    kind: stringOf(raw['kind']).toLowerCase(),
    scope: stringOf(raw['scope']).toLowerCase(),
    importance: importanceOf(raw['importance']),
    text: verbatim(stringOf(raw['text'])),
    line: lineOf(raw['line']),
    quote: stringOf(raw['quote']).trim(),
    accepted: lineOf(raw['accepted']),
    at: verbatim(stringOf(raw['at'])),
    once: raw['once'] === true,
  };
}

/** `2` and `"2"`; null for any other value. */
function importanceOf(value: unknown): Claim['importance'] {
  const number = typeof value === 'string' ? Number(value.trim() || NaN) : value;
  return number === 1 || number === 2 || number === 3 ? number : null;
}

/** `3`, `"3"` and `"[3]"`. */
function lineOf(value: unknown): number | null {
  const digits = /^\[?(\d{1,6})\]?$/.exec(plainOf(value).trim())?.[1];
  return digits === undefined ? null : Number(digits);
}

/** A number or text as text. `String` throws for `{"toString":0}`. */
function plainOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
