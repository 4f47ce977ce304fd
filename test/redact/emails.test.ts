import { describe, expect, test } from 'vitest';
import { createRedactor, reduceMarks } from '../../src/redact/index.js';

function masked(text: string, options = {}): string {
  return reduceMarks(createRedactor({ key: 'k', ...options }).redact([text])[0] as string);
}

test.each([
  ['write to ana.lopez+shop@mail.shop-example.com, please', 'write to [REDACTED:email], please'],
  ['Author: Ana <ana@example.com>', 'Author: Ana <[REDACTED:email]>'],
  ['{"mail":"ana@shop.io"}', '{"mail":"[REDACTED:email]"}'],
])('%s', (text, wanted) => {
  expect(masked(text)).toBe(wanted);
});

test('addresses stay when they are switched off', () => {
  expect(masked('to ana@shop.io', { emails: false })).toBe('to ana@shop.io');
});

describe('private parts', () => {
  test.each([
    ['a <private>x</private> b', 'a  b'],
    ['a <PRIVATE>x</Private> b', 'a  b'],
    ['a <private>x', 'a '],
    ['a <private>x<private>y</private>z</private> b', 'a  b'],
    ['a <private>x<private>y</private>z', 'a '],
    ['a <pri\u200bvate>x</private> b', 'a  b'],
    ['a < private >x</ private > b', 'a  b'],
    ['a <private reason="none">x</private> b', 'a  b'],
    ['a ＜ｐｒｉｖａｔｅ＞x＜/ｐｒｉｖａｔｅ＞ b', 'a  b'],
    ['a &lt;private&gt;x&lt;/private&gt; b', 'a  b'],
    ['a\n<private>\nx\ny\n</private>\nb', 'a\n\nb'],
    ['a </private> b', 'a </private> b'],
    ['private final int x; <privateKey>', 'private final int x; <privateKey>'],
  ])('%j', (text, wanted) => {
    expect(masked(text)).toBe(wanted);
  });
});

describe('blobs', () => {
  test('a data URL is named by type, size and hash', () => {
    const image = Buffer.alloc(90_000, 'some pixels of a picture 0123456789').toString('base64');
    expect(masked(`![x](data:image/png;base64,${image}) end`)).toMatch(
      /^!\[x\]\(\[BLOB image\/png 88 KB sha256:[0-9a-f]{16}\]\) end$/,
    );
  });

  test('long base64 in one line or wrapped', () => {
    const base64 = Buffer.from(
      Array.from({ length: 4000 }, (_, i) => (i * 7919 + (i >> 3)) % 256),
    ).toString('base64');
    expect(masked(`x ${base64} y`)).toMatch(/^x \[BLOB base64 4 KB sha256:[0-9a-f]{16}\] y$/);
    expect(masked(`x\n${(base64.match(/.{1,76}/g) as string[]).join('\n')}\ny`)).toMatch(
      /^x\n\[BLOB base64 4 KB sha256:[0-9a-f]{16}\]\ny$/,
    );
  });
});
