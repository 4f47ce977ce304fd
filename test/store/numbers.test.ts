/**
 * Conditions on running numbers: they hold for the numbers that were asked for and no others,
 * however these lie.
 */
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAmong } from '../../src/store/search/numbers.js';

const runs = fc.array(fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 1, max: 90 })), {
  minLength: 1,
  maxLength: 60,
});

test('ranges and lists find the same rows', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await fc.assert(
    fc.asyncProperty(runs, async (some) => {
      const wanted = [
        ...new Set(some.flatMap(([from, length]) => Array.from({ length }, (_, i) => from + i))),
      ];
      const found = await connection.runAndReadAll(
        `SELECT n FROM range(1000) t(n) WHERE ${isAmong('n', wanted)} ORDER BY n`,
      );
      expect(found.getRows().map(([n]) => Number(n))).toEqual(wanted.sort((a, b) => a - b));
    }),
    { numRuns: 40, seed: 7 },
  );
  connection.closeSync();
  instance.closeSync();
});

test('neighbours are one range; scattered numbers are a list', () => {
  expect(isAmong('n', [3, 2, 1])).toBe('n BETWEEN 1 AND 3');
  expect(isAmong('e.n', [1, 2, 3, 4, 5, 7, 8, 9])).toBe(
    'e.n BETWEEN 1 AND 9 AND (e.n BETWEEN 1 AND 5 OR e.n BETWEEN 7 AND 9)',
  );
  expect(isAmong('n', [9, 1, 5])).toBe('n BETWEEN 1 AND 9 AND (n IN (9, 1, 5))');
});
