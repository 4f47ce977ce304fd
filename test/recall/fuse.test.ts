import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuse, shareOfMeaning } from '../../src/recall/entry-hits.js';

const ranked = fc
  .uniqueArray(fc.record({ id: fc.stringMatching(/^[a-f]{1,3}$/), score: fc.double({ min: 0.01, max: 30, noNaN: true }) }), {
    selector: (r) => r.id,
    maxLength: 30,
  })
  .map((list) => list.sort((a, b) => b.score - a.score));

test('the ranking holds every id of both lists once, with scores between 0 and 1, whatever their order', () => {
  fc.assert(
    fc.property(ranked, ranked, fc.double({ min: 0, max: 1, noNaN: true }), (words, meaning, share) => {
      const fused = fuse(words, meaning, share);
      expect(new Set(fused.map((r) => r.id))).toEqual(new Set([...words, ...meaning].map((r) => r.id)));
      expect(fused.length).toBe(new Set(fused.map((r) => r.id)).size);
      for (const { score } of fused) expect(score >= 0 && score <= 1 + 1e-9).toBe(true);
    }),
  );
});

test('without meaning the order is that of the words', () => {
  fc.assert(
    fc.property(ranked, (words) => {
      fc.pre(new Set(words.map((r) => r.score)).size === words.length);
      expect(fuse(words, [], 0.3).map((r) => r.id)).toEqual(words.map((r) => r.id));
    }),
  );
});

test('the more of the query an entry holds, the less meaning counts', () => {
  expect(shareOfMeaning(1)).toBeCloseTo(0.1);
  expect(shareOfMeaning(0)).toBeCloseTo(0.6);
  expect(shareOfMeaning(0.9)).toBeLessThan(shareOfMeaning(0.4));
});

test('an entry that both find beats one that only one finds', () => {
  const fused = fuse(
    [
      { id: 'words', score: 10 },
      { id: 'both', score: 9 },
    ],
    [
      { id: 'both', score: 0.8 },
      { id: 'near', score: 0.75 },
      { id: 'far', score: 0.2 },
    ],
    0.4,
  );
  expect(fused[0]!.id).toBe('both');
  expect(fused.at(-1)!.id).toBe('far');
});
