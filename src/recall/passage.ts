/** The part of a text that answers a query best: characters around the densest match. */
import { termsOf } from '../terms/index.js';
import { verbatim } from '../text/verbatim.js';

/** Matches this close count as together. */
const TOGETHER_CHARS = 300;
/** Texts are looked at up to here; a match further down gives the opening instead. */
const LOOK_CHARS = 400_000;

/** Start and end in a text. */
export type Range = [start: number, end: number];

interface Match {
  start: number;
  end: number;
  terms: string[];
}

/** Weight of each term of a query; a rare one says more about what was meant. */
export type TermWeights = ReadonlyMap<string, number>;

/**
 * The stretch of at most `room` characters that has most of the query's weight, then the most
 * matches, then the earliest; null when nothing matches.
 */
export function densestMatch(text: string, weights: TermWeights, room: number): Range | null {
  const hits = matchedWords(text.slice(0, LOOK_CHARS), weights);
  let best: { range: Range; score: number } | null = null;
  for (const { from, to, weight } of stretches(hits, (term) => weightOf(weights, term), room)) {
    // A thousand matches of one word weigh less than another word of the query.
    const score = Math.round(weight * 1e6) + (to - from) / 1e3;
    if (!best || score > best.score) best = { range: [hits[from]!.start, hits[to]!.end], score };
  }
  return best?.range ?? null;
}

/** Where `part` is in a text, else its densest match for a passage of so many characters. */
export function nearestMatch(
  text: string,
  part: string | undefined,
  weights: TermWeights,
  chars: number,
): Range | null {
  const at = part === undefined ? -1 : text.indexOf(part);
  return at >= 0 ? [at, at + part!.length] : densestMatch(text, weights, chars - 2);
}

/** The places of words of the query, without the signs around them. */
export function matchesIn(text: string, weights: TermWeights): Range[] {
  return matchedWords(text, weights).map(({ start, end }) => {
    const word = text.slice(start, end);
    const before = /^[^\p{L}\p{N}]*/u.exec(word)![0].length;
    const after = /(?<![^\p{L}\p{N}])[^\p{L}\p{N}]*$/u.exec(word)![0].length;
    return before + after < word.length ? [start + before, end - after] : [start, end];
  });
}

/**
 * The largest share of the terms' weight in one passage, 0..1. Over a whole long text a paraphrase
 * looks like a query of its very words.
 * @param weights of the query's terms
 */
export function weightTogether(text: string, weights: TermWeights): number {
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return 0;
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
  /** Of its terms, each once. */
  weight: number;
}

/** For each match the longest stretch of at most so many characters that ends with it. */
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

/** Never nothing: a term that no posting has may be in a note. */
function weightOf(weights: TermWeights, term: string): number {
  return Math.max(0.1, weights.get(term) ?? 0);
}

/**
 * At most `chars` characters around a match, the opening without one. Cuts whole words; an ellipsis
 * marks what was left out, and line breaks become spaces.
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
  // Half of a surrogate pair is not a character.
  if (isTrailing(text, start)) start++;
  if (isTrailing(text, end)) end--;
  return `${start > 0 ? '…' : ''}${oneLine(withWholeCode(text, start, end))}${end < text.length ? '…' : ''}`;
}

const FENCE = /^[ \t]*```.*$/gm;

/** A block of code becomes a span on one line, its line ends a sign: joined with blanks it would run. */
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

/** Part of a text; a block or span of code that the cut goes through is opened or closed there. */
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
