import { expect, test } from 'vitest';
import { isNegated, overlap } from '../../src/text/words.js';

test.each([
  'Never push',
  "Don't push",
  'No pushes on Friday',
  'Push without tests and it can’t be merged',
])('"%s" denies', (text) => expect(isNegated(text)).toBe(true));

test('likeness is the share of common words', () => {
  const [a, b] = [new Set(['a', 'b', 'c']), new Set(['b', 'c', 'd'])];
  expect([overlap(a, b), overlap(a, a), overlap(a, new Set())]).toEqual([0.5, 1, 0]);
});
