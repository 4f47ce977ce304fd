/** A terminal that people like: it fits, and has few colours. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wrapped } from '../../src/commands/screen.js';

describe('lines that fit', () => {
  test('no line is longer than the terminal unless a word is, and no word is lost', () => {
    const words = fc.array(fc.stringMatching(/^[\w`:,.-]{1,15}$/), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 20, max: 120 }),
        fc.integer({ min: 0, max: 8 }),
        (all, columns, indent) => {
          const text = ' '.repeat(indent) + all.join(' ');
          const shown = wrapped(text, columns);
          expect(shown.split(/\s+/).filter(Boolean)).toEqual(all);
          for (const line of shown.split('\n'))
            expect(line.length <= columns || !line.trim().includes(' ')).toBe(true);
        },
      ),
    );
  });
});
