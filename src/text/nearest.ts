/** Suggests a known word for an unknown one. Pure. */

/**
 * The known word with the fewest edits to `word`, the first of equal ones; null if none is similar.
 * For a dotted key its last part is also compared.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  const last = (key: string) => key.slice(key.lastIndexOf('.') + 1);
  const cost = (key: string) =>
    Math.min(
      editDistance(word, key),
      editDistance(last(word), last(key)) + (word.includes('.') ? 0.5 : 0.25),
    );
  const best = known.reduce(
    (least, key) => (cost(key) < cost(least) ? key : least),
    known[0] ?? '',
  );
  // A third of the letters may differ, two letters may be swapped, and the end may be missing.
  const isBegun = last(word).length >= 4 && last(best).startsWith(last(word));
  return isBegun ||
    cost(best) <= Math.max(last(word).length > 4 ? 2.25 : 1.5, last(word).length / 3)
    ? best
    : null;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(
        row[j]! + 1,
        next[j - 1]! + 1,
        row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    }
    row = next;
  }
  return row[b.length]!;
}
