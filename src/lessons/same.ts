/**
 * Finds claims that say the same: they share a code span or a file name, and enough words. Uses
 * only the texts, since lessons must not depend on vectors.
 */
import { contentWords, isNegated, overlap } from '../text/words.js';
import { plainText } from '../text/fingerprint.js';
import type { Lesson } from '../types.js';
import { withoutSpans } from '../text/code.js';

/**
 * Least share of common words in all words of two claims (measured in docs/decisions/lessons.md).
 */
const SAME_WORDS = 0.36;
/** Least number of common words: two may be only a name and a verb. */
const LEAST_WORDS = 3;

interface Statement {
  plain: string;
  words: ReadonlySet<string>;
  /**
   * Maps a code span (`files`: a path or file name outside code) to whether the clause around it is
   * negated.
   */
  spans: ReadonlyMap<string, boolean>;
  files: ReadonlyMap<string, boolean>;
  /** Must be equal in two claims that say the same. */
  numbers: string;
}

const FILE = /[\w@.~-]*\/[\w@./*~-]+|\b[\w-]{2,}\.[a-z]{1,5}\b/g;
const NUMBER = /(?<![\p{L}\d])\d+(?:[.:]\d+)*/gu;
/** A clause ends at punctuation outside of code, or before a reason. */
const CLAUSE = /[;:,()]\s*|[.!?](?:\s+|$)|\n|\s(?=(?:because|since|otherwise)\s)/i;
/** Replaces a code span; no text contains this character. */
const CODE = '\u0000';

function statementOf(text: string): Statement {
  const code: string[] = [];
  const blanked = withoutSpans(text, (span) => {
    code.push(span.toLowerCase());
    return CODE;
  });
  const [spans, files] = [new Map<string, boolean>(), new Map<string, boolean>()];
  for (const clause of blanked.split(CLAUSE)) {
    const isDenied = isNegated(clause);
    for (const _ of clause.split(CODE).slice(1)) spans.set(code.shift()!, isDenied);
    for (const file of clause.toLowerCase().match(FILE) ?? []) files.set(file, isDenied);
  }
  return {
    plain: plainText(text),
    words: new Set(contentWords(text)),
    spans,
    files,
    numbers: [...(text.match(NUMBER) ?? [])].sort().join(' '),
  };
}

/**
 * Whether one claim negates what the other says of a common code span or, without a common span, of
 * a common file: "run `x` first" and "do not run `x` first".
 */
function isOpposed(a: Statement, b: Statement): boolean {
  const shared = (['spans', 'files'] as const)
    .map((of) =>
      [...a[of]].filter(([name]) => b[of].has(name)).map(([name]) => [of, name] as const),
    )
    .find((names) => names.length > 0);
  return (shared ?? []).some(([of, name]) => a[of].get(name) !== b[of].get(name));
}

function saysSame(a: Statement, b: Statement): boolean {
  if (a.plain === b.plain) return true;
  const common = overlap(a.words, b.words);
  const least = (LEAST_WORDS * (1 + common)) / (a.words.size + b.words.size);
  return common >= Math.max(SAME_WORDS, least) && a.numbers === b.numbers && !isOpposed(a, b);
}

/**
 * Connected groups of at least two items; the order of the items has no effect.
 * @param keysOf only items with a common key are compared
 */
export function connected<T>(
  items: readonly T[],
  keysOf: (item: T) => readonly string[],
  isPair: (a: T, b: T) => boolean,
): T[][] {
  const group = new Map(items.map((item) => [item, [item]]));
  const places = new Map<string, T[]>();
  for (const item of items)
    for (const key of keysOf(item)) {
      const others = places.get(key) ?? [];
      for (const other of others)
        if (group.get(item) !== group.get(other) && isPair(item, other)) {
          const joined = [...group.get(item)!, ...group.get(other)!];
          for (const each of joined) group.set(each, joined);
        }
      places.set(key, [...others, item]);
    }
  return [...new Set(group.values())].filter((members) => members.length > 1);
}

/**
 * Groups of claims that say the same.
 * @param isApart pairs that must stay two lessons
 * @returns no group contains two claims that are apart or opposed
 */
export function sayingTheSame<T>(
  claims: readonly T[],
  textOf: (claim: T) => string,
  isApart: (a: T, b: T) => boolean,
): T[][] {
  const statements = new Map(claims.map((claim) => [claim, statementOf(textOf(claim))]));
  const keysOf = (claim: T): string[] => {
    const { plain, spans, files, numbers } = statements.get(claim)!;
    return [plain, ...[...spans.keys(), ...files.keys()].map((name) => `${name}${CODE}${numbers}`)];
  };
  const isPair = (a: T, b: T): boolean => saysSame(statements.get(a)!, statements.get(b)!);
  const isOne = (a: T, b: T): boolean =>
    !isOpposed(statements.get(a)!, statements.get(b)!) && !isApart(a, b);
  return connected(claims, keysOf, isPair).filter((members) =>
    members.every((a, at) => members.slice(0, at).every((b) => isOne(a, b))),
  );
}

/** A file already says a lesson if one paragraph has at least this share of the lesson's words. */
const SHARE_IN_FILES = 0.8;

/** Paragraphs and list items, since a rule may have two sentences; also each single sentence. */
function partsOf(text: string): string[] {
  const paragraphs = text.split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)|\n(?=#)/);
  const sentences = paragraphs.flatMap((part) => part.split(/(?<=[.!?;。！？])\s+|\n/));
  return [...new Set([...paragraphs, ...sentences])].filter((part) => /\p{L}/u.test(part));
}

/**
 * Ids of the lessons that one of these texts already says: the project's own files (CLAUDE.md,
 * AGENTS.md, README). A part does not say the lesson if only one of the two is negated, or if their
 * numbers differ.
 */
export function repeatedByFiles(lessons: readonly Lesson[], texts: readonly string[]): Set<string> {
  const parts = texts.flatMap(partsOf).map((part) => ({ part, isDenied: isNegated(part) }));
  const places = new Map<string, number[]>();
  for (const [at, { part }] of parts.entries())
    for (const word of new Set(contentWords(part)))
      places.set(word, [...(places.get(word) ?? []), at]);
  const isInFiles = ({ text }: Lesson): boolean => {
    const words = new Set(contentWords(text));
    if (words.size < 2) return false;
    const [isDenied, numbers] = [isNegated(text), text.match(NUMBER) ?? []];
    const counts = new Map<number, number>();
    for (const word of words)
      for (const at of places.get(word) ?? []) counts.set(at, (counts.get(at) ?? 0) + 1);
    return [...counts].some(
      ([at, count]) =>
        count / words.size >= SHARE_IN_FILES &&
        parts[at]!.isDenied === isDenied &&
        numbers.every((number) => parts[at]!.part.includes(number)),
    );
  };
  return new Set(lessons.filter(isInFiles).map(({ id }) => id));
}
