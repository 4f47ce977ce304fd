import { describe, expect, test } from 'vitest';
import { createRedactor, reduceMarks } from '../../src/redact/index.js';
import { ENCODINGS, textOf } from './encodings.js';
import { KEYED, pem, seeded, TOKENS } from './made-up.js';

const redactor = createRedactor({ key: 'test' });
/** Some secrets are only missed by their last character: one in sixty of a kind. */
const ROUNDS = 20;

describe.each(Object.keys(ENCODINGS))('%s', (name) => {
  const encode = ENCODINGS[name] as (text: string) => string;
  test.each([...TOKENS, ...KEYED].map((kind) => [kind.name, kind] as const))(
    '%s',
    async (label, kind) => {
      const random = seeded(label.length * 7919 + name.length);
      const secrets = Array.from({ length: ROUNDS }, () => kind.secret(random));
      const texts = secrets.map((secret) => `before\n${encode(textOf(kind, secret))}\nafter`);
      const masked = await redactor.redact(texts);
      secrets.forEach((secret, i) => {
        expect(masked[i], texts[i]).not.toContain(encode(secret).replace(/^"|"$|=+$/g, ''));
        expect(masked[i]).not.toContain(secret);
        expect(masked[i], texts[i]).toMatch(/\[REDACTED:[a-z0-9-]+:[0-9a-f]{6}\]/);
        expect(masked[i]).toMatch(/^before\n[\s\S]*\nafter$/);
      });
    },
  );
});

describe('private keys', () => {
  test.each([
    'RSA PRIVATE KEY',
    'PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'EC PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ])('%s', async (label) => {
    const key = pem(seeded(3), label);
    const forms = [
      key,
      JSON.stringify({ private_key: key }),
      key.replace(/^/gm, '    '),
      key
        .split('\n')
        .map((line, i) => `${String(i + 1).padStart(6)}\t${line}`)
        .join('\n'),
      key.replace(/^/gm, '+'),
    ];
    for (const masked of await redactor.redact(forms)) {
      expect(masked).toContain('[REDACTED:private-key:');
      for (const line of key.split('\n').slice(1, -1))
        expect(masked).not.toContain(line.slice(0, 30));
    }
  });

  test('without an end, and without a beginning', async () => {
    const lines = pem(seeded(4)).split('\n');
    const [head, tail] = await redactor.redact([
      `x\n${lines.slice(0, 6).join('\n')}`,
      `${lines.slice(6).join('\n')}\ny`,
    ]);
    expect(reduceMarks(head as string)).toBe('x\n[REDACTED:private-key]');
    expect(reduceMarks(tail as string)).toBe('[REDACTED:private-key]\ny');
  });

  test('streamed over several texts', async () => {
    const lines = pem(seeded(5), 'PRIVATE KEY', 20).split('\n');
    const texts = [
      `cat key\n${lines[0] as string}`,
      lines.slice(1, 9).join('\n'),
      'still printing',
      lines.slice(9, 15).join('\n'),
      `${lines.slice(15).join('\n')}\ndone`,
      lines[3] as string,
    ];
    const { texts: masked, open } = await redactor.redactStream(texts, 0);
    expect(open).toBe(0);
    expect(masked.slice(0, 5).map(reduceMarks)).toEqual([
      texts[0],
      '[REDACTED:private-key]',
      'still printing',
      '[REDACTED:private-key]',
      '[REDACTED:private-key]\ndone',
    ]);
    const first = await redactor.redactStream(texts.slice(0, 2), 0);
    const second = await redactor.redactStream(texts.slice(2), first.open);
    expect([...first.texts, ...second.texts]).toEqual(masked);
  });
});

test('the same secret has the same mark in one home and another in the next', async () => {
  const secret = TOKENS[8]?.secret(seeded(1)) as string;
  const [a, b] = await redactor.redact([`one ${secret}`, `two ${secret} ${secret}`]);
  const mark = /\[REDACTED:[^\]]+\]/.exec(a as string)?.[0] as string;
  expect(b).toBe(`two ${mark} ${mark}`);
  const [other] = await createRedactor({ key: 'another' }).redact([`one ${secret}`]);
  expect(other).not.toBe(a);
  expect(reduceMarks(other as string)).toBe(reduceMarks(a as string));
});

test('a secret that its key gave away is masked where it stands alone', async () => {
  const [masked] = await redactor.redact([
    'PASSWORD=Tr0ub4dor3xyz\nthen I typed Tr0ub4dor3xyz again',
  ]);
  expect(masked).not.toContain('Tr0ub4dor3xyz');
});

test('a comment that switches secretlint off switches nothing off here', async () => {
  const secret = TOKENS[8]?.secret(seeded(2)) as string;
  const [masked] = await redactor.redact([
    `// secretlint-disable\n${secret}\n// secretlint-enable`,
  ]);
  expect(masked).not.toContain(secret);
});

test('what is in a batch does not change what becomes of a text', async () => {
  const texts = [...TOKENS, ...KEYED].map((kind) => textOf(kind, kind.secret(seeded(9))));
  const together = await redactor.redact(texts);
  const alone = await Promise.all(texts.map(async (text) => (await redactor.redact([text]))[0]));
  expect(together).toEqual(alone);
});

test('masking twice changes nothing', async () => {
  const once = await redactor.redact(
    [...TOKENS, ...KEYED].map((kind) => textOf(kind, kind.secret(seeded(11)))),
  );
  expect(await redactor.redact(once)).toEqual(once);
});

test('a token that a shell line breaks, or that stands in hexadecimal, is masked whole; hashes stay', async () => {
  const token = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
  const hex = Buffer.from(token).toString('hex');
  const hash = '3f2a1bc9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f';
  const [broken, encoded, plain] = await redactor.redact([
    `export T=${token.slice(0, 14)}\\\n${token.slice(14)}`,
    `echo ${hex} | xxd -r -p; echo ${hex.toUpperCase()}`,
    `git show ${hash}`,
  ]);
  expect(broken).toMatch(/^export T=\[REDACTED:[\w-]+:[\da-f]{6}\]$/);
  expect(encoded).not.toMatch(/[\da-f]{20}/i);
  expect(plain).toBe(`git show ${hash}`);
});
