/** Turns ranked candidates into answers: the matching passage and the prompt before it. */
import {
  fillPlaces,
  passagesOf,
  textsOf,
  typedBefore,
  type Db,
  type EntryHit,
  type RankedHit,
} from '../store/index.js';
import type { Hit, Mode } from '../types.js';
import { matchesIn, nearestMatch, passageAround, type Range, type TermWeights } from './passage.js';
import { overlap, wordsIn } from '../text/words.js';
import { verbatim } from '../text/verbatim.js';

const PASSAGE_CHARS = 400;
/** The first hits have longer texts, so that fewer commands are needed. */
const FIRST = 3;
const FIRST_CHARS = 600;
const WHOLE_CHARS = 2000;
const QUESTION_CHARS = 80;

/** A ranked entry whose other fields are read when it is shown, or a hit with its whole text. */
export type Candidate = RankedHit | Hit;

function isEntry(candidate: Candidate): candidate is RankedHit {
  return 'n' in candidate;
}

function hitOf({ time, ...entry }: RankedHit & EntryHit): Hit {
  const { id, score, text, agent, session, project, role, origin, tool, path, line } = entry;
  return {
    ...{ type: 'entry', id, score, passage: '', text, matches: [], question: null, similar: [] },
    ...{ agent, session, project, at: time, role, origin, tool, status: null, path, line },
    citation:
      `${path}:${line}${time ? ` · ${time.slice(0, 16).replace('T', ' ')}` : ''} · ${agent} ` +
      `${session.slice(0, 8)}`,
  };
}

interface Answering {
  mode: Mode;
  query: string;
  weights: TermWeights;
  limit: number;
}

/** A hit before its text is cut. */
interface Cut {
  hit: Hit;
  /** The passage. */
  said: Worded;
  match: Range | null;
  /** The prompt before an entry. */
  question: string | undefined;
}

/**
 * @param candidates best first
 * @returns at most `limit`; call it in the transaction that found them
 */
export async function answersOf(
  db: Db,
  candidates: readonly Candidate[],
  asked: Answering,
): Promise<Hit[]> {
  const kept: Cut[] = [];
  for (let at = 0; at < candidates.length && kept.length < asked.limit; at += asked.limit) {
    const next = await cutOut(db, candidates.slice(at, at + asked.limit), asked);
    // An exact search asks for places, so each is shown.
    if (asked.mode === 'exact') kept.push(...next);
    else foldInto(kept, next, asked.limit);
  }
  return kept.slice(0, asked.limit).map(({ hit, match, question }, place) => {
    const passage = place < FIRST ? passageAround(hit.text, match, FIRST_CHARS) : hit.passage;
    return {
      ...hit,
      passage,
      text: passageAround(hit.text, match, WHOLE_CHARS),
      matches: marksIn(passage, asked),
      question:
        question === undefined ? null : passageAround(question.trim(), null, QUESTION_CHARS),
    };
  });
}

async function cutOut(db: Db, candidates: readonly Candidate[], asked: Answering): Promise<Cut[]> {
  const entries = candidates.filter(isEntry);
  const typed = await typedBefore(
    db,
    entries.map(({ n }) => n),
  );
  const unread = entries.filter(({ text }) => text === '');
  const texts = await textsOf(db, [...unread, ...typed.values()]);
  const filled = entries.map((hit) => ({ ...hit, text: texts.get(hit.n) ?? hit.text }));
  const placed = new Map((await fillPlaces(db, filled)).map((entry) => [entry.n, entry]));
  const parts = await passagesOf(db, entries);
  const cut = (hit: Hit, part?: string, question?: string): Cut => {
    const text = asked.mode === 'exact' ? hit.text : unfolded(hit.text);
    const match = nearestMatch(
      text,
      asked.mode === 'exact' ? asked.query : part,
      asked.weights,
      PASSAGE_CHARS,
    );
    const passage = passageAround(text, match, PASSAGE_CHARS);
    return { hit: { ...hit, text, passage }, said: worded(passage), match, question };
  };
  return candidates.flatMap((each) => {
    if (!isEntry(each)) return [cut(each)];
    const entry = placed.get(each.n);
    if (entry === undefined) return [];
    const before = typed.get(each.n);
    return [cut(hitOf(entry), parts.get(each.n), before && texts.get(before.n))];
  });
}

/** Shows line breaks, tabs and quotes in a tool's JSON arguments unescaped; other texts stay. */
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

/** Adds hits up to the limit. A hit with nearly the text of a better one only raises its count. */
function foldInto(kept: Cut[], next: readonly Cut[], limit: number): void {
  for (const cut of next) {
    const { type, id, path, line } = cut.hit;
    const same = kept.find(
      ({ hit, said }) => hit.type === type && said.text !== '' && saysTheSame(said, cut.said),
    );
    if (same !== undefined)
      same.hit = { ...same.hit, similar: [...same.hit.similar, { id, path, line }] };
    else if (kept.length < limit) kept.push(cut);
  }
}

const ALIKE = 0.9;

/** A text with its words, to compare it with many others. */
export interface Worded {
  text: string;
  words: ReadonlySet<string>;
}

export function worded(text: string): Worded {
  return { text, words: new Set(wordsIn(text)) };
}

/**
 * Whether two texts share nine in ten of all words, and every word with a digit: port 8080 is not
 * port 8081. Pure.
 */
export function saysTheSame(a: Worded, b: Worded): boolean {
  if (a.text === b.text) return true;
  if (overlap(a.words, b.words) < ALIKE) return false;
  const differing = [...a.words, ...b.words].filter(
    (word) => !(a.words.has(word) && b.words.has(word)),
  );
  return !differing.some((word) => /\p{N}/u.test(word));
}
