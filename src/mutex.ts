/** Runs work after all earlier work has ended. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs one work at a time, in order; a failure does not stop later work. */
export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    // Results are dropped; else the chain would keep all of them in memory.
    last = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  };
}
