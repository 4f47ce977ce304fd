import { expect, test } from 'vitest';
import { killRounds } from './kill-rounds.js';
import { NOTHING } from './stored.js';

const ROUNDS = 4;

test(`kill -9 at random moments of run, ${ROUNDS} rounds (make crash: 200): nothing lost, nothing double, nothing torn, nothing left over`, async () => {
  const figures = await killRounds(ROUNDS, 20_261);
  expect(figures.difference).toEqual(NOTHING);
  expect(figures.tiers).toEqual(NOTHING);
  expect(figures.doubledMeanwhile).toEqual([]);
  expect(figures.torn).toEqual([]);
  expect(figures.temps).toEqual([]);
  expect(figures.messages).toBeGreaterThan(100);
  expect(figures.reads).toBeGreaterThan(ROUNDS);
});
