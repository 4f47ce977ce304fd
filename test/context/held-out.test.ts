/**
 * Held-out days: drawn by the home's key, as often as the option says, and never by what happens on
 * them.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isHeldOut } from '../../src/context/index.js';

const DAYS = Array.from({ length: 2000 }, (_, n) =>
  new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10),
);
const key = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
const heldOut = (of: string, share: number): string[] =>
  DAYS.filter((day) => isHeldOut(of, day, share));

test('the share of days is that of the option, within four standard errors; 0 holds out none', () =>
  fc.assert(
    fc.property(key, fc.double({ min: 0, max: 0.5, noNaN: true }), (of, share) => {
      const error = Math.sqrt((share * (1 - share)) / DAYS.length);
      expect(Math.abs(heldOut(of, share).length / DAYS.length - share)).toBeLessThanOrEqual(
        4 * error + 1 / DAYS.length,
      );
      expect(heldOut(of, 0)).toEqual([]);
    }),
    { seed: 7, numRuns: 25 },
  ));

test('a larger share holds out the same days and more; another key holds out others', () =>
  fc.assert(
    fc.property(key, key, (one, other) => {
      const [few, many] = [heldOut(one, 0.1), new Set(heldOut(one, 0.3))];
      expect(few.every((day) => many.has(day))).toBe(true);
      fc.pre(one !== other);
      expect(heldOut(other, 0.1)).not.toEqual(few);
    }),
    { seed: 7, numRuns: 10 },
  ));
