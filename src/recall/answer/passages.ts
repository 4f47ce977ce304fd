/** Finds passages of people and agents that are near a question, each once. */
import { neutralise } from '../../context/index.js';
import {
  fillHits,
  passagesOf,
  termsFound,
  type Db,
  type EntryHit,
  type RankedHit,
} from '../../store/index.js';
import { functionWordShare, hashTerm, normaliseQuery, termsOf } from '../../terms/index.js';
import { saysTheSame, worded, type Worded } from '../answers.js';
import { overlap } from '../../text/words.js';
import { addMeaning, findByWords } from '../entry-hits.js';
import { nearestMatch, passageAround, weightTogether, type TermWeights } from '../passage.js';
import type { QueryVector } from '../query-vector.js';

export interface Passage extends EntryHit, Pick<RankedHit, 'n' | 'score'> {
  /** The shown part of the entry's text. */
  passage: string;
  said: Worded;
}

export interface Spoken {
  /** Best first. */
  passages: Passage[];
  /** Weight of each word of the question; 0: no entry has it. */
  weights: TermWeights;
  /** The share of the question's weight that one passage has, 0..1. */
  covered: number;
  /** Words of the question that no entry has, as typed, and their share of its weight. */
  unknown: { words: string[]; share: number };
  /** Whether an entry has any word of the question about its subject. */
  isKnown: boolean;
}

/** Most words without a candidate that are looked up in the whole project. */
const LOOKED_UP = 3;
/** Candidates from which passages are chosen. */
const READ = 40;
/** Texts of an agent during its work rank below its conclusions. */
const NARRATION = 0.85;
const ANNOUNCEMENT = 0.6;
/** Least number of words in a passage that are not in the question. */
const NEW_TERMS = 3;
const IS_NARRATION =
  /^(?:(?:ok(?:ay)?|now|next|good|great|perfect|alright)[,.!:]?\s+)?(?:I(?:['’]ll| will|['’]m (?:going to|now|about to)| am (?:going to|now))|let me|let['’]s|still waiting|waiting for)\b/i;

/** @param filter projects of the entries */
export async function spokenAbout(
  db: Db,
  query: string,
  vector: QueryVector | null,
  { projects, vectors }: { projects: string[] | null; vectors: string },
  chars: number,
): Promise<Spoken> {
  const reach = projects === null ? {} : { projects };
  const asked = {
    mode: vector === null ? ('keyword' as const) : ('hybrid' as const),
    query,
    terms: normaliseQuery(query),
    limit: READ,
    filter: {
      ...reach,
      roles: ['assistant' as const, 'user' as const],
      origins: ['agent' as const, 'user' as const],
    },
    vectors,
  };
  const words = await findByWords(db, asked);
  const found = vector === null ? words.found : await addMeaning(db, words, vector, asked);
  const best = await fillHits(db, found.slice(0, READ));
  const parts = await passagesOf(db, best);
  const passages: Passage[] = [];
  const asks = new Set(asked.terms);
  for (const hit of best
    .map((each) => ({ ...each, score: each.score * worthOf(each) }))
    .sort((a, b) => b.score - a.score)) {
    const match = nearestMatch(hit.text, parts.get(hit.n), words.weights, chars);
    const passage = neutralise(passageAround(hit.text, match, chars));
    const said = worded(passage);
    if (passages.some((each) => isAgain(each.said, said))) continue;
    if ([...termsOf(passage).keys()].filter((term) => !asks.has(term)).length < NEW_TERMS) continue;
    passages.push({ ...hit, passage, said });
  }
  const all = weightsOfAll(words.weights);
  const seen = new Set(best.flatMap(({ text }) => [...termsOf(text).keys()]));
  const unseen = asked.terms
    .filter((term) => !seen.has(term))
    .sort((a, b) => all.get(b)! - all.get(a)!);
  const isUnseen = unseen.length === asked.terms.length;
  const lookedUp = unseen.slice(0, LOOKED_UP);
  const elsewhere = await termsFound(db, (isUnseen ? unseen : lookedUp).map(hashTerm), reach);
  const missing = new Set(lookedUp.filter((term) => !elsewhere.has(hashTerm(term))));
  return {
    passages,
    weights: words.weights,
    covered: Math.max(0, ...passages.slice(0, 8).map(({ text }) => weightTogether(text, all))),
    unknown: unknownOf(query, missing, all),
    isKnown: functionWordShare(query) < 1 && (!isUnseen || elsewhere.size > 0),
  };
}

function worthOf({ role, text }: Pick<EntryHit, 'role' | 'text'>): number {
  if (role !== 'assistant' || text.length >= 400) return 1;
  if (text.length < 160 && /\b(?:let me|I['’]ll now|now I)\b/i.test(text)) return ANNOUNCEMENT;
  return IS_NARRATION.test(text.trimStart()) ? NARRATION : 1;
}

/** Long passages that share this part of their words are versions of one document. */
const VERSION_SHARE = 0.6;
const VERSION_CHARS = 200;

export function isAgain(a: Worded, b: Worded): boolean {
  const isLong = Math.min(a.text.length, b.text.length) >= VERSION_CHARS;
  return saysTheSame(a, b) || (isLong && overlap(a.words, b.words) >= VERSION_SHARE);
}

/** A word that no entry has weighs as much as the rarest known word. */
function weightsOfAll(weights: TermWeights): TermWeights {
  const most = Math.max(1, ...weights.values());
  return new Map([...weights].map(([term, weight]) => [term, weight > 0 ? weight : most]));
}

function unknownOf(
  query: string,
  missing: ReadonlySet<string>,
  weights: TermWeights,
): Spoken['unknown'] {
  const words = (query.match(/[\p{L}\p{N}][\p{L}\p{N}_.-]*/gu) ?? []).filter((word) =>
    [...termsOf(word).keys()].some((term) => missing.has(term)),
  );
  const sum = (terms: Iterable<string>): number =>
    [...terms].reduce((total, term) => total + weights.get(term)!, 0);
  return { words: [...new Set(words)], share: sum(missing) / Math.max(1, sum(weights.keys())) };
}
