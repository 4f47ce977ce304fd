/** From a model's answer to claims. */
import { isObject, listIn, readJson, stringOf } from './json.js';

/** One thing that a model claims, as it came; nothing in it is believed yet. */
export interface Claim {
  about: 'new' | 'confirms' | 'contradicts' | 'shorter';
  id: string | null;
  kind: string;
  scope: string;
  text: string;
  line: number | null;
  quote: string;
  files: string[];
}

export interface Answer {
  claims: Claim[];
  /** The JSON was broken and could be mended. */
  mended: boolean;
}

/** Claims of one answer that are looked at. */
const MOST = 40;

/** Null when there is no JSON in the answer, mended or not. */
export function readAnswer(text: string): Answer | null {
  const found = readJson(text);
  return found === null ? null : { claims: toClaims(found.value), mended: found.mended };
}

function toClaims(value: unknown): Claim[] {
  return listIn(value, 'lessons').slice(0, MOST).filter(isObject).map(toClaim);
}

const ABOUT = new Set(['new', 'confirms', 'contradicts', 'shorter']);

const toClaim = (raw: Record<string, unknown>): Claim => ({
  about: (ABOUT.has(stringOf(raw['about'])) ? stringOf(raw['about']) : 'new') as Claim['about'],
  id: stringOf(raw['id']) || null,
  kind: stringOf(raw['kind']).toLowerCase(),
  scope: stringOf(raw['scope']).toLowerCase(),
  text: stringOf(raw['text']).replace(/\s+/g, ' ').trim(),
  line: lineOf(raw['line']),
  quote: stringOf(raw['quote']).trim(),
  files: Array.isArray(raw['files']) ? raw['files'].filter((file): file is string => typeof file === 'string').slice(0, 6) : [],
});

/** `3`, `"3"` and `"[3]"`. */
const lineOf = (value: unknown): number | null => {
  const digits = /^\[?(\d{1,6})\]?$/.exec(String(value).trim())?.[1];
  return digits === undefined ? null : Number(digits);
};
