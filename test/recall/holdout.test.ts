/**
 * The trial: it says nothing too early, sees what is there, and takes chance between days for no
 * effect.
 */
import { expect, test } from 'vitest';
import { compareSides, type TrialSession } from '../../src/recall/replay/holdout.js';

const dayOf = (n: number): string => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
const isWithout = (day: string): boolean => Number(day.slice(8)) % 4 === 0;
/** Three sessions a day. */
const made = (days: number, failed: (day: number, session: number) => number): TrialSession[] =>
  Array.from({ length: days * 3 }, (_, n) => ({
    ...{ day: dayOf(Math.floor(n / 3)), failed: failed(Math.floor(n / 3), n % 3) },
    ...{ repeated: 0, corrections: 0, tokens: 1000 + (n % 7), turns: 2 },
  }));

test('before thirty sessions and eight days on each side it only counts', () => {
  const early = compareSides(
    made(40, () => 1),
    isWithout,
  );
  expect(early).toEqual({
    withMemory: { sessions: 93, days: 31 },
    without: { sessions: 27, days: 9 },
    measures: null,
  });
  // Forty sessions of five drawn days tell less than their number says.
  const crowded = made(20, () => 1).flatMap((each) => [each, each, each]);
  expect(compareSides(crowded, isWithout)).toMatchObject({
    without: { sessions: 45, days: 5 },
    measures: null,
  });
  expect(
    compareSides(
      made(60, () => 1),
      isWithout,
    ).measures,
  ).toHaveLength(5);
});

test('what memory saves is seen with its interval, the same for the same sessions in any order', () => {
  const sessions = made(120, (day, n) => (isWithout(dayOf(day)) ? 4 : 2) + ((day + n) % 3));
  const [failed, , , , turns] = compareSides(sessions, isWithout).measures!;
  expect(failed!.saved.value).toBeCloseTo(2, 1);
  expect([failed!.isSeen, failed!.saved.low > 1.5, failed!.saved.high < 2.5]).toEqual([
    true,
    true,
    true,
  ]);
  expect(turns).toMatchObject({ isSeen: false, saved: { value: 0, low: 0, high: 0 } });
  expect(compareSides([...sessions].reverse(), isWithout)).toEqual(
    compareSides(sessions, isWithout),
  );
});

test('a bad day is one draw, not as many as it had sessions: no effect is seen', () => {
  const sessions = made(60, (day) => (day === 3 ? 40 : 2));
  const [failed] = compareSides(sessions, isWithout).measures!;
  expect(failed!.without.value).toBeGreaterThan(4);
  expect(failed!.isSeen).toBe(false);
});
