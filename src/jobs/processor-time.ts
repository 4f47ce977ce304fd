import { setFlagsFromString } from 'node:v8';

/** Processor time of all threads of this process, in milliseconds. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Lets V8 collect garbage earlier, which also frees memory of DuckDB's client outside of the heap.
 */
export function collectSooner(): void {
  return setFlagsFromString('--heap-growing-percent=30');
}
