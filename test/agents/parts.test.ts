import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedLines, cutLines } from '../../src/agents/edits.js';
import { isoTime } from '../../src/text/fields.js';
import { readToolOutput } from '../../src/agents/codex/outputs.js';
import { splitGlued } from '../../src/agents/glued.js';
import { splitPasted } from '../../src/agents/typed.js';
import { isWebCommand } from '../../src/agents/web.js';
import { failureSignature } from '../../src/text/errors.js';

describe('glued lines', () => {
  test('whole objects on one line come apart, whatever stands in their strings', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 4 }),
        (objects) => {
          const values = objects.map((one) => JSON.parse(JSON.stringify(one)) as unknown);
          expect(splitGlued(values.map((value) => JSON.stringify(value)).join(''))).toEqual(values);
        },
      ),
    );
  });

  test.each(['', '   ', '{"a":1', '{"a":1}{"b":', '[1]', '7', '{a:1}', '\0\0'])(
    '%j is no glued line',
    (line) => {
      expect(splitGlued(line)).toBeNull();
    },
  );
});

describe('commands that print what a stranger wrote', () => {
  test.each([
    'curl -s https://example.org/x',
    'cd /tmp && wget example.org/a.tgz',
    'bash -c "curl https://x.dev | sh"',
    'x=$(curl -s https://x.dev)',
    'gh issue view 12',
    'gh pr view 3 --comments',
    'python3 -c "import requests; print(requests.get(\'https://x.dev\').text)"',
    'Invoke-WebRequest https://x.dev',
    'for u in a b; do curl https://x.dev/$u; done',
  ])('yes: %s', (command) => expect(isWebCommand(command)).toBe(true));

  test.each([
    'curl http://localhost:3000/health',
    'git push origin main',
    'git clone https://github.com/a/b',
    'grep -rn curl src',
    'which curl',
    'gh pr create --fill',
    'git commit -m "use https, not http"',
    'echo https://example.org',
    'apt-get install -y wget',
  ])('no: %s', (command) => expect(isWebCommand(command)).toBe(false));
});

describe('results that a script printed', () => {
  const script = (...results: object[]): string =>
    [
      'Script completed',
      'Wall time 0.1 seconds',
      'Output:',
      ...results.map((one) => JSON.stringify(one)),
    ].join('\n');

  test('several results are stored as they were printed, and the failure says why', () => {
    const output = readToolOutput(
      script(
        { output: 'cart.ts\npay.ts\n', exit_code: 0 },
        { chunk_id: 'a', exit_code: 1, output: 'shop.ts (1ms)\nerror: Formatting issues found\n' },
      ),
      null,
      true,
    );
    // Word for word what release 0.1.0 stored: another text would be a new revision of every such
    // entry when its log is read again.
    const stored =
      '{"output":"cart.ts\\npay.ts\\n","exit_code":0}\n{"chunk_id":"a","exit_code":1,"output":"shop.ts (1ms)\\nerror: Formatting issues found\\n"}';
    expect(output).toMatchObject({ exit: 1, outcome: 'failed', text: stored });
    expect(failureSignature(output.text)).toBe('error: Formatting issues found');
  });

  test('a script that failed by itself', () => {
    const output = readToolOutput(
      'Script failed\nWall time 0.1 seconds\nOutput:\nScript error:\nUnexpected identifier rows in cell 4',
      null,
      true,
    );
    expect(failureSignature(output.text)).toBe('Unexpected identifier rows in cell <n>');
  });

  test('other JSON stays as it was printed', () => {
    expect(readToolOutput(script({ total: 3 }), null, true).text).toBe('{"total":3}');
  });
});

describe('pasted output', () => {
  test('a log between two sentences is not the person', () => {
    const log = [
      '2026-11-03T08:00:01Z ERROR boot',
      '    detail',
      '2026-11-03T08:00:02Z ERROR again',
      '',
      '2026-11-03T08:00:03Z ERROR end',
    ].join('\n');
    expect(splitPasted(`this breaks:\n${log}\nplease keep the retry`)).toEqual({
      words: 'this breaks:\nplease keep the retry',
      pasted: log,
    });
  });

  test.each([
    'use pnpm\nnot npm\nand never yarn',
    '1. first\n2. second\n3. third\n4. fourth',
    '```ts\nconst a = 1;\nconst b = 2;\nconst c = 3;\n```\nwrite it like this',
    '> please rename it\n> and add a test\n> then merge',
    '- [ ] one\n- [ ] two\n- [x] three',
    'Note: run it\nWarning signs are fine\nError handling stays in cli.ts\ninfo for you',
    '| a | b |\n|---|---|\n| 1 | 2 |',
  ])('stays with the person: %j', (text) =>
    expect(splitPasted(text)).toEqual({ words: text, pasted: '' }),
  );

  test('no line is lost', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('12:00:01 INFO x', '    at f (a.js:1)', '$ make', 'src/a.ts:1:2 error'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const { words, pasted } = splitPasted(lines.join('\n'));
        const kept = `${words}\n${pasted}`;
        for (const one of lines.join('\n').split('\n'))
          if (one.trim() !== '') expect(kept).toContain(one.trim());
      }),
    );
  });
});

describe('edits', () => {
  test('only what changed is told', () => {
    expect(changedLines('a\nb\nc', 'a\nx\ny\nc')).toEqual(['-b', '+x', '+y']);
    expect(changedLines('', 'a\nb')).toEqual(['+a', '+b']);
    expect(changedLines('a', 'a')).toEqual([]);
  });

  test('never over the limit, never a broken character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 60 }),
        fc.integer({ min: 8, max: 400 }),
        (lines, bytes) => {
          const cut = cutLines(lines.join('\n'), bytes);
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes);
          expect(Buffer.from(cut).toString()).toBe(cut);
          expect(lines.join('\n').startsWith(cut)).toBe(true);
        },
      ),
    );
  });
});

describe('times', () => {
  test.each([
    ['2026-11-03T09:00:07.5Z', '2026-11-03T09:00:07.500Z'],
    ['2026-11-03T09:00:07Z', '2026-11-03T09:00:07.000Z'],
    ['2026-11-03T10:00:07.123456+01:00', '2026-11-03T09:00:07.123Z'],
    [1793696407, '2026-11-03T09:00:07.000Z'],
    [1793696407123, '2026-11-03T09:00:07.123Z'],
    [1793696407123456, '2026-11-03T09:00:07.123Z'],
  ])('%j is %s', (value, iso) => expect(isoTime(value)).toBe(iso));

  test.each(['', 'yesterday', '2026-11-03 09:00', NaN, Infinity, null, {}])(
    '%j is no time',
    (value) => expect(isoTime(value)).toBeNull(),
  );
});
