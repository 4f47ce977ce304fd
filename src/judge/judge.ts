/** How likely a sentence is worth keeping, and standing when a person typed it. */
import { conceptsOf } from './concepts.js';
import { featuresOf, type Features, type Said, tokensOf } from './features.js';
import { placeOfWord, type Head, type Weights } from './weights.js';

interface Judgement {
  /** Probability that a careful reader would keep it for later sessions. */
  worth: number;
  /** The same of what a person typed: that it holds beyond the session. 0 for an agent's words, whatever they ask for. */
  standing: number;
}

/**
 * The sum is the same to the last bit everywhere: the words' weights are whole numbers, the dense ones come in one order, and
 * the result is rounded to a millionth.
 */
function scoreOf(head: Head, { dense, words }: Features): number {
  let whole = 0;
  for (const word of words) whole += head.words[placeOfWord(word)]!;
  let score = head.bias + (head.scale * whole) / Math.sqrt(Math.max(1, words.length));
  dense.forEach(([, value], at) => {
    score += head.dense[at]! * value;
  });
  return score;
}

/**
 * Most that a score beyond the last step adds: enough to keep the order, since calibration says nothing about scores so high.
 */
const BEYOND = 0.05;

/** The probability at a score, off the line between the two steps beside it. */
export function calibrate(head: Pick<Head, 'scores' | 'probabilities'>, score: number): number {
  const above = head.scores.findIndex((step) => step > score);
  if (above === 0) return head.probabilities[0]!;
  if (above < 0) {
    const [last, over] = [head.probabilities.at(-1)!, score - head.scores.at(-1)!];
    return last + (Math.min(BEYOND, 1 - last) * over) / (1 + over);
  }
  const [low, high] = [head.scores[above - 1]!, head.scores[above]!];
  const share = (score - low) / (high - low);
  return head.probabilities[above - 1]! * (1 - share) + head.probabilities[above]! * share;
}

/** Judges one sentence by itself and what stood around it. */
export function judge(weights: Weights, said: Said): Judgement {
  const head = weights[said.role];
  const worth = Math.round(1e6 * calibrate(head, scoreOf(head, featuresOf(said)))) / 1e6;
  return { worth, standing: said.role === 'user' ? worth : 0 };
}

const LASTING = new Set(['always', 'never', 'from_now']);
/** Meanings with which a sentence opens that reports ("I never said that", "it always fails") or asks. */
const TELLING = new Set(['this', 'person', 'question']);
const LONGEST_RULE = 40;
/** A rule says it early; further on it belongs to a clause more often. Signs of scripts without spaces are tokens each. */
const EARLY = { words: 5, signs: 12 };
const SIGN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;

/**
 * Whether a sentence says itself that it holds on, in any language of the table: always, never or from now on near its start
 * (`early`) or further on (`late`), and neither as a report nor for now; else null.
 */
export function saysItLasts(text: string): 'early' | 'late' | null {
  const tokens = tokensOf(text);
  // "We never" is one phrase of the table, for how we work.
  const own = tokens[0] === 'we' ? tokens.slice(1) : tokens;
  const all = conceptsOf(own);
  const denied = own.some((token, at) => token === 'not' && own[at + 1] === 'always');
  if (denied || own.length > LONGEST_RULE || TELLING.has(all[0]!) || all.includes('now') || !all.some((one) => LASTING.has(one)))
    return null;
  const early = conceptsOf(own.slice(0, own.some((token) => SIGN.test(token)) ? EARLY.signs : EARLY.words));
  return early.some((one) => LASTING.has(one)) ? 'early' : 'late';
}

/** One reason for or against: what was seen, and how much it moved the score, on the scale of the grades 0 to 3. */
export interface Reason {
  what: string;
  weight: number;
}

function sayWord(word: string): string {
  return word.startsWith('means ')
    ? `a word for: ${word.slice(6).replace('^ ', '').replaceAll('_', ' ')}`
    : `"${word.slice(2).replace('^ ', '').replace(' $', '')}"`;
}

const MOST_REASONS = 6;

/** What carried a judgement, strongest first. */
export function explain(weights: Weights, said: Said): Reason[] {
  const head = weights[said.role];
  const { dense, words } = featuresOf(said);
  const norm = head.scale / Math.sqrt(Math.max(1, words.length));
  const reasons = [
    ...dense.map(([what, value], at) => ({ what, weight: head.dense[at]! * value })),
    ...words.map((word) => ({ what: sayWord(word), weight: norm * head.words[placeOfWord(word)]! })),
  ];
  const round = (weight: number): number => Math.round(weight * 1e3) / 1e3;
  return reasons
    .map(({ what, weight }) => ({ what, weight: round(weight) }))
    .filter(({ weight }) => weight !== 0)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || (a.what < b.what ? -1 : 1))
    .slice(0, MOST_REASONS);
}
