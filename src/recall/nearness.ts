/**
 * Whether what a search found is near what was asked, or only the least far of what there is. Pure.
 */
import type { Found } from './entry-hits.js';
import type { Hit, Mode } from '../types.js';
import { weightTogether, type TermWeights } from './passage.js';

interface Nearness {
  /** Share of the query's weight that stands together in the best passage, 0..1. */
  words: number;
  /** Cosine of the entry nearest in meaning; null when words alone decided. */
  meaning: number | null;
}

export function nearnessOf(
  hits: readonly Hit[],
  found: readonly Found[],
  mode: Mode,
  weights: TermWeights,
): Nearness {
  const known = Math.max(0, ...weights.values());
  // A word that no entry holds is the rarest of all.
  const all = new Map(
    [...weights].map(([term, weight]) => [term, weight > 0 ? weight : Math.max(known, 1)]),
  );
  const cosines = found.flatMap(({ cosine, score }) =>
    mode === 'semantic' ? score : (cosine ?? []),
  );
  const words =
    mode === 'exact' && hits.length > 0
      ? 1
      : Math.max(0, ...hits.map(({ text }) => weightTogether(text, all)));
  return { words, meaning: cosines.length === 0 ? null : Math.max(...cosines) };
}

/**
 * Measured on queries of six real projects, each also asked of the other five, none of which can
 * answer it: none of 79 queries by words is called weak in its own project, 29 of 40 that
 * paraphrase what was found are (their first hit is seldom right), and of 735 foreign ones 77 to 84
 * in 100. Nothing here tells a paraphrase from a foreign question: their cosines are 0.40 and 0.34
 * in the middle.
 */
const LEAST_WORDS = 0.55;
const LEAST_MEANING = 0.44;
/** By words alone: none of 79, and of foreign queries 86 to 90 in 100. */
const LEAST_WORDS_ALONE = 0.45;

/** Nothing that was found is near what was asked. */
export function isWeak({ words, meaning }: Nearness): boolean {
  return meaning === null
    ? words < LEAST_WORDS_ALONE
    : words < LEAST_WORDS && meaning < LEAST_MEANING;
}

/** How many weak hits are shown unless more are asked for. */
export const WEAK_SHOWN = 5;
