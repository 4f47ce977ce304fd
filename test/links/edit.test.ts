/** Our line in files that are not ours: laws over all bytes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineIn, withLine, withoutLine } from '../../src/links/plan.js';
import { isOurs, MARK, renderLine } from '../../src/links/line.js';

const LINE = `@~/.dripstone/projects/shop-3fa9/context.md ${MARK}`;
const OTHER = `Before you start, read /x/context.md if it exists (notes from earlier sessions here). ${MARK}`;

/** Any bytes, often with the endings that matter. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each)),
  fc
    .array(
      fc.constantFrom(
        '\n',
        '\r\n',
        '\r',
        'a',
        '@x',
        '\uFEFF',
        '# Rules',
        'ä',
        MARK.slice(0, 5),
        ' ',
      ),
      { maxLength: 12 },
    )
    .map((parts) => Buffer.from(parts.join(''))),
);

describe('our line in a file of somebody else', () => {
  test('taking it out restores every byte, and no file at all', () => {
    fc.assert(
      fc.property(fc.option(bytes), (before) => {
        const after = withoutLine(withLine(before, LINE));
        expect(after === null ? null : after.toString('hex')).toBe(
          before === null ? null : before.toString('hex'),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('twice is once, and an older line is replaced where it stands', () => {
    fc.assert(
      fc.property(fc.option(bytes), (before) => {
        const once = withLine(before, LINE);
        expect(withLine(once, LINE).equals(once)).toBe(true);
        expect(withLine(withLine(before, OTHER), LINE).equals(once)).toBe(true);
        expect(lineIn(once)).toBe(LINE);
      }),
      { numRuns: 2000 },
    );
  });

  test('what a person wrote around it later stays', () => {
    fc.assert(
      fc.property(bytes, bytes, (before, later) => {
        const without = withoutLine(
          Buffer.concat([withLine(before, LINE), Buffer.from('\n'), later]),
        );
        expect(without === null ? '' : without.toString('latin1')).toContain(
          later.toString('latin1'),
        );
      }),
    );
  });

  test.each([
    ['no file', null, `${LINE}\n`],
    ['an empty file', '', LINE],
    ['a final newline', '# Rules\n', `# Rules\n${LINE}\n`],
    ['no final newline', '# Rules', `# Rules\n${LINE}`],
    ['Windows line endings', '# Rules\r\nx\r\n', `# Rules\r\nx\r\n${LINE}\r\n`],
    ['a byte order mark', '\uFEFF# Rules\n', `\uFEFF# Rules\n${LINE}\n`],
  ])('%s', (_, before, after) => {
    expect(withLine(before === null ? null : Buffer.from(before), LINE).toString()).toBe(after);
  });

  test('the same line written by hand counts, and is never taken out', () => {
    const byHand = Buffer.from(`# Mine\n${LINE.replace(` ${MARK}`, '')}\n`);
    expect(withLine(byHand, LINE).equals(byHand)).toBe(true);
    expect(withoutLine(byHand)!.equals(byHand)).toBe(true);
  });

  test('a file that we made with a head goes with the line; with more in it, it stays', () => {
    const head = '---\nalwaysApply: true\n---\n';
    const made = withLine(null, LINE, head);
    expect(made.toString()).toBe(`${head}${LINE}\n`);
    expect(withoutLine(made, head)).toBeNull();
    expect(withoutLine(Buffer.concat([made, Buffer.from('more\n')]), head)!.toString()).toBe(
      `${head}more\n`,
    );
  });
});

describe('the line', () => {
  const at = {
    context: '/home/ann/.dripstone/projects/shop-3fa9/context.md',
    userHome: '/home/ann',
  };

  test.each([
    [true, `@~/.dripstone/projects/shop-3fa9/context.md ${MARK}`],
    [
      false,
      `Before you start, read ~/.dripstone/projects/shop-3fa9/context.md if it exists (notes from earlier sessions here). ${MARK}`,
    ],
  ])('imports %s', (imports, line) => {
    expect(renderLine({ place: { imports }, ...at })).toBe(line);
    expect(isOurs(line)).toBe(true);
  });
});
