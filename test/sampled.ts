/**
 * Pairs of two lists: all of them with `DRIPSTONE_TEST_FULL=1` (`make check`), else each member of
 * both lists once, and some more pairs that a fixed seed picks.
 */
export function sampled<A, B>(rows: readonly A[], columns: readonly B[], more = 0.05): [A, B][] {
  const all = rows.flatMap((row, i) =>
    columns.map((column, j): { pair: [A, B]; i: number; j: number } => ({
      pair: [row, column],
      i,
      j,
    })),
  );
  if (process.env['DRIPSTONE_TEST_FULL'] === '1') return all.map(({ pair }) => pair);
  return all
    .filter(({ i, j }) => {
      const isOnce =
        rows.length >= columns.length ? j === i % columns.length : i === j % rows.length;
      return isOnce || ((i * 7919 + j * 104_729) % 1000) / 1000 < more;
    })
    .map(({ pair }) => pair);
}
