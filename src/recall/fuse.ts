/** Words and meaning in one ranking: normalised scores, so that what words find is not lost (equal-weight reciprocal ranks lose it). */

export interface Ranked {
  id: string;
  score: number;
}

/** Share that meaning has when the best entry holds every word of the query, and when it holds none. */
const LEAST_MEANING = 0.1;
const MOST_MEANING = 0.6;

/**
 * How much meaning counts. A query whose words stand together in one entry was typed to find that entry; one whose words
 * are scattered is a paraphrase.
 * @param coverage share of the query's weight that the best entry by words holds, 0..1
 */
export const shareOfMeaning = (coverage: number): number =>
  MOST_MEANING - (MOST_MEANING - LEAST_MEANING) * Math.min(1, Math.max(0, coverage)) ** 2;

/** Scores as parts of the best one; cosines count from the weakest of the list, since unrelated texts have one too. */
const normalise = (ranked: readonly Ranked[], floor: number): Map<string, number> => {
  const top = Math.max(...ranked.map(({ score }) => score), floor);
  return new Map(ranked.map(({ id, score }) => [id, top > floor ? Math.max(0, (score - floor) / (top - floor)) : 1]));
};

/**
 * @param words best first, by BM25
 * @param meaning best first, by cosine
 * @param share weight of meaning, 0..1
 * @returns ids of both lists with a score of at most 1, best first; ties in the order of the lists, words first
 */
export const fuse = (words: readonly Ranked[], meaning: readonly Ranked[], share: number): Ranked[] => {
  const byWords = normalise(words, 0);
  const byMeaning = normalise(meaning, meaning.at(-1)?.score ?? 0);
  const ids = new Set([...byWords.keys(), ...byMeaning.keys()]);
  return [...ids]
    .map((id) => ({ id, score: (1 - share) * (byWords.get(id) ?? 0) + share * (byMeaning.get(id) ?? 0) }))
    .sort((a, b) => b.score - a.score);
};
