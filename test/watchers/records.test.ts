import { describe, expect, test } from 'vitest';
import { parseLine } from '../../src/watchers/index.js';
import { createSplitter } from '../../src/watchers/split-lines.js';

/** The first line of these bytes. */
function parse(content: string | Buffer, offset = 0) {
  return parseLine(
    createSplitter({ offset, line: 0, midLine: false }).push(
      Buffer.concat([Buffer.from(content), Buffer.from('\n')]),
    )[0]!,
  );
}

describe('a line as records', () => {
  test.each([
    ['a record', '{"a":1}', [{ a: 1 }], null],
    ['with CR', '{"a":1}\r', [{ a: 1 }], null],
    ['blank', '', [], null],
    ['blanks', '   \r', [], null],
    ['a byte order mark at the start of the file', '\ufeff{"a":1}', [{ a: 1 }], null],
    ['two records glued', '{"a":1}{"b":"}{"}', [{ a: 1 }, { b: '}{' }], null],
    ['cut off', '{"a":"secret wo', [], 'not JSON: it ends too early'],
    ['no JSON at all', 'secret words', [], 'not JSON'],
    ['not a number', '{"a":NaN}', [], 'not JSON'],
    ['a bare string', '"hello"', [], 'JSON, but no record'],
    ['a list', '[{"a":1}]', [], 'JSON, but no record'],
    ['NUL bytes before a record', '\0\0\0{"a":1}', [{ a: 1 }], '3 NUL bytes'],
    ['NUL bytes between', '{"a":1}\0\0{"b":2}', [{ a: 1 }, { b: 2 }], '2 NUL bytes'],
    ['NUL bytes only', '\0\0', [], '2 NUL bytes'],
    [
      'a record glued to the half of a crash',
      '{"a":1,"text":"half{"b":2,"c":{"d":3}}',
      [{ b: 2, c: { d: 3 } }],
      'not JSON',
    ],
    ['a torn record with an inner object', '{"a":1,"b":{"c":2}', [], 'not JSON'],
    ['a torn record with inner objects in a list', '{"a":[1,{"c":2}, {"d":4}', [], 'not JSON'],
    ['U+2028 inside', '{"a":"x\u2028y"}', [{ a: 'x\u2028y' }], null],
  ])('%s', (_, content, values, bad) => {
    const parsed = parse(content);
    expect(parsed.values).toEqual(values);
    if (bad === null) expect(parsed.bad).toBeNull();
    else expect(parsed.bad).toContain(bad);
    expect(parsed.bad ?? '').not.toContain('secret');
  });

  test('millions of small values are named instead of parsed; long strings, full of signs, are as they were', () => {
    const keys = `{"a":{${Array.from({ length: 600_000 }, (_, i) => `"k${i}":${i}`).join(',')}}}`;
    expect(parse(keys)).toEqual({ values: [], bad: `too many values in ${keys.length} bytes` });
    const numbers = `{"a":[${'1,'.repeat(4_100_000)}1]}`;
    expect(parse(numbers).bad).toContain('too many values');
    const text = { a: '",:{[\\'.repeat(800_000), b: [1, 2], c: '\\' };
    expect(parse(JSON.stringify(text))).toEqual({ values: [text], bad: null });
  });

  test('invalid UTF-8 is replaced', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":"x'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('y"}'),
    ]);
    expect(parse(bytes).values).toEqual([{ a: 'x\ufffd\ufffdy' }]);
  });

  test('200,000 levels are a bad line, not a crash', () => {
    expect(parse(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).toEqual({
      values: [],
      bad: 'nested deeper than 256',
    });
    expect(parse(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)).toEqual({
      values: [],
      bad: 'nested deeper than 256',
    });
    expect(parse(`{"a":${'['.repeat(200)}${']'.repeat(200)}}`).values).toHaveLength(1);
  });

  test('200,000 keys are a record', () => {
    expect(
      Object.keys(
        parse(`{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`).join(',')}}`).values[0]!,
      ),
    ).toHaveLength(200_000);
  });
});
