/** Runs work when all that was asked before it has ended. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

/** One at a time, in the order of asking; work that fails does not stop what waits. */
export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    // Of what it gave nothing is kept: the next one would keep the answers of all before it.
    last = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  };
}
