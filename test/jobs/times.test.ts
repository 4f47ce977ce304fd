/**
 * When the daemon tries again and when it looks for lessons: decisions over times that the test
 * gives.
 */
import { expect, test } from 'vitest';
import { retryDelayMs } from '../../src/jobs/run-job.js';
import { createLearningTimes } from '../../src/jobs/learning/learning-times.js';

const MINUTE = 60_000;

test('each failure in a row doubles the wait, up to an hour; a store that somebody holds is asked for more often', () => {
  expect([1, 2, 3, 6, 7, 99].map((failures) => retryDelayMs(failures, false) / MINUTE)).toEqual([
    1, 2, 4, 32, 60, 60,
  ]);
  expect([1, 2, 5, 6, 99].map((failures) => retryDelayMs(failures, true))).toEqual([
    1000, 2000, 16_000, 30_000, 30_000,
  ]);
});

test('a session that is written to is looked at once, the idle time after its last entry, never sooner than a second', () => {
  const learning = createLearningTimes(10 * MINUTE);
  expect(learning.takeDue(99 * MINUTE)).toBe(false);
  learning.waitFor(0, 0);
  expect(learning.isWaiting()).toBe(true);
  expect([9 * MINUTE, 10 * MINUTE, 11 * MINUTE].map((now) => learning.takeDue(now))).toEqual([
    false,
    true,
    false,
  ]);
  learning.waitFor(0, 0);
  learning.waitFor(null, 0);
  expect(learning.isWaiting()).toBe(false);
  const hasty = createLearningTimes(0);
  hasty.waitFor(0, 0);
  expect([hasty.takeDue(999), hasty.takeDue(1000)]).toEqual([false, true]);
});

test('what is read of other logs meanwhile does not put off the session that was silent longest', () => {
  const learning = createLearningTimes(10 * MINUTE);
  for (let now = 0; now < 10; now++) learning.waitFor(0, now * MINUTE);
  expect([9 * MINUTE, 10 * MINUTE].map((now) => learning.takeDue(now))).toEqual([false, true]);
});

test('in a long history lessons are drawn once a minute, and once more when it is read', () => {
  const learning = createLearningTimes(10 * MINUTE);
  const slice = { done: 5, more: true };
  expect(learning.afterReading({ job: 'ingest' }, slice, 0)).toBe(true);
  learning.learnt(1000);
  expect(learning.afterReading({ job: 'ingest' }, slice, 2000)).toBe(false);
  // One log that was written to says nothing about the rest.
  expect(learning.afterReading({ job: 'ingest', paths: ['/log'] }, { done: 1 }, 3000)).toBe(false);
  expect(learning.afterReading({ job: 'ingest' }, slice, 1000 + MINUTE)).toBe(true);
  learning.learnt(2 + MINUTE);
  expect(learning.afterReading({ job: 'ingest' }, { done: 0 }, 3 + MINUTE)).toBe(true);
  expect(learning.afterReading({ job: 'ingest' }, { done: 0 }, 4 + MINUTE)).toBe(false);
  expect(learning.afterReading({ job: 'ingest' }, { done: 1 }, 5 + MINUTE)).toBe(true);
});
