import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line } from '../../src/watchers/index.js';
import { createSplitter } from '../../src/watchers/split-lines.js';
import { anyCodePoints } from '../code-points.js';

const START = { offset: 0, line: 0, midLine: false };

function split(bytes: Buffer, cuts: number[], cap?: number) {
  const splitter = createSplitter(START, cap);
  const stops = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const lines: Line[] = [];
  const copy = (line: Line): Line => ({ ...line, bytes: Buffer.from(line.bytes) });
  let from = 0;
  for (const stop of [...stops, bytes.length]) {
    const piece = Buffer.from(bytes.subarray(from, stop));
    lines.push(...splitter.push(piece).map(copy));
    piece.fill(0x23); // the reader's buffer is read over
    from = stop;
  }
  const rest = splitter.rest();
  return { lines, rest: rest === null ? null : copy(rest) };
}

function texts(lines: Line[]) {
  return lines.map((line) => line.bytes.toString());
}

describe('lines', () => {
  test('are cut at 0x0A only: not at CR, U+2028 or U+0085', () => {
    const { lines, rest } = split(Buffer.from('a\rb\r\nc\u2028d\u0085e\nhalf'), []);
    expect(texts(lines)).toEqual(['a\rb\r', 'c\u2028d\u0085e']);
    expect(rest?.bytes.toString()).toBe('half');
  });

  test('know their number and place', () => {
    const { lines } = split(Buffer.from('one\n\nthree\n'), [2, 4, 5]);
    expect(lines.map(({ line, offset, end }) => [line, offset, end])).toEqual([
      [1, 0, 4],
      [2, 4, 5],
      [3, 5, 11],
    ]);
  });

  test('what follows half a line that was taken keeps its number', () => {
    const splitter = createSplitter({ offset: 10, line: 4, midLine: true });
    expect(
      splitter.push(Buffer.from('\nnext\n')).map(({ line, offset, end }) => [line, offset, end]),
    ).toEqual([
      [4, 10, 11],
      [5, 11, 16],
    ]);
  });

  test('a character cut in half comes out whole', () => {
    const text = '{"text":"Grüße 🚀 日本"}';
    const bytes = Buffer.from(`${text}\n`);
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(texts(split(bytes, [cut]).lines)).toEqual([text]);
  });

  test('a line over the cap is lost with its size and hash; the lines around it are exact', () => {
    const long = 'x'.repeat(5000);
    const bytes = Buffer.from(`before\n${long}\nafter\n`);
    const whole = split(bytes, [], 1000).lines;
    expect(whole.map((line) => line.lost?.size ?? line.bytes.toString())).toEqual([
      'before',
      5000,
      'after',
    ]);
    expect(whole[2]).toMatchObject({ line: 3, offset: 5008 });
    for (const cuts of [[100], [8, 9, 2000], [5006], [5007], [5008]])
      expect(split(bytes, cuts, 1000).lines[1]!.lost).toEqual(whole[1]!.lost);
  });

  test('however the bytes are cut, the lines are the same', () => {
    const part = fc.oneof(
      anyCodePoints({ maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\0\0\0', 'x'.repeat(40), '\ufeff'),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 20 }),
        fc.array(fc.nat(400), { maxLength: 8 }),
        (parts, cuts) => {
          const bytes = Buffer.from(parts.join(''));
          const whole = split(bytes, [], 60);
          expect(split(bytes, cuts, 60)).toEqual(whole);
          const plain = bytes.toString('latin1').split('\n');
          expect(whole.lines.length).toBe(plain.length - 1);
          whole.lines.forEach((line, at) => {
            const kept = plain[at]!.replaceAll('\0', '');
            if (kept.length > 60) expect(line.lost?.size).toBe(kept.length);
            else expect(line.bytes.toString('latin1')).toBe(plain[at]!.replace(/\0+/g, '\0'));
          });
        },
      ),
      { numRuns: 1000 },
    );
  });
});
