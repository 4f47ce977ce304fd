/**
 * `dripstone search` without a query: what is shown while one types, which queries are asked, and
 * how it ends.
 */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Io, type Key, type Typed } from '../../src/commands/command.js';
import { isSearchTyped, outputOf, runsInDaemon, SEARCH_FLAGS } from '../../src/commands/index.js';
import { main } from '../../src/commands/main.js';
import { searchCommand } from '../../src/commands/search.js';
import { edited, findAsTyped, type Findings } from '../../src/commands/terminal/finder.js';
import { renderFinder } from '../../src/commands/terminal/finder-view.js';
import { cellWidth } from '../../src/text/cells.js';
import type { Hit } from '../../src/types.js';
import { samplesStage } from './begun-stage.js';
import { setStage } from './stage.js';

const hitOf = (text: string, more: Partial<Hit> = {}): Hit => ({
  type: 'entry',
  id: text,
  short: 'k3f',
  score: 1,
  text,
  matches: [],
  question: null,
  similar: [],
  agent: 'claude-code',
  session: 's',
  project: 'shop-1234',
  at: '2026-11-20T10:00:00.000Z',
  role: 'user',
  origin: 'user',
  tool: null,
  status: null,
  path: '/home/ana/.claude/projects/-home-ana-shop/11111111-1111-4111-8111-111111111111.jsonl',
  line: 7,
  source: 'log',
  citation: 'claude-code:s',
  ...more,
});
const keyOf = (name: string, more: Partial<Key> = {}): Key => ({
  name,
  text: '',
  ctrl: false,
  meta: false,
  ...more,
});
const ENTER = keyOf('return');
const SLOW = { timeout: 20_000, interval: 20 };
const spelled = (text: string): Key[] => Array.from(text, (sign) => keyOf(sign, { text: sign }));

/** A person at a terminal; `type` presses keys, `screen` is what stands there last. */
function seat(io: Io) {
  let [listener, shown, all]: [(typed: Typed) => void, string, string] = [() => {}, '', ''];
  return {
    io: {
      ...io,
      outIsTerminal: true,
      screen: { columns: 120, rows: 24 },
      typing: (on: (typed: Typed) => void) => {
        listener = on;
        return () => (listener = () => {});
      },
      out: (text: string) => void ([shown, all] = [text, all + text]),
      paint: (text: string) => void ([shown, all] = [text, all + text]),
    } satisfies Io,
    press: (...typed: Typed[]) => typed.forEach((each) => listener(each)),
    screen: () => stripVTControlCharacters(shown),
    all: () => all,
  };
}

describe('the screen', () => {
  const odd = fc.array(
    fc.constantFrom(
      'word',
      '日本語',
      '🚀',
      '\u001b[31m',
      '\n',
      '\t',
      '\u009b2J',
      'e\u0301',
      '\u202e',
      ' ',
    ),
    { maxLength: 60 },
  );

  test.each([40, 60, 80, 99, 100, 140, 200])(
    'every line fits into %d columns, whatever logs and people wrote',
    (columns) => {
      fc.assert(
        fc.property(
          fc.array(odd, { maxLength: 8 }),
          odd,
          fc.integer({ min: 3, max: 30 }),
          fc.boolean(),
          (texts, typed, rows, colour) => {
            const hits = texts.map((all) =>
              hitOf(all.join(''), {
                matches: [[0, Math.min(4, all.join('').length)]],
                question: all.join(''),
              }),
            );
            const line = typed.join('');
            const finding = {
              line,
              at: line.length,
              hits,
              chosen: Math.max(0, hits.length - 1),
              note: '3 hits',
            };
            const { lines, cursor } = renderFinder(
              finding,
              { columns, rows },
              { userHome: '/home/ana', colour },
            );
            expect(lines.length).toBeLessThanOrEqual(rows);
            expect(cursor).toBeLessThan(columns);
            for (const each of lines) {
              const plain = colour ? stripVTControlCharacters(each) : each;
              expect(cellWidth(plain)).toBeLessThanOrEqual(columns);
              expect(plain).not.toMatch(/[\p{Cc}\u202e]/u);
            }
          },
        ),
        { numRuns: 30 },
      );
    },
  );

  test('each hit with its first line, agent and day; the passage of the chosen one beside the list or below it', () => {
    const hits = [
      hitOf('use pnpm here'),
      hitOf('never\npush to main', { agent: null, type: 'lesson', matches: [[6, 10]] }),
    ];
    const shown = (columns: number, colour: boolean): string[] =>
      renderFinder(
        { line: 'push', at: 4, hits, chosen: 1, note: '2 hits' },
        { columns, rows: 12 },
        { userHome: '/home/ana', colour },
      ).lines;
    expect(shown(60, false)).toEqual(
      [
        '> push',
        '2 hits                   ↑↓ choose · Enter prints · Esc ends',
        '  use pnpm here                       claude-code 2026-11-20',
        '> never push to main                       lesson 2026-11-20',
        '─'.repeat(60),
        'lesson · user · shop-1234 · 2026-11-20 10:00',
        '…ana-shop/11111111-1111-4111-8111-111111111111.jsonl:7',
        '',
        'never',
        'push to main',
      ].map((line) =>
        line.startsWith('…') ? (expect.stringMatching(/^….*\.jsonl:7$/) as string) : line,
      ),
    );
    hits.push(hitOf('yes', { project: 'a-long-name-of-a-project' }));
    expect(shown(60, false)[2]).toBe(
      '  use pnpm here             shop-1234 claude-code 2026-11-20',
    );
    expect(shown(60, false)[4]).toBe(
      '  yes                  a-long-name-o… claude-code 2026-11-20',
    );
    hits.pop();
    expect(shown(120, false)[3]).toMatch(/^> never push to main +lesson 11-20 │ …?.*\.jsonl:7$/);
    expect(shown(120, true).join('\n')).toContain('\u001b[1;33mpush\u001b[0m to main');
  });
});

test('the line is edited as in a shell, and no control character gets into it', () => {
  const after = (line: string, at: number, ...keys: Key[]) =>
    keys.reduce((now, key) => edited(now, key), { line, at });
  const ctrl = (name: string): Key => keyOf(name, { ctrl: true });
  expect(after('', 0, ...spelled('flaky 🚀'))).toEqual({ line: 'flaky 🚀', at: 8 });
  expect(after('a🚀', 3, keyOf('backspace'))).toEqual({ line: 'a', at: 1 });
  expect(after('a🚀b', 4, keyOf('left'), keyOf('left'), keyOf('delete'))).toEqual({
    line: 'ab',
    at: 1,
  });
  expect(after('two words', 9, ctrl('w'))).toEqual({ line: 'two ', at: 4 });
  expect(after('two words', 4, ctrl('k'))).toEqual({ line: 'two ', at: 4 });
  expect(after('two words', 4, ctrl('u'))).toEqual({ line: 'words', at: 0 });
  expect(
    after('x', 1, keyOf('tab', { text: '\t' }), keyOf('f5'), keyOf('x', { text: 'x', meta: true })),
  ).toEqual({ line: 'x', at: 1 });
});

describe('the queries', () => {
  /** Each query is answered when the test says so. */
  function asking() {
    const stage = setStage();
    const open: { query: string; answer: (hits: Hit[]) => void }[] = [];
    const at = seat(stage.io());
    const find = (query: string): Promise<Findings> =>
      new Promise((resolve) =>
        open.push({ query, answer: (hits) => resolve({ hits, note: `${hits.length} found` }) }),
      );
    let tellBetter = (): void => {};
    const chosen = findAsTyped(at.io, find, new Promise((resolve) => (tellBetter = resolve)));
    const isAsked = (count: number) => vi.waitFor(() => expect(open).toHaveLength(count), SLOW);
    const shows = (text: string) => vi.waitFor(() => expect(at.screen()).toContain(text), SLOW);
    return {
      at,
      open,
      chosen,
      isAsked,
      shows,
      tellBetter: () => tellBetter(),
      remove: () => stage.remove(),
    };
  }

  test('one at a time: what is typed meanwhile is asked once, as it stands then, and the last answer wins', async () => {
    const { at, open, chosen, isAsked, shows, remove } = asking();
    at.press(...spelled('flak'));
    await isAsked(1);
    for (const sign of spelled('y test')) at.press(sign);
    open[0]!.answer([hitOf('of flak')]);
    await isAsked(2);
    expect(open.map(({ query }) => query)).toEqual(['flak', 'flaky test']);
    open[1]!.answer([hitOf('of flaky test'), hitOf('another')]);
    await shows('2 found');
    at.press(keyOf('down'), ENTER);
    expect((await chosen)?.text).toBe('another');
    expect(at.all()).toMatch(/\u001b\[\?1049h[\s\S]*\u001b\[\?1049l$/);
    remove();
  });

  test('Enter waits for the answer to what is typed; a line that was emptied shows nothing of it', async () => {
    const { at, open, chosen, isAsked, shows, remove } = asking();
    at.press(...spelled('a'));
    await isAsked(1);
    at.press(keyOf('u', { ctrl: true }));
    open[0]!.answer([hitOf('of a')]);
    await shows('type words to search for');
    expect(at.screen()).not.toContain('of a');
    at.press(...spelled('b'), ENTER);
    await isAsked(2);
    open[1]!.answer([hitOf('of b')]);
    expect((await chosen)?.text).toBe('of b');
    remove();
  });

  test('a better answer to the same query keeps the choice; pasted lines are blanks; Ctrl-C ends it', async () => {
    const { at, open, chosen, isAsked, shows, tellBetter, remove } = asking();
    at.press(
      keyOf('paste-start'),
      ...spelled('two'),
      ENTER,
      ...spelled('words'),
      keyOf('paste-end'),
    );
    await isAsked(1);
    expect(open[0]!.query).toBe('two words');
    open[0]!.answer([hitOf('first'), hitOf('second')]);
    await shows('2 found');
    at.press(keyOf('down'));
    tellBetter();
    await isAsked(2);
    open[1]!.answer([hitOf('new'), hitOf('first'), hitOf('second')]);
    await shows('3 found');
    expect(at.screen()).toMatch(/^> second/m);
    at.press({ columns: 50, rows: 10 });
    expect(at.screen().split('\r\n')[4]).toMatch(/^> second/);
    at.press(keyOf('c', { ctrl: true }));
    expect(await chosen).toBeNull();
    remove();
  });
});

describe('the command', () => {
  test('Enter prints the passage with its place, Esc prints nothing and exits 130', async () => {
    const stage = await samplesStage();
    const at = seat(stage.io());
    const code = main(['search', '--project', 'all', '--context', '1'], at.io);
    await vi.waitFor(() => expect(at.screen()).toContain('type words'), SLOW);
    at.press(...spelled('generated client'), ENTER);
    expect(await code).toBe(0);
    const printed = stripVTControlCharacters(at.all().split('\u001b[?1049l')[1]!).replaceAll(
      /\s+/g,
      ' ',
    );
    const [, id] = / show (\w+)` prints all of it $/.exec(printed)!;
    expect((await stage.type('show', id!)).out).toContain('`openapi.yaml`');
    expect(printed).toMatch(/^1\. \[entry assistant\] .* ~\/\.claude\/projects\/\S+\.jsonl:22 /);
    expect(printed).toContain('The parameter is in `openapi.yaml` now');
    expect(printed).toMatch(/ -1 \w+: /);
    // What is only passed by while typing is no use of a lesson.
    expect(stage.has('uses.jsonl') ? stage.read('uses.jsonl') : '').not.toContain('"lesson"');
    const left = seat(stage.io());
    const end = main(['search'], left.io);
    await vi.waitFor(() => expect(left.screen()).toContain('type words'), SLOW);
    left.press(keyOf('escape'));
    expect(await end).toBe(130);
    expect(left.all()).toMatch(/\u001b\[\?1049l$/);
  });

  test('a pipe, an agent, a dumb terminal and --json get the usage error; without a memory it says what to do', async () => {
    const stage = await samplesStage();
    const { io } = seat(stage.io());
    for (const more of [
      { outIsTerminal: false },
      { caller: () => ({ kind: 'agent', name: 'codex' }) as const },
      { env: { ...io.env, TERM: 'dumb' } },
    ])
      expect(await main(['search'], { ...io, ...more })).toBe(2);
    expect(await main(['search', '--json'], io)).toBe(2);
    expect(await main(['search', '--mode', 'loud'], io)).toBe(2);
    const fresh = setStage();
    expect(await main(['search'], seat(fresh.io()).io)).toBe(10);
    fresh.remove();
  });

  test('which command lines are typed there is known before the command is loaded', () => {
    const flags = Object.entries(searchCommand.options).filter(
      ([, { type }]) => type === 'boolean',
    );
    expect([...SEARCH_FLAGS].sort()).toEqual(['help', ...flags.map(([name]) => name)].sort());
    for (const argv of [
      [],
      ['--project', 'all'],
      ['--open'],
      ['--mode=exact', '--limit', '5'],
      ['--unnoted', '--kind', 'lesson'],
    ]) {
      expect([isSearchTyped(['search', ...argv]), outputOf(['search', ...argv])]).toEqual([
        true,
        'live',
      ]);
      expect(runsInDaemon(['search', ...argv])).toBe(false);
    }
    for (const argv of [
      ['x'],
      ['-'],
      ['--open', 'x'],
      ['--project', 'all', 'x'],
      ['--json'],
      ['--help'],
      ['--', '-x'],
      ['--mode=exact', 'x'],
    ])
      expect([argv, isSearchTyped(['search', ...argv])]).toEqual([argv, false]);
    expect(runsInDaemon(['search', '--project', 'all', 'x'])).toBe(true);
  });
});
