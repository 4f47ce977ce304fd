/** What a statement is made of: its words, and the parts that must not differ when two statements are taken for one. */

import { plainText } from './identity.js';
import { compareText, sortedSet } from './order.js';

const STOP = new Set(
  (
    'a an and are as at be been before by can do does for from has have if in into is it its of on or so than that the ' +
    'their them then there these ' +
    'they this to use used uses using was were when which will with you your we our i me my should must need needs only also'
  ).split(' '),
);
const NEGATION =
  /(?:^|[^\p{L}])(?:not|never|no|none|don'?t|doesn'?t|didn'?t|isn'?t|aren'?t|can'?t|cannot|won'?t|shouldn'?t|mustn'?t|without|avoid|stop|nicht|kein\p{L}*|nie|niemals|ohne|ne|pas|jamais|sans|nunca|sin|jamás|não|sem|non|mai|не|никогда|без)(?![\p{L}])|[不别別勿禁]|ない|ません|않|마세요/iu;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Backticked parts of a text, as written. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((m) => m[1]!.trim());
}

/** Numbers with their dots (versions, ports, limits), in the order of the text. */
function numbersIn(text: string): string[] {
  return text.match(/(?<![\p{L}\d])\d[\d.,]*(?:[kKmMgG][bB]?|ms|%|s)?/gu)?.map((n) => n.replace(/[.,]+$/, '')) ?? [];
}

/** Words with a slash or a file ending. */
function pathsIn(text: string): string[] {
  return text.match(/[\w@.~-]*\/[\w@./*~-]+|\b[\w-]+\.[a-z]{1,5}\b/g) ?? [];
}

/** Does the statement forbid or deny? */
export function isNegated(text: string): boolean {
  return NEGATION.test(text.replace(/`[^`]*`/g, ' '));
}

function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

/** Content words, lower case, lightly stemmed; runs of Chinese, Japanese or Korean as pairs of characters. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const raw of text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}_]+/gu) ?? []) {
    if (CJK.test(raw)) {
      const chars = [...raw];
      if (chars.length === 1) words.add(raw);
      for (let i = 0; i + 1 < chars.length; i++) words.add(chars[i]! + chars[i + 1]!);
    } else if (!STOP.has(raw)) words.add(stem(raw));
  }
  return words;
}

/** Do two statements differ by two words that changed places? "A, not B" and "B, not A", "A before B" and "B before A". */
export function isSwapped(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => plainText(text).split(' '));
  if (left!.length !== right!.length) return false;
  const [first, second, ...more] = [...left!.keys()].filter((at) => left![at] !== right![at]);
  if (first === undefined || second === undefined || more.length > 0) return false;
  return left![first] === right![second] && left![second] === right![first];
}

/** Shared words over all words, 0..1. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const word of a.size < b.size ? a : b) if ((a.size < b.size ? b : a).has(word)) shared++;
  return shared / (a.size + b.size - shared);
}

/** The parts that decide whether two near-equal statements are one: code, paths, numbers, negation. */
export interface Signature {
  named: string;
  numbers: string;
  negated: boolean;
  /** The first content word after the negation; null without one. */
  denied: string | null;
}

/** Signature of a statement; `named` leaves numbers out, so that two ports in one sentence differ only in `numbers`. */
export function signatureOf(text: string): Signature {
  const bare = text.replace(/`[^`]*`/g, ' ');
  const spans = codeSpans(text).map((s) => s.toLowerCase());
  const named = sortedSet([
    ...spans.map((s) => s.replace(/\d+/g, '#')),
    ...pathsIn(bare).map((p) => p.toLowerCase().replace(/\d+/g, '#')),
  ]);
  return {
    named: named.join('\u0000'),
    numbers: [...numbersIn(bare), ...spans.flatMap((s) => s.match(/\d+/g) ?? [])].sort(compareText).join(' '),
    negated: isNegated(text),
    denied: deniedIn(text),
  };
}

/** Code may hold a negation ("--no-verify") and may be what is denied. */
function deniedIn(text: string): string | null {
  const negation = NEGATION.exec(text.replace(/`[^`]*`/g, (code) => 'x'.repeat(code.length)));
  return negation === null ? null : ([...wordsOf(text.slice(negation.index + negation[0].length))][0] ?? null);
}

/** Does each of two statements deny what the other one speaks of? "pnpm, not npm" and "use npm here, not pnpm". */
export function isOpposed(a: Worded, b: Worded): boolean {
  const [left, right] = [a.signature.denied, b.signature.denied];
  return left !== null && right !== null && left !== right && a.words.has(right) && b.words.has(left);
}

interface Worded {
  words: ReadonlySet<string>;
  signature: Signature;
}

export function sameSignature(a: Signature, b: Signature): boolean {
  return a.named === b.named && a.numbers === b.numbers && a.negated === b.negated;
}
