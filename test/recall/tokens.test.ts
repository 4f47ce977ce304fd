import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signsOf } from '../../src/embed/model.js';
import { refine } from '../../src/recall/ranking.js';
import { askTokens, likeness, weighPieces } from '../../src/recall/tokens.js';

const SIZE = 16;
const state = fc.array(fc.float({ min: -2, max: 2, noNaN: true }), {
  minLength: SIZE,
  maxLength: SIZE,
});
const states = (tokens: number[][]) => Float32Array.from(tokens.flat());

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  const norm =
    Math.sqrt(a.reduce((sum, x) => sum + x * x, 0)) *
    Math.sqrt(b.reduce((sum, x) => sum + x * x, 0));
  return norm === 0 ? 0 : dot / norm;
}

test('the tables give the cosine of a state with signs: the mean of the best, by weight', () => {
  fc.assert(
    fc.property(
      fc.array(state, { minLength: 1, maxLength: 3 }),
      fc.array(state, { minLength: 1, maxLength: 5 }),
      (asked, window) => {
        const pieces = asked.map((_, i) => `piece${i}`);
        const reading = { vector: new Float32Array(SIZE), pieces, states: states(asked) };
        const weights = new Map(pieces.map((piece, i) => [piece, i + 1]));
        const signs = window.map((token) => token.map((x) => (Math.fround(x) > 0 ? 1 : -1)));
        const best = asked.map((one) =>
          Math.max(...signs.map((token) => cosine(one.map(Math.fround), token))),
        );
        const own = weighPieces(pieces, weights);
        const expected =
          best.reduce((sum, x, i) => sum + own[i]! * x, 0) / own.reduce((sum, x) => sum + x, 0);
        expect(likeness(askTokens(reading, weights), signsOf(states(window)))).toBeCloseTo(
          expected,
          4,
        );
      },
    ),
  );
});

test('tokens move what was looked at; what has none kept keeps its place by cosine', () => {
  const meaning = [
    { id: 'a', score: 0.9 },
    { id: 'b', score: 0.8 },
    { id: 'c', score: 0.7 },
    { id: 'd', score: 0.1 },
  ];
  const order = (tokens: [string, number | null][]) =>
    refine(meaning, new Map(tokens)).map(({ id }) => id);
  expect(order([])).toEqual(['a', 'b', 'c', 'd']);
  expect(order([['a', null]])).toEqual(['a', 'b', 'c', 'd']);
  expect(
    order([
      ['a', 0.1],
      ['b', 0.5],
      ['c', 0.3],
    ]),
  ).toEqual(['b', 'c', 'a', 'd']);
  expect(
    order([
      ['a', null],
      ['b', 0.2],
      ['c', 0.5],
    ]),
  ).toEqual(['a', 'c', 'b', 'd']);
});
