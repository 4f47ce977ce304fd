import { expect, test } from 'vitest';
import { isNegated, keyOf, overlap } from '../../src/text/words.js';

test.each<[string, string]>([
  ['Never push to main on Fridays', 'friday main not push'],
  ['Use pnpm, not npm, in this repository', 'not npm pnpm repository use'],
  [
    'The policies of `src/a/policy.ts` are checked running 2 passes',
    '2 check pass policy run src/a/policy.ts',
  ],
  ['Commits sans message sont refusés', 'commit messag refusés san'],
  ['Не используй npm: только pnpm', 'npm pnpm используй только'],
  ['テストは必ず pnpm で実行', 'pnpm で実 は必 スト テス トは 実行 必ず'],
  ['不要使用 npm', 'npm 不要 使用 要使'],
  ['Zonder tests nooit pushen', 'nooit pushen test zonder'],
])('a lesson keeps its id through an upgrade: the key of "%s" stays', (text, key) =>
  expect(keyOf(text)).toBe(key),
);

test.each([
  'Never push',
  "Don't push",
  'Push ohne Tests',
  'Commits sans message',
  'Не пуши',
  'テストしないで',
  '금지',
  'nooit pushen',
])('"%s" denies', (text) => expect(isNegated(text)).toBe(true));

test('code denies nothing', () => expect(isNegated('Commit with `--no-verify`')).toBe(false));

test('likeness is the share of common words', () => {
  const [a, b] = [new Set(['a', 'b', 'c']), new Set(['b', 'c', 'd'])];
  expect([overlap(a, b), overlap(a, a), overlap(a, new Set())]).toEqual([0.5, 1, 0]);
});
