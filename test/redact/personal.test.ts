import { describe, expect, test } from 'vitest';
import { createRedactor, reduceMarks } from '../../src/redact/index.js';

async function masked(text: string, options = {}): Promise<string> {
  return reduceMarks((await createRedactor({ key: 'k', ...options }).redact([text]))[0] as string);
}

test.each([
  ['write to ana.lopez+shop@mail.shop-example.com, please', 'write to [REDACTED:email], please'],
  ['Author: Ana <ana@example.com>', 'Author: Ana <[REDACTED:email]>'],
  ['{"mail":"ana@shop.io"}', '{"mail":"[REDACTED:email]"}'],
  ['call +49 171 1234567 now', 'call [REDACTED:phone] now'],
  ['call +4917112345678 now', 'call [REDACTED:phone] now'],
  ['+1 (415) 555-2671', '[REDACTED:phone]'],
  ['+44 20 7946 0958.', '[REDACTED:phone].'],
  ['+33 1 42 68 53 00', '[REDACTED:phone]'],
  ['0049 30 901820', '0049 30 901820'],
  ['dial 0049 30 9018200', 'dial [REDACTED:phone]'],
  ['tel:+34-91-555-0199', 'tel:[REDACTED:phone]'],
  ['office (415) 555-2671', 'office [REDACTED:phone]'],
  ['phone: 0171 2345678', 'phone: [REDACTED:phone]'],
  ['"mobile": "415-555-2671"', '"mobile": "[REDACTED:phone]"'],
  ['pay DE89 3704 0044 0532 0130 00 today', 'pay [REDACTED:iban] today'],
  ['IBAN GB82WEST12345698765432.', 'IBAN [REDACTED:iban].'],
  ['FR14 2004 1010 0505 0001 3M02 606', '[REDACTED:iban]'],
])('%s', async (text, wanted) => {
  expect(await masked(text)).toBe(wanted);
});

test('each kind has its switch', async () => {
  const text = 'ana@shop.io, +49 171 1234567, phone: 0171 2345678, DE89370400440532013000';
  expect(await masked(text, { emails: false, phones: false, ibans: false })).toBe(text);
  expect(await masked(text, { phones: false, ibans: false })).toBe(
    text.replace('ana@shop.io', '[REDACTED:email]'),
  );
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
  ])('%j', async (text, wanted) => {
    expect(await masked(text)).toBe(wanted);
  });
});

describe('blobs', () => {
  test('a data URL is named by type, size and hash', async () => {
    const image = Buffer.alloc(90_000, 'some pixels of a picture 0123456789').toString('base64');
    expect(await masked(`![x](data:image/png;base64,${image}) end`)).toMatch(
      /^!\[x\]\(\[BLOB image\/png 88 KB sha256:[0-9a-f]{16}\]\) end$/,
    );
  });

  test('long base64 in one line or wrapped', async () => {
    const base64 = Buffer.from(
      Array.from({ length: 4000 }, (_, i) => (i * 7919 + (i >> 3)) % 256),
    ).toString('base64');
    expect(await masked(`x ${base64} y`)).toMatch(/^x \[BLOB base64 4 KB sha256:[0-9a-f]{16}\] y$/);
    expect(await masked(`x\n${(base64.match(/.{1,76}/g) as string[]).join('\n')}\ny`)).toMatch(
      /^x\n\[BLOB base64 4 KB sha256:[0-9a-f]{16}\]\ny$/,
    );
  });

  test('rulers and long words stay', async () => {
    const text = `${'-'.repeat(3000)} ${'a'.repeat(2000)} ${'=-'.repeat(900)}`;
    expect(await masked(text)).toBe(text);
  });
});
