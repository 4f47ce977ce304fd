/** Ids short enough for a line of context.md. */

const SHORTEST = 3;

const sharedPrefix = (a: string, b: string): number => {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
};

/** Shortest prefix of at least three characters that no other id shares, per id. */
export function shortIds(ids: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, i) => {
      const near = Math.max(sharedPrefix(id, sorted[i - 1] ?? ''), sharedPrefix(id, sorted[i + 1] ?? ''));
      return [id, id.slice(0, Math.max(SHORTEST, near + 1))];
    }),
  );
}
