/**
 * The threads of the tests of one worker: each takes a quarter of a second of processor time to
 * start, most tests far less.
 */
import type { Worker } from 'node:worker_threads';
import { createComputePool, type ComputePool } from '../src/jobs/learning/compute-pool.js';
import { ownThreads, type ReaderThreads } from '../src/jobs/reading/reader.js';

/** Longer than the program's own: a test that waits should not cost the next one a start. */
const IDLE_MS = 60_000;
/** Threads that wait for the next home; two homes read at once in some tests. */
const KEPT = 2;

const waiting: Worker[] = [];

const readerThreads: ReaderThreads = {
  start(limits) {
    const worker = waiting.pop();
    if (worker !== undefined) return worker;
    const made = ownThreads.start(limits);
    made.on('exit', () => {
      const at = waiting.indexOf(made);
      if (at >= 0) waiting.splice(at, 1);
    });
    return made;
  },
  async end(worker, isSound) {
    if (!isSound || waiting.length >= KEPT) return ownThreads.end(worker, isSound);
    worker.unref();
    waiting.push(worker);
  },
};

/** What every home of a test takes instead of threads of its own. */
export const threads: { compute: ComputePool; readerThreads: ReaderThreads } = {
  compute: createComputePool(IDLE_MS),
  readerThreads,
};
