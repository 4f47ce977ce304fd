/** Ranked candidates as answers: the passage that matched, what it answered, each thing once. */
import {
  fillPlaces,
  fillTexts,
  passagesOf,
  typedBefore,
  type Db,
  type EntryHit,
} from '../store/index.js';
import type { Hit, Mode } from '../types.js';
import type { Found } from './entry-hits.js';
import { densestMatch, matchesIn, passageAround, type Range, type TermWeights } from './passage.js';
import { overlap, wordsIn } from '../text/words.js';
import { verbatim } from '../text/verbatim.js';

const PASSAGE_CHARS = 400;
/** The first ones are read; more of them answers more questions without another command. */
const FIRST = 3;
const FIRST_CHARS = 600;
const WHOLE_CHARS = 2000;
const QUESTION_CHARS = 80;

/** By what hits of every type are put in order. */
type Placed = Pick<Hit, 'type' | 'id' | 'score' | 'at'>;

/** A ranked hit: whole, or an entry in the database, of which the rest is read when it is shown. */
export type Candidate = { hit: Hit; found: null } | { hit: Placed; found: Found };

export function candidateOf(found: Found): Candidate {
  return {
    hit: { type: 'entry', id: found.id, score: roundScore(found.score), at: found.time ?? null },
    found,
  };
}

const SHORT_CHARS = 10;

function entryHit(hit: EntryHit): Hit {
  return {
    type: 'entry',
    id: hit.id,
    short: hit.id.slice(0, SHORT_CHARS),
    score: roundScore(hit.score),
    text: hit.text,
    whole: '',
    matches: [],
    question: null,
    similar: [],
    agent: hit.agent,
    session: hit.session,
    project: hit.project,
    at: hit.time,
    role: hit.role,
    origin: hit.origin,
    tool: hit.tool,
    status: null,
    path: hit.path,
    line: hit.line,
    citation:
      `${hit.path}:${hit.line}${hit.time ? ` · ${hit.time.slice(0, 16).replace('T', ' ')}` : ''} · ${hit.agent} ` +
      `${hit.session.slice(0, 8)}`,
  };
}

export function roundScore(score: number): number {
  return Math.round(score * 1e4) / 1e4;
}

interface Answering {
  mode: Mode;
  query: string;
  weights: TermWeights;
  limit: number;
}

/**
 * @param candidates best first. @returns at most `limit`; call it in the transaction that found
 * them
 */
export async function answersOf(
  db: Db,
  candidates: readonly Candidate[],
  asked: Answering,
): Promise<Hit[]> {
  const kept: Cut[] = [];
  for (let at = 0; at < candidates.length && kept.length < asked.limit; at += asked.limit) {
    const next = (await filled(db, candidates.slice(at, at + asked.limit))).map((candidate) =>
      cutOut(candidate, asked),
    );
    // An exact search asks for places: each is shown.
    if (asked.mode === 'exact') kept.push(...next);
    else foldInto(kept, next, asked.limit);
  }
  const best = kept.slice(0, asked.limit);
  const keyOf = ({ found }: Cut): number[] => (found?.key === undefined ? [] : [found.key.n]);
  const typed = await typedBefore(db, best.flatMap(keyOf));
  return best.map((cut, place) => {
    const text = place < FIRST ? passageAround(cut.whole, cut.match, FIRST_CHARS) : cut.hit.text;
    const [question] = keyOf(cut).flatMap((n) => typed.get(n) ?? []);
    return {
      ...cut.hit,
      text,
      whole: passageAround(cut.whole, cut.match, WHOLE_CHARS),
      matches: marksIn(text, asked),
      question: question === undefined ? null : firstChars(question),
    };
  });
}

/** A hit with its whole text. */
interface Whole {
  hit: Hit;
  found: Found | null;
  window: string | null;
}

interface Cut extends Omit<Whole, 'window'> {
  whole: string;
  match: Range | null;
}

async function filled(db: Db, candidates: readonly Candidate[]): Promise<Whole[]> {
  const entries = candidates.flatMap(({ found }) => found ?? []);
  const places = new Map(
    (await fillTexts(db, await fillPlaces(db, entries))).map((entry) => [entry.id, entry]),
  );
  const passages = await passagesOf(
    db,
    entries.flatMap(({ part }) => part ?? []),
  );
  return candidates.flatMap(({ hit, found }): Whole[] => {
    if (found === null) return [{ hit, found, window: null }];
    const entry = places.get(found.id);
    const window = found.part === null ? null : (passages.get(found.part) ?? null);
    return entry === undefined ? [] : [{ hit: entryHit(entry), found, window }];
  });
}

function cutOut({ hit, found, window }: Whole, { mode, query, weights }: Answering): Cut {
  const whole = mode === 'exact' ? hit.text : unfolded(hit.text);
  const near = window === null ? -1 : whole.indexOf(window);
  const at = mode === 'exact' ? whole.indexOf(query) : -1;
  const match: Range | null =
    at >= 0
      ? [at, at + query.length]
      : near >= 0
        ? [near, near + window!.length]
        : densestMatch(whole, weights, PASSAGE_CHARS - 2);
  return { hit: { ...hit, text: passageAround(whole, match, PASSAGE_CHARS) }, found, whole, match };
}

/**
 * The arguments of a tool as JSON: its line breaks, tabs and quotes as they were meant. Other texts
 * stay.
 */
function unfolded(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  return text.replace(/\\([\\nrt"])/g, (_, sign: string) => UNFOLDED[sign] ?? sign);
}
const UNFOLDED: Record<string, string> = { n: '\n', r: '\n', t: '\t' };

function marksIn(text: string, { mode, query, weights }: Answering): Range[] {
  if (mode !== 'exact') return matchesIn(text, weights);
  const literal = verbatim(query);
  const at = literal === '' ? -1 : text.indexOf(literal);
  return at < 0 ? [] : [[at, at + literal.length]];
}

/** The beginning of what was typed, on one line. */
function firstChars(text: string): string {
  return passageAround(text.trim(), null, QUESTION_CHARS);
}

/** Adds hits up to the limit; one that says nearly what a better one says is counted there. */
function foldInto(kept: Cut[], next: readonly Cut[], limit: number): void {
  for (const cut of next) {
    const same = kept.find((other) => isAlike(other, cut));
    if (same === undefined) {
      if (kept.length < limit) kept.push(cut);
      continue;
    }
    const { id, path, line } = cut.hit;
    same.hit = { ...same.hit, similar: [...same.hit.similar, { id, path, line }] };
  }
}

const ALIKE = 0.9;

function isAlike(a: Cut, b: Cut): boolean {
  return a.hit.type === b.hit.type && a.hit.text !== '' && saysTheSame(a.hit.text, b.hit.text);
}

/**
 * Nine in ten of all words are common, and every word with a digit: port 8080 is not port 8081.
 * Pure.
 */
export function saysTheSame(a: string, b: string): boolean {
  if (a === b) return true;
  if (commonShare(a, b) < ALIKE) return false;
  const [first, second] = [wordsOf(a), wordsOf(b)];
  const differing = [...first, ...second].filter((word) => !(first.has(word) && second.has(word)));
  return !differing.some((word) => /\p{N}/u.test(word));
}

/** Share of the words of two texts that both have, 0..1. Pure. */
export function commonShare(a: string, b: string): number {
  return overlap(wordsOf(a), wordsOf(b));
}

function wordsOf(text: string): Set<string> {
  return new Set(wordsIn(text));
}
