/** One at a time, in the order of asking. */
export function createMutex(): <T>(fn: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (fn) => {
    const turn = last.then(fn, fn);
    last = turn.catch(() => undefined);
    return turn;
  };
}
