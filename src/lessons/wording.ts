/**
 * What two statements have in common, and whether one denies the other: by words, names, numbers
 * and negation alone.
 */

import { contentWords, isNegated, isNegation, overlap, STOP_WORDS } from '../text/words.js';
import { plainText } from '../text/fingerprint.js';
import { compareText, sortedSet } from './order.js';

/** Backticked parts of a text, as written. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((m) => m[1]!.trim());
}

/**
 * Of each line one is in use for its purpose: named without a negation, it is a value like a port.
 */
const RIVALS: readonly string[][] = [
  ['npm', 'pnpm', 'yarn', 'bun'],
  ['uv', 'poetry', 'pipenv', 'pdm', 'conda', 'pip'],
  ['vitest', 'jest', 'mocha'],
  ['prettier', 'biome', 'dprint', 'black'],
  ['docker', 'podman', 'nerdctl'],
];
/** By their name, and as content words have it. */
const SLOTS: ReadonlyMap<string, string> = new Map(
  RIVALS.flatMap((line, slot) =>
    line.flatMap((name) => [name, ...contentWords(name)].map((one) => [one, `#${slot}`] as const)),
  ),
);

/** The parts that decide whether two near-equal statements are one. */
interface Signature {
  /**
   * Code spans and paths, values left out, so that two ports in one sentence differ only in
   * `values`.
   */
  named: string;
  /** Numbers and rival tools. */
  values: string;
  negated: boolean;
}

/** A statement, prepared to be compared with many. */
export interface Statement {
  text: string;
  /** Content words; of rival tools their slot. */
  words: ReadonlySet<string>;
  signature: Signature;
  /** Unchanged, with the commas. */
  tokens: readonly string[];
  denial: Denial | null;
}

/** Numbers with their dots (versions, ports, limits), in the order of the text. */
function numbersIn(text: string): string[] {
  return (
    text
      .match(/(?<![\p{L}\d])\d[\d.,]*(?:[kKmMgG][bB]?|ms|%|s)?/gu)
      ?.map((n) => n.replace(/[.,]+$/, '')) ?? []
  );
}

/** Words with a slash or a file ending. */
function pathsIn(text: string): string[] {
  return text.match(/[\w@.~-]*\/[\w@./*~-]+|\b[\w-]+\.[a-z]{1,5}\b/g) ?? [];
}

export function statementOf(text: string): Statement {
  const negated = isNegated(text);
  const slotOf = (word: string): string => (negated ? word : (SLOTS.get(word) ?? word));
  const bare = text.replace(/`[^`]*`/g, ' ');
  const spans = codeSpans(text).map((span) => span.toLowerCase());
  const slotted = (name: string): string =>
    name.toLowerCase().replace(/\d+/g, '#').split(' ').map(slotOf).join(' ');
  const words = contentWords(text);
  const rivals = negated ? [] : words.filter((word) => SLOTS.has(word));
  const tokens =
    text
      .replaceAll('`', '')
      .toLowerCase()
      .match(/[\p{L}\p{N}_@][\p{L}\p{N}_@./'’+-]*(?<![./'’+-])|,/gu) ?? [];
  return {
    text,
    words: new Set(words.filter((word) => !/^\d/.test(word)).map(slotOf)),
    signature: {
      named: sortedSet([...spans, ...pathsIn(bare)].map(slotted)).join('\u0000'),
      values: [...numbersIn(bare), ...spans.flatMap((span) => span.match(/\d+/g) ?? []), ...rivals]
        .sort(compareText)
        .join(' '),
      negated,
    },
    tokens,
    denial: denialIn(tokens),
  };
}

// What a statement denies: "use pnpm, not npm" denies "use npm"; so does "never use npm".

interface Denial {
  word: string;
  /** What stands before it where it would be said. */
  left: string;
  /** What to do instead; null for a prohibition. */
  instead: string | null;
  before: ReadonlySet<string>;
  after: ReadonlySet<string>;
}

const CONTRAST = new Set(['instead', 'rather']);
/** They change nothing of what is said; "here" is where it is said. */
const FILLERS = new Set([',', 'only', ...STOP_WORDS]);
const LIGHT = new Set('use used uses using need needs must when which before'.split(' '));
const HERE = new Set(['repository', 'repo', 'project', 'codebase']);
/** Share of words from which two statements are about the same thing. */
const SAME_TOPIC = 0.6;

function isContrast(token: string): boolean {
  return CONTRAST.has(token) || isNegation(token);
}
function isContent(token: string): boolean {
  return !FILLERS.has(token) && !LIGHT.has(token) && !isContrast(token);
}
/** The word before a place that is no filler and no number; '' at the beginning. */
function leftOf(tokens: readonly string[], at: number): string {
  return tokens.slice(0, at).findLast((token) => !FILLERS.has(token) && !/^\d/.test(token)) ?? '';
}
function topicOf(tokens: readonly string[]): Set<string> {
  return new Set(
    contentWords(tokens.filter((token) => isContent(token) && !HERE.has(token)).join(' ')),
  );
}

function denialIn(tokens: readonly string[]): Denial | null {
  const at = tokens.findIndex(isContrast);
  const denied = tokens.findIndex((token, i) => i > at && isContent(token));
  if (at < 0 || denied < 0) return null;
  const [word, after] = [tokens[denied]!, topicOf(tokens.slice(denied + 1))];
  const own = tokens[at - 1] === ',' ? at - 2 : at - 1;
  // "tabs, never spaces", but not "tests never wait" nor "tests do not wait".
  if (own >= 0 && isContent(tokens[own]!) && (own === at - 2 || CONTRAST.has(tokens[at]!)))
    return {
      word,
      left: leftOf(tokens, own),
      instead: tokens[own]!,
      before: topicOf(tokens.slice(0, own)),
      after,
    };
  const isRule = tokens.slice(0, at).every((token) => FILLERS.has(token));
  const rest = tokens.slice(at + 1);
  return isRule
    ? { word, left: leftOf(rest, rest.indexOf(word)), instead: null, before: new Set(), after }
    : null;
}

function shareIn(words: ReadonlySet<string>, said: ReadonlySet<string>): number {
  return [...words].filter((w) => said.has(w)).length / words.size;
}

/** Does a statement say what another one denies, of the same thing? */
function affirms({ tokens, words, signature }: Statement, denial: Denial | null): boolean {
  if (denial === null || signature.negated) return false;
  const { word, left, instead, before, after } = denial;
  const at = tokens.indexOf(word);
  if (at < 0 || leftOf(tokens, at) !== left || (instead !== null && tokens.includes(instead)))
    return false;
  const own = topicOf(tokens.slice(at + 1));
  // What is said without a qualification holds for what is qualified; a prohibition forbids what it
  // names alone.
  const isAbout =
    after.size === 0 || (own.size === 0 ? instead !== null : shareIn(after, own) >= SAME_TOPIC);
  return isAbout && (before.size === 0 || shareIn(before, words) >= SAME_TOPIC);
}

/**
 * Does each of two statements deny what the other one speaks of? "pnpm, not npm" and "use npm here,
 * not pnpm".
 */
function isOpposed(a: Statement, b: Statement): boolean {
  const [left, right] = [a.denial?.word, b.denial?.word];
  return (
    left !== undefined &&
    right !== undefined &&
    left !== right &&
    a.tokens.includes(right) &&
    b.tokens.includes(left)
  );
}

/** Do two statements differ by two words that changed places? "A before B" and "B before A". */
function isSwapped(a: Statement, b: Statement): boolean {
  const [left, right] = [a, b].map(({ text }) => plainText(text).split(' ')) as [
    string[],
    string[],
  ];
  if (left.length !== right.length) return false;
  const [first, second, ...more] = [...left.keys()].filter((at) => left[at] !== right[at]);
  if (first === undefined || second === undefined || more.length > 0) return false;
  return left[first] === right[second] && left[second] === right[first];
}

/**
 * Do two near-equal statements say the same? Names, values and negation are equal, and nothing
 * changed places.
 */
export function isSameStatement(a: Statement, b: Statement): boolean {
  const [x, y] = [a.signature, b.signature];
  const isEqual = x.named === y.named && x.values === y.values && x.negated === y.negated;
  return isEqual && !isSwapped(a, b) && !isOpposed(a, b);
}

/** Whether one of two statements says what the other one denies, in whatever other words. */
export function oneDenies(a: Statement, b: Statement): boolean {
  return affirms(b, a.denial) || affirms(a, b.denial);
}

/**
 * Whether two statements cannot both hold: one denies the other; or of near-equal words about the
 * same names only a negation, or value for value a value, differs.
 * @param near share of common words from which words are near-equal
 */
export function contradicts(a: Statement, b: Statement, near = SAME_TOPIC): boolean {
  if (oneDenies(a, b)) return true;
  const [x, y] = [a.signature, b.signature];
  if (x.named !== y.named || overlap(a.words, b.words) < near) return false;
  if (x.negated !== y.negated) return x.values === y.values;
  // Without a negation a swap may say the same ("tabs and spaces").
  if (x.values === y.values) return x.negated && (isSwapped(a, b) || isOpposed(a, b));
  return x.values.split(' ').length === y.values.split(' ').length;
}
