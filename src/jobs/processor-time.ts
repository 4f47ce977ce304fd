import { setFlagsFromString } from 'node:v8';

/** Processor time that this process has used, in milliseconds, all its threads together. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Lets the old generation of every thread grow by a third instead of up to fourfold before it is
 * collected. What DuckDB's client keeps outside of the heap (results, chunks) goes with it, so that
 * the difference is more than the heap's. V8 reads this flag at each collection; a smaller young
 * generation of the main thread can only be had at start.
 */
export function collectSooner(): void {
  return setFlagsFromString('--heap-growing-percent=30');
}
