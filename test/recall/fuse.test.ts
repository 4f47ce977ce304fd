import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuse } from '../../src/recall/ranking.js';

const ranked = fc
  .uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[a-f]{1,3}$/),
      score: fc.double({ min: 0.01, max: 30, noNaN: true }),
    }),
    { selector: (r) => r.id, maxLength: 30 },
  )
  .map((list) => list.sort((a, b) => b.score - a.score));

test('the ranking holds every id of both lists once, with scores between 0 and 1, whatever their order', () => {
  fc.assert(
    fc.property(
      ranked,
      ranked,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (words, meaning, share) => {
        const fused = fuse(words, meaning, share);
        expect(new Set(fused.map((r) => r.id))).toEqual(
          new Set([...words, ...meaning].map((r) => r.id)),
        );
        expect(fused.length).toBe(new Set(fused.map((r) => r.id)).size);
        for (const { score } of fused) expect(score >= 0 && score <= 1 + 1e-9).toBe(true);
      },
    ),
  );
});
