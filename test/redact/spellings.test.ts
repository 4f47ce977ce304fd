import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spellingsOf } from '../../src/redact/index.js';

function found(haystack: string, text: string): boolean {
  return spellingsOf(text).some((spelling) => haystack.includes(spelling));
}
const words = fc
  .string({ minLength: 9, maxLength: 60, unit: 'grapheme' })
  .filter((text) => Buffer.from(text).toString() === text);

test('wherever a text stands it is found: plain, in JSON, in a URL, in hexadecimal, anywhere in base64', () => {
  fc.assert(
    fc.property(
      words,
      fc.string({ maxLength: 20 }),
      fc.string({ maxLength: 20 }),
      (text, before, after) => {
        const around = `${before}${text}${after}`;
        const url = encodeURIComponent(text);
        for (const place of [
          around,
          JSON.stringify({ a: around }),
          JSON.stringify(JSON.stringify([around])),
          `?q=${url}&b`,
          Buffer.from(around).toString('hex'),
          Buffer.from(around).toString('base64'),
          Buffer.from(around).toString('base64url'),
        ]) {
          expect(found(place, text), place).toBe(true);
        }
      },
    ),
  );
});

test('a text that is not there is not found', () => {
  expect(found('nothing of the kind', 'sapphire plover')).toBe(false);
  expect(found(deflateSync('sapphire plover').toString('latin1'), 'sapphire plover')).toBe(false);
});
