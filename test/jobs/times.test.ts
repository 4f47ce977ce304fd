/** When the daemon tries again. */
import { expect, test } from 'vitest';
import { retryDelayMs } from '../../src/jobs/run-job.js';

const MINUTE = 60_000;

test('each failure in a row doubles the wait, up to an hour; a store that somebody holds is asked for more often', () => {
  expect([1, 2, 3, 6, 7, 99].map((failures) => retryDelayMs(failures, false) / MINUTE)).toEqual([
    1, 2, 4, 32, 60, 60,
  ]);
  expect([1, 2, 5, 6, 99].map((failures) => retryDelayMs(failures, true))).toEqual([
    1000, 2000, 16_000, 30_000, 30_000,
  ]);
});
