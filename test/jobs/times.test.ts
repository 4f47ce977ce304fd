/**
 * When the daemon tries again and when it looks for lessons: decisions over times that the test
 * gives.
 */
import { expect, test } from 'vitest';
import { retryDelayMs } from '../../src/jobs/run-job.js';
import { createLearningTimes } from '../../src/jobs/daemon-work.js';

const MINUTE = 60_000;

test('each failure in a row doubles the wait, up to an hour; a store that somebody holds is asked for more often', () => {
  expect([1, 2, 3, 6, 7, 99].map((failures) => retryDelayMs(failures, false) / MINUTE)).toEqual([
    1, 2, 4, 32, 60, 60,
  ]);
  expect([1, 2, 5, 6, 99].map((failures) => retryDelayMs(failures, true))).toEqual([
    1000, 2000, 16_000, 30_000, 30_000,
  ]);
});

test('what is read of other logs meanwhile does not put off the session that was silent longest', () => {
  const learning = createLearningTimes(10 * MINUTE);
  for (let now = 0; now < 10; now++) learning.waitFor(0, now * MINUTE);
  expect([9 * MINUTE, 10 * MINUTE].map((now) => learning.takeDue(now))).toEqual([false, true]);
});
