/** Our counting against the tokenizer whose vocabulary it is. */
import fc from 'fast-check';
import { countTokens as theirs } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { countTokens } from '../../src/context/index.js';

it('counts the tokens of any text as the reference does', () => {
  const same = (text: string): void => {
    expect(countTokens(text), JSON.stringify(text)).toBe(
      theirs(text, { disallowedSpecial: new Set() }),
    );
  };
  for (const text of [
    '',
    '<|endoftext|>',
    "they'LL fix `src/a-b.ts`\n\n  12345 ",
    'a'.repeat(300),
    '\ud800 漢字 👩‍👩‍👧',
  ])
    same(text);
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), same), { numRuns: 100 });
});
