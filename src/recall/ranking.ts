/**
 * Joins the rankings by words and by meaning. Constants are fitted with one project left out
 * (docs/search.md). Pure.
 */

interface RankedHit {
  id: string;
  score: number;
}

/**
 * The weight of meaning. If one passage has all words of the query, words count more; if they are
 * scattered, the query is a paraphrase. Words of a question match by chance more often.
 * @param coverage share of the query's weight that the best passage by words has, 0..1
 * @param question how much the query is a sentence, 0..1
 */
export function shareOfMeaning(coverage: number, question: number): number {
  return (
    question * between(0.9, 0.6, (coverage - 0.3) / 0.4) +
    (1 - question) * between(0.6, 0.1, (coverage - 0.2) / 0.3)
  );
}

/** From the share of function words: 0 in names, 0.1 in titles, 0.3 in sentences. */
export function questionLikeness(functionWords: number): number {
  return between(0, 1, (functionWords - 0.1) / 0.2);
}

function between(from: number, to: number, part: number): number {
  return from + (to - from) * Math.min(1, Math.max(0, part));
}

/**
 * Scales scores to the best one. A cosine counts from the weakest: unrelated texts have one, too.
 */
function normalise(ranked: readonly RankedHit[], weakest: number): Map<string, number> {
  const top = Math.max(...ranked.map(({ score }) => score), weakest);
  return new Map(
    ranked.map(({ id, score }) => [
      id,
      top > weakest ? Math.max(0, (score - weakest) / (top - weakest)) : 1,
    ]),
  );
}

/** Weight of the comparison by tokens; the rest is for the cosine of the window. */
const TOKENS = 0.7;

/**
 * Joins the cosine with the token comparison of the best entries, each scaled to the range of the
 * list. An entry without known tokens (null) keeps its place by cosine.
 * @param meaning best first, by cosine
 * @param tokens likeness of the best window of each compared entry
 * @returns best first, scores 0..1
 */
export function refine(
  meaning: readonly RankedHit[],
  tokens: ReadonlyMap<string, number | null>,
): RankedHit[] {
  const byMeaning = normalise(meaning, meaning.at(-1)?.score ?? 0);
  const known = [...tokens.values()].filter((value) => value !== null);
  if (known.length === 0) return [...meaning];
  const [most, least] = [Math.max(...known), Math.min(...known)];
  return meaning
    .map(({ id }) => {
      const near = byMeaning.get(id)!;
      const own = tokens.get(id);
      const part =
        own === undefined
          ? 0
          : own === null
            ? near
            : most > least
              ? (own - least) / (most - least)
              : 1;
      return { id, score: (1 - TOKENS) * near + TOKENS * part };
    })
    .sort((a, b) => b.score - a.score);
}

/**
 * Joins normalised scores; reciprocal ranks with equal weights would lose matches by words.
 * @param words best first, by BM25
 * @param meaning best first, by cosine
 * @param share weight of meaning, 0..1
 * @returns ids of both lists with a score of at most 1, best first; ties in the order of the lists,
 * words first
 */
export function fuse(
  words: readonly RankedHit[],
  meaning: readonly RankedHit[],
  share: number,
): RankedHit[] {
  const byWords = normalise(words, 0);
  const byMeaning = normalise(meaning, meaning.at(-1)?.score ?? 0);
  const ids = new Set([...byWords.keys(), ...byMeaning.keys()]);
  return [...ids]
    .map((id) => ({
      id,
      score: (1 - share) * (byWords.get(id) ?? 0) + share * (byMeaning.get(id) ?? 0),
    }))
    .sort((a, b) => b.score - a.score);
}
