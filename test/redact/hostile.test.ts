import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../../src/redact/index.js';
import { KEY_WORDS } from '../../src/redact/key-names.js';
import { PLACES } from '../../src/redact/places.js';
import { PREFIXES } from '../../src/redact/prefixes.js';
import { sampled } from '../sampled.js';

/**
 * Trying each place against each other takes seconds of a text of this length, in proportion some
 * ten milliseconds.
 */
const SIZE = 50_000;
const redactor = createRedactor({ key: 'test' });

/** Beginnings that make a rule start again and again without ever ending. */
const TRIGGERS = [
  ...new Set([
    ...PREFIXES.flatMap(({ words }) => words),
    ...PLACES.flatMap(({ words }) => words),
    ...KEY_WORDS,
    'eyJ',
    '@',
    '-----BEGIN ',
    '-----END ',
    '<private>',
    '%41',
    '\\u0041',
    '&#65;',
    'data:',
    '     1→password: ',
    '\n12:',
    'a.env:3:',
  ]),
];
const SHAPES: Record<string, (word: string) => string> = {
  'again and again': (word) => word.repeat(Math.ceil(SIZE / word.length)),
  'each with a long run': (word) =>
    `${word}${'a1'.repeat(60)} `.repeat(Math.ceil(SIZE / (word.length + 121))),
  'then one endless run': (word) => word + 'aB3-_.'.repeat(SIZE / 6),
  'as a key': (word) => `${word}= "`.repeat(Math.ceil(SIZE / (word.length + 3))),
};

/**
 * The least processor time of eight tries: a busy machine makes some slow, a wrong quantifier every
 * one, by seconds.
 */
function processorMs(texts: string[], enough: number): number {
  let least = Infinity;
  for (let tries = 0; tries < 8 && least >= enough; tries++) {
    const started = process.cpuUsage();
    redactor.redactStream(texts, 0);
    const { user, system } = process.cpuUsage(started);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

test.each([
  'cookie":',
  'kind: Secret\ndata:\n',
  'sig=',
  '://a:b',
  'eyJ_',
  '-----BEGIN PRIVATE KEY-----\n',
  'password="',
  '@a.',
  'aGVsbG8g',
  '<private>',
  '\\u0041',
  '\n  12:password: >-',
  'a/b.env:1:',
])('a megabyte of %j takes time in proportion', (word) => {
  expect(processorMs([word.repeat(Math.ceil(1_000_000 / word.length))], 3000)).toBeLessThan(3000);
});

test.each(sampled(TRIGGERS, Object.keys(SHAPES)))('%j, %s', (word, name) => {
  const text = (SHAPES[name] as (word: string) => string)(word);
  expect(processorMs([text], 250)).toBeLessThan(250);
});

test('never throws, keeps the number and order of texts', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom(...TRIGGERS).chain((word) => fc.string().map((rest) => word + rest)),
        ),
      ),
      (texts) => {
        expect(redactor.redact(texts)).toHaveLength(texts.length);
      },
    ),
  );
});

test.each([1, 2, 3])('a secret across the %s. border of what is looked at at once', (border) => {
  const secret = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ'.repeat(2)}`;
  for (const before of [1, 3, 20]) {
    const [text] = redactor.redact([
      `${'word '.repeat(20_000).slice(0, border * 16_384 - before - 1)} ${secret} end`,
    ]);
    expect(text).not.toContain(secret.slice(0, 12));
  }
});
