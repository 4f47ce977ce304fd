/** A terminal that people like: it fits, and has few colours. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { main } from '../../src/commands/main.js';
import { renderProgress } from '../../src/commands/run.js';
import { isOfSystem, localTime, wrapped } from '../../src/commands/screen.js';
import { setStage } from './stage.js';
import type { Io } from '../../src/io.js';

describe('lines that fit', () => {
  test('no line is longer than the terminal unless a word is, and no word is lost', () => {
    const words = fc.array(fc.stringMatching(/^[\w`:,.-]{1,15}$/), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 20, max: 120 }),
        fc.integer({ min: 0, max: 8 }),
        (all, columns, indent) => {
          const text = ' '.repeat(indent) + all.join(' ');
          const shown = wrapped(text, columns);
          expect(shown.split(/\s+/).filter(Boolean)).toEqual(all);
          for (const line of shown.split('\n'))
            expect(line.length <= columns || !line.trim().includes(' ')).toBe(true);
        },
      ),
    );
  });

  test('what follows stands below the second column', () => {
    expect(wrapped('  store    one two three four five six', 26)).toBe(
      '  store    one two three\n           four five six',
    );
  });

  test('a code span and what follows a bare -- stay on one line, if they fit on one', () => {
    expect(wrapped('run it as `git-sync --period 30s` in the loop', 26)).toBe(
      'run it as\n  `git-sync --period 30s`\n  in the loop',
    );
    expect(wrapped('start it with npm test -- --watch', 26)).toBe(
      'start it with npm\n  test -- --watch',
    );
    expect(wrapped('`a span that is longer than any line`', 20)).toBe(
      '`a span that is\n  longer than any\n  line`',
    );
  });

  test.each([80, 60, 40, 30, 20])('progress fits into %d columns', (columns) => {
    const line = renderProgress(
      { job: 'crystallize', done: 123, total: 48_200, unit: 'projects' },
      400,
      columns,
    );
    expect(line.length).toBeLessThan(columns);
    expect(line).toContain('crystallize');
  });
});

async function typed(argv: string[], given: Partial<Io>): Promise<string> {
  const stage = setStage();
  let out = '';
  await main(argv, {
    ...stage.io(),
    outIsTerminal: true,
    screen: { columns: 60, rows: 10 },
    out: (text) => void (out += text),
    ...given,
  });
  stage.remove();
  return out;
}

describe('a terminal', () => {
  test('failures have a colour', async () => {
    expect(await typed(['status', '--check'], {})).toContain('\u001b[31mFAIL\u001b[0m logs');
  });

  test('what is printed at once and every error fits, too', async () => {
    let err = '';
    const narrow = {
      screen: { columns: 30, rows: 99 },
      terminal: true,
      columns: () => 30,
      err: (text: string) => void (err += text),
    };
    const out = await typed(['run'], { screen: narrow.screen });
    await typed(['serach', 'x'], narrow);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'If your agent keeps its logs elsewhere, name the folder in config.yaml:',
    );
    expect(err.replaceAll(/\s+/g, ' ')).toContain('did you mean `dripstone search`?');
    for (const line of `${out}${err}`.split('\n'))
      expect(line.length <= 30 || !line.trim().includes(' '), line).toBe(true);
  });

  test.each([
    ['NO_COLOR', [], { NO_COLOR: '1' }, 'FAIL logs'],
    ['a dumb terminal', [], { TERM: 'dumb' }, 'FAIL logs'],
    ['JSON', ['--json'], {}, '"ok":false'],
  ])('%s has no colour', async (_, more, variables, text) => {
    const env = { HOME: '/nowhere', DRIPSTONE_HOME: '/nowhere/stone', ...variables };
    const out = await typed(['status', '--check', ...more], { env });
    expect(out).toContain(text);
    expect(out).not.toContain('\u001b');
  });

  test('times are local and name their zone; folders of other systems are no places to look', () => {
    expect(localTime('2026-11-20T12:05:00.000Z')).toMatch(/^2026-11-2\d \d\d:\d5 \S+/);
    expect(isOfSystem('/home/a/Library/Application Support/Claude', 'linux')).toBe(false);
    expect(isOfSystem('/Users/a/Library/Application Support/Claude', 'darwin')).toBe(true);
    expect(isOfSystem('C:\\Users\\a\\AppData\\Roaming\\Code', 'linux')).toBe(false);
    expect(isOfSystem('/home/a/.config/Code/User', 'linux')).toBe(true);
    expect(isOfSystem('/home/a/.claude/projects', 'linux')).toBe(true);
  });
});
