import fc from 'fast-check';
import { expect, test } from 'vitest';
import { windowsOf } from '../../src/terms/index.js';

test('windows cover every visible character in order, none longer than 250', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000, unit: 'grapheme' }), (text) => {
      const windows = windowsOf(text, 1_000);
      expect(
        windows
          .map((w) => w.text)
          .join('')
          .replace(/\s/g, ''),
      ).toBe(text.replace(/\s/g, ''));
      for (const w of windows) {
        expect(w.text.length).toBeLessThanOrEqual(250);
        expect(text.startsWith(w.text, w.start)).toBe(true);
      }
    }),
  );
});
