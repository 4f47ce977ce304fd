/**
 * The thread of the tests of one worker: it takes a quarter of a second of processor time to start,
 * most tests far less.
 */
import { createComputePool } from '../src/jobs/compute-pool.js';

/** What every home of a test takes instead of a thread of its own. It waits longer for the next. */
export const threads = { compute: createComputePool({ idleMs: 60_000 }) };
