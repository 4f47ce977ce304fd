import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDetail, renderDetail } from '../../src/context/index.js';
import { anyLesson, DAY, idOf, lesson } from './build.js';

function two() {
  return renderDetail(
    'facts',
    [
      lesson(1, { kind: 'fact', text: 'Port 5432 is taken', importance: 4 }),
      lesson(2, { kind: 'fact', text: 'Builds need `make gen` first', importance: 2 }),
    ],
    DAY,
  );
}
function after(change: (text: string) => string) {
  return parseDetail(change(two()))!;
}

test('what we wrote is read back without a change, whatever stands in the lessons', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyLesson, { selector: (l) => l.id, maxLength: 6 }), (lessons) => {
      for (const file of ['facts', 'gotchas', 'commands'] as const) {
        const parsed = parseDetail(renderDetail(file, lessons, DAY))!;
        expect(parsed.bullets.every(({ state }) => state === 'same')).toBe(true);
        expect(parsed).toMatchObject({ missing: [], odd: [] });
      }
    }),
  );
});

describe('what a person did', () => {
  test('changed words', () => {
    expect(after((t) => t.replace('Port 5432 is taken', 'Port 5433 is taken'))).toMatchObject({
      bullets: [
        { id: idOf(1), text: 'Port 5433 is taken', state: 'changed' },
        { id: idOf(2), state: 'same' },
      ],
      missing: [],
      odd: [],
    });
  });
  test('a bullet taken out, with what stands below it', () => {
    expect(after((t) => t.replace(/- Port[^\n]*\n(?: {2}- [^\n]*\n)*/, ''))).toMatchObject({
      bullets: [{ id: idOf(2), state: 'same' }],
      missing: [idOf(1)],
      odd: [],
    });
  });
  test('a bullet added, also over two lines', () => {
    const parsed = after((t) => t.replace('- Port', '* New words\n  that go on\n- Port'));
    expect(parsed).toMatchObject({ missing: [], odd: [] });
    expect(parsed.bullets[0]).toEqual({ id: null, text: 'New words that go on', state: 'new' });
  });
  test('a bullet copied: ours keeps the id', () => {
    const parsed = after((t) => t.replace('- Port', `- Something else ^${idOf(1)}\n- Port`));
    expect(parsed.bullets.map(({ id, state }) => [id, state])).toEqual([
      [null, 'new'],
      [idOf(1), 'same'],
      [idOf(2), 'same'],
    ]);
  });
  test('the order of bullets, blank lines, CRLF and a BOM are no change', () => {
    const parsed = after((t) => `\uFEFF${t.replaceAll('\n', '\r\n')}\r\n\r\n`);
    expect(parsed).toMatchObject({ missing: [], odd: [] });
    expect(parsed.bullets.every(({ state }) => state === 'same')).toBe(true);
  });
  test('headings, prose, changed counts and words after the end are named by line', () => {
    expect(after((t) => t.replace('- Port', '## Mine\n\nprose here\n- Port')).odd).toEqual([4, 6]);
    expect(after((t) => t.replace('confidence', 'CONFIDENCE')).odd).toHaveLength(1);
    expect(after((t) => t.replace('> Summary', '> My summary')).odd).toEqual([1]);
    expect(after((t) => `${t}\nand this\n`).odd).toEqual([two().split('\n').length + 1]);
  });
  test('bullets behind the end are new ones: appending is the easiest way to add', () => {
    const parsed = after((t) => `${t}- Appended by hand\n  that goes on\n- And one more`);
    expect(parsed).toMatchObject({ missing: [], odd: [] });
    expect(parsed.bullets.filter(({ state }) => state === 'new').map(({ text }) => text)).toEqual([
      'Appended by hand that goes on',
      'And one more',
    ]);
  });
  test('a bullet that is too long for a lesson is named by line, and neither taken nor gone', () => {
    const parsed = after((t) =>
      t.replace('- Port', `- ${'x'.repeat(2001)}\n- Port ${'y'.repeat(2001)}`),
    );
    expect(parsed).toMatchObject({ missing: [], odd: [4, 5] });
    expect(parsed.bullets.map(({ state }) => state)).toEqual(['same']);
  });
  test('a file that does not say what we wrote tells nothing', () => {
    for (const text of ['', 'x', two().replace(/<!--[\s\S]*/, ''), two().replace('-->', '')])
      expect(parseDetail(text)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => void parseDetail(text)));
  });
});
