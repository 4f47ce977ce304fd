/** Finds the part of a text that answers a query best: characters around the densest match. */
import { partOf, termsOf } from '../terms/index.js';
import { verbatim } from '../text/verbatim.js';

/** Greatest distance of matches that count together. */
const TOGETHER_CHARS = 300;
/** Most characters of a text that are searched; without a match there, the opening is shown. */
const LOOK_CHARS = 400_000;

/** Start and end in a text. */
export type Range = [start: number, end: number];

interface Match {
  start: number;
  end: number;
  terms: string[];
}

/** Weight of each term of a query; rare terms weigh more. */
export type TermWeights = ReadonlyMap<string, number>;

/**
 * The range of at most `room` characters with most of the query's weight, then the most matches,
 * then the earliest; null without a match.
 */
export function densestMatch(text: string, weights: TermWeights, room: number): Range | null {
  const hits = matchedWords(text.slice(0, LOOK_CHARS), weights);
  let best: { range: Range; score: number } | null = null;
  for (const { from, to, weight } of stretches(hits, (term) => weightOf(weights, term), room)) {
    // The number of matches decides only between equal weights.
    const score = Math.round(weight * 1e6) + (to - from) / 1e3;
    if (!best || score > best.score) best = { range: [hits[from]!.start, hits[to]!.end], score };
  }
  return best?.range ?? null;
}

/** The range of `part` in a text, else its densest match for a passage of that many characters. */
export function nearestMatch(
  text: string,
  part: string | undefined,
  weights: TermWeights,
  chars: number,
): Range | null {
  const at = part === undefined ? -1 : text.indexOf(part);
  return at >= 0 ? [at, at + part!.length] : densestMatch(text, weights, chars - 2);
}

/** The ranges of the query's words, without the signs around them. */
export function matchesIn(text: string, weights: TermWeights): Range[] {
  return matchedWords(text, weights).map(({ start, end }) => {
    const word = text.slice(start, end);
    const before = /^[^\p{L}\p{N}]*/u.exec(word)![0].length;
    const after = /(?<![^\p{L}\p{N}])[^\p{L}\p{N}]*$/u.exec(word)![0].length;
    return before + after < word.length ? [start + before, end - after] : [start, end];
  });
}

/**
 * The largest share of the terms' weight in one passage, 0..1. Not over the whole text, since a
 * long text has most words of any query.
 * @param weights of the query's terms
 */
export function weightTogether(text: string, weights: TermWeights): number {
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return 0;
  const lower = text.toLowerCase(); // splitting a text takes longer than to look for the words
  if (!/[^\0-\x7f]/.test(text) && ![...weights.keys()].some((term) => lower.includes(partOf(term))))
    return 0;
  const hits = matchedWords(text.slice(0, LOOK_CHARS), weights);
  let most = 0;
  for (const { weight } of stretches(hits, (term) => weights.get(term)!, TOGETHER_CHARS))
    most = Math.max(most, weight);
  return Math.min(1, most / whole);
}

interface Stretch {
  /** The first and the last match. */
  from: number;
  to: number;
  /** Weight of its terms, each counted once. */
  weight: number;
}

/** For each match the longest range of at most so many characters that ends with it. */
function* stretches(
  hits: readonly Match[],
  weigh: (term: string) => number,
  chars: number,
): Generator<Stretch> {
  const inside = new Map<string, number>();
  let [from, weight] = [0, 0];
  for (const [to, hit] of hits.entries()) {
    for (const term of hit.terms) {
      const count = inside.get(term) ?? 0;
      if (count === 0) weight += weigh(term);
      inside.set(term, count + 1);
    }
    for (; from < to && hit.end - hits[from]!.start > chars; from++)
      for (const term of hits[from]!.terms) {
        const left = inside.get(term)! - 1;
        if (left === 0) weight -= weigh(term);
        inside.set(term, left);
      }
    yield { from, to, weight };
  }
}

function matchedWords(text: string, terms: Pick<ReadonlySet<string>, 'has'>): Match[] {
  const known = new Map<string, string[]>();
  const hits: Match[] = [];
  for (const match of text.matchAll(/\S+/g)) {
    const word = match[0].slice(0, 200);
    let found = known.get(word);
    if (!found) {
      found = [...termsOf(word).keys()].filter((term) => terms.has(term));
      known.set(word, found);
    }
    if (found.length > 0)
      hits.push({ start: match.index, end: match.index + match[0].length, terms: found });
  }
  return hits;
}

/** At least a small weight: a term without an entry may be in a note. */
function weightOf(weights: TermWeights, term: string): number {
  return Math.max(0.1, weights.get(term) ?? 0);
}

/**
 * At most `chars` characters around a match, or the opening without one. Cuts between words, marks
 * omissions with an ellipsis, and replaces line breaks by spaces.
 */
export function passageAround(text: string, match: Range | null, chars: number): string {
  const room = chars - 2;
  if (text.length <= room) return oneLine(text);
  const [from, to] = match ?? [0, room];
  const centre = (from + Math.min(to, from + room)) / 2;
  let start = Math.max(0, Math.min(Math.floor(centre - room / 2), text.length - room));
  let end = Math.min(text.length, start + room);
  if (start > 0) start = nextSpace(text, start, from);
  if (end < text.length) end = lastSpace(text, end, Math.min(end, match?.[1] ?? start + 1));
  // Do not cut a surrogate pair.
  if (isTrailing(text, start)) start++;
  if (isTrailing(text, end)) end--;
  return `${start > 0 ? '…' : ''}${oneLine(withWholeCode(text, start, end))}${end < text.length ? '…' : ''}`;
}

const FENCE = /^[ \t]*```.*$/gm;

/**
 * Turns a block of code into a span on one line. A sign marks the line ends: joined with blanks,
 * the code would run.
 */
function oneLine(text: string): string {
  const spans = text.replace(
    /^[ \t]*```[^\n`]*\n([^`]*?)\n?[ \t]*```[ \t]*$/gm,
    (_, code: string) =>
      code.trim() === ''
        ? ''
        : `\`${code
            .trim()
            .split(/\s*\n\s*/)
            .join(' ⏎ ')}\``,
  );
  return verbatim(spans);
}

/** Part of a text. Code that the cut divides is opened or closed at the cut. */
function withWholeCode(text: string, start: number, end: number): string {
  let part = text.slice(start, end);
  const inBlock = isOdd(text.slice(0, start), FENCE);
  if (inBlock) part = `\`\`\`\n${part}`;
  if (isOdd(part, FENCE)) return `${part}\n\`\`\``;
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (!inBlock && isOdd(line, /`/g)) part = `\`${part}`;
  return isOdd(part, /`/g) ? `${part}\`` : part;
}

function isOdd(text: string, sign: RegExp): boolean {
  return (text.match(sign) ?? []).length % 2 === 1;
}

function nextSpace(text: string, from: number, atMost: number): number {
  for (let i = from; i < atMost && i < from + 40; i++) if (/\s/.test(text[i]!)) return i + 1;
  return Math.min(from, atMost);
}

function lastSpace(text: string, from: number, atLeast: number): number {
  for (let i = from; i > atLeast && i > from - 40; i--) if (/\s/.test(text[i]!)) return i;
  return from;
}

function isTrailing(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
