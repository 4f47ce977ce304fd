/** When memory speaks at a moment, and when it is silent. */
import { expect, test } from 'vitest';
import { ANYWHERE, THRESHOLDS, costOf } from '../../src/recall/moments/at-moment.js';
import { decide, type Fitting, type RecallItem } from '../../src/recall/moments/moment.js';

const NOTHING = { given: new Set<string>(), page: '' };

function entry(id: string, score: number, text = `what ${id} said`): Fitting {
  return { kind: 'entry', id, text, score, day: '2026-11-18', agent: 'codex', session: 's1', path: '/log', line: 3 };
}

function told(ranked: Fitting[], seen: number, heard = NOTHING, exact: RecallItem[] = []): string[] {
  return decide({ exact, ranked, seen }, THRESHOLDS.failure, heard, costOf).map(({ id }) => id);
}

test('a failure that an earlier entry printed is answered, the same words without it are not', () => {
  const said = [entry('a', 2.1), entry('b', 1.4)];
  expect(told(said, 0.9)).toEqual(['a', 'b']);
  expect(told(said, 0.3)).toEqual([]);
});

test('of no project, only an error that was printed before is answered, however many of its words somebody said', () => {
  const anywhere = (seen: number): string[] =>
    decide({ exact: [], ranked: [entry('a', 3.2)], seen }, ANYWHERE, NOTHING, costOf).map(({ id }) => id);
  expect([anywhere(0.85), anywhere(1.1)]).toEqual([[], ['a']]);
});

test('what was seen before alone says nothing: there must be something to tell', () => {
  expect(told([], 1.5)).toEqual([]);
});

test('what rows prove needs no threshold; each item is told once, and not what the page holds', () => {
  const exact = [entry('cure', 0)];
  expect(told([], 0, NOTHING, exact)).toEqual(['cure']);
  expect(told([], 0, { given: new Set(['cure']), page: '' }, exact)).toEqual([]);
  expect(told([], 0, { given: new Set(), page: '- what cure said' }, exact)).toEqual([]);
});

test('at most three items and 200 tokens', () => {
  const short = ['a', 'b', 'c', 'd'].map((id) => entry(id, 9));
  expect(told(short, 1)).toEqual(['a', 'b', 'c']);
  const long = ['a', 'b', 'c'].map((id) => entry(id, 9, `${id} ${'kettle glaze broker '.repeat(25)}`));
  expect(told(long, 1).length).toBeLessThan(3);
});
