/** Terminals count cells, not characters. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellWidth, cut, cutBefore, padded } from '../../src/text/cells.js';

test.each([
  ['abc', 3],
  ['日本語', 6],
  ['한국어', 6],
  ['ｱｲｳ', 3],
  ['ＡＢ', 4],
  ['e\u0301te\u0301', 3],
  ['🚀', 2],
  ['✔\ufe0f', 2],
  ['a\u200bb', 2],
  ['→…─', 3],
])('%s takes %d cells', (text, width) => {
  expect(cellWidth(text)).toBe(width);
});

test('what is cut fits, keeps its beginning or its end and splits no sign; what is padded fills', () => {
  const text = fc
    .array(fc.constantFrom('a', 'ß', '日', '🚀', 'e\u0301', ' ', '👩\u200d💻'), { maxLength: 30 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 40 }), (all, width) => {
      const [front, back] = [cut(all, width), cutBefore(all, width)];
      expect(Math.max(cellWidth(front), cellWidth(back))).toBeLessThanOrEqual(width);
      expect(all.startsWith(front.replace(/…$/, ''))).toBe(true);
      expect(all.endsWith(back.replace(/^…/, ''))).toBe(true);
      expect(`${front}${back}`.isWellFormed()).toBe(true);
      expect(cellWidth(padded(all, width))).toBe(width);
    }),
  );
});
