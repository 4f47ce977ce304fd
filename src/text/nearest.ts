/** What was meant by a word that is not known. Pure. */

/**
 * The known word with the fewest edits to `word`, null when none is like it; ties by order. A dotted key is also measured by its
 * last part.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  const last = (key: string) => key.slice(key.lastIndexOf('.') + 1);
  const cost = (key: string) =>
    Math.min(editDistance(word, key), editDistance(last(word), last(key)) + (word.includes('.') ? 0.5 : 0.25));
  const best = known.reduce((least, key) => (cost(key) < cost(least) ? key : least), known[0] ?? '');
  return cost(best) <= Math.max(2, last(word).length / 2) ? best : null;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
