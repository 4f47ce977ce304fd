import { describe, expect, test } from 'vitest';
import { createRedactor, reduceMarks } from '../../src/redact/index.js';
import { ENCODINGS, textOf } from './encodings.js';
import { sampled } from '../sampled.js';
import { KEYED, pem, seeded, TOKENS } from './made-up.js';

const redactor = createRedactor({ key: 'test' });
/** Some secrets are only missed by their last character: one in sixty of a kind. */
const ROUNDS = 20;

test.each(
  sampled([...TOKENS, ...KEYED], Object.keys(ENCODINGS)).map(
    ([kind, name]) => [kind.name, name, kind] as const,
  ),
)('%s, %s', (label, name, kind) => {
  const encode = ENCODINGS[name] as (text: string) => string;
  const random = seeded(label.length * 7919 + name.length);
  const secrets = Array.from({ length: ROUNDS }, () => kind.secret(random));
  const texts = secrets.map((secret) => `before\n${encode(textOf(kind, secret))}\nafter`);
  const masked = redactor.redact(texts);
  secrets.forEach((secret, i) => {
    expect(masked[i], texts[i]).not.toContain(encode(secret).replace(/^"|"$|=+$/g, ''));
    expect(masked[i]).not.toContain(secret);
    expect(masked[i], texts[i]).toMatch(/\[REDACTED:[a-z0-9-]+:[0-9a-f]{6}\]/);
    expect(masked[i]).toMatch(/^before\n[\s\S]*\nafter$/);
  });
});

describe('private keys', () => {
  test('without an end, and without a beginning', () => {
    const lines = pem(seeded(4)).split('\n');
    const [head, tail] = redactor.redact([
      `x\n${lines.slice(0, 6).join('\n')}`,
      `${lines.slice(6).join('\n')}\ny`,
    ]);
    expect(reduceMarks(head as string)).toBe('x\n[REDACTED:private-key]');
    expect(reduceMarks(tail as string)).toBe('[REDACTED:private-key]\ny');
  });

  test('streamed over several texts', () => {
    const lines = pem(seeded(5), 'PRIVATE KEY', 20).split('\n');
    const texts = [
      `cat key\n${lines[0] as string}`,
      lines.slice(1, 9).join('\n'),
      'still printing',
      lines.slice(9, 15).join('\n'),
      `${lines.slice(15).join('\n')}\ndone`,
      lines[3] as string,
    ];
    const { texts: masked, open } = redactor.redactStream(texts, 0);
    expect(open).toBe(0);
    expect(masked.slice(0, 5).map(reduceMarks)).toEqual([
      texts[0],
      '[REDACTED:private-key]',
      'still printing',
      '[REDACTED:private-key]',
      '[REDACTED:private-key]\ndone',
    ]);
    const first = redactor.redactStream(texts.slice(0, 2), 0);
    const second = redactor.redactStream(texts.slice(2), first.open);
    expect([...first.texts, ...second.texts]).toEqual(masked);
  });
});

test('the same secret has the same mark in one home and another in the next', () => {
  const secret = TOKENS[8]?.secret(seeded(1)) as string;
  const [a, b] = redactor.redact([`one ${secret}`, `two ${secret} ${secret}`]);
  const mark = /\[REDACTED:[^\]]+\]/.exec(a as string)?.[0] as string;
  expect(b).toBe(`two ${mark} ${mark}`);
  const [other] = createRedactor({ key: 'another' }).redact([`one ${secret}`]);
  expect(other).not.toBe(a);
  expect(reduceMarks(other as string)).toBe(reduceMarks(a as string));
});

test('a secret that its key gave away is masked where it stands alone', () => {
  const [masked] = redactor.redact(['PASSWORD=Tr0ub4dor3xyz\nthen I typed Tr0ub4dor3xyz again']);
  expect(masked).not.toContain('Tr0ub4dor3xyz');
});

test('what is in a batch does not change what becomes of a text', () => {
  const texts = [...TOKENS, ...KEYED].map((kind) => textOf(kind, kind.secret(seeded(9))));
  const together = redactor.redact(texts);
  const alone = texts.map((text) => redactor.redact([text])[0]);
  expect(together).toEqual(alone);
});

test('masking twice changes nothing', () => {
  const once = redactor.redact(
    [...TOKENS, ...KEYED].map((kind) => textOf(kind, kind.secret(seeded(11)))),
  );
  expect(redactor.redact(once)).toEqual(once);
});

test('a token that a shell line breaks is masked whole; hashes stay', () => {
  const token = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
  const hash = '3f2a1bc9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f';
  const [broken, plain] = redactor.redact([
    `export T=${token.slice(0, 14)}\\\n${token.slice(14)}`,
    `git show ${hash}`,
  ]);
  expect(broken).toMatch(/^export T=\[REDACTED:[\w-]+:[\da-f]{6}\]$/);
  expect(plain).toBe(`git show ${hash}`);
});
