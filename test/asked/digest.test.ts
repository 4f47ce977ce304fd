/** What a model is shown of a session. Everything here is invented. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isWorthAsking,
  planDigest,
  readAnswer,
  renderDigest,
  takeClaims,
} from '../../src/asked/index.js';
import type { Entry } from '../../src/types.js';
import { answered, sessionOf, typed } from '../parse/session-of.js';
import { countTokens } from '../../src/text/tokens.js';

const LIMITS = 5000;
const DAY = { time: '2026-11-20T10:00:00.000Z' };

function shown(parts: Partial<Entry>[], limits = LIMITS): string[] {
  const { entries } = sessionOf(parts.map((part) => ({ ...DAY, ...part })));
  return renderDigest(planDigest(entries, limits).lines).split('\n');
}
function call(id: string, command: string): Partial<Entry> {
  return { role: 'tool_call', origin: 'agent', tool: 'Bash', text: command, command, call: id };
}
function result(id: string, text: string, more: Partial<Entry> = {}): Partial<Entry> {
  return {
    role: 'tool_result',
    origin: 'tool',
    tool: 'Bash',
    text,
    call: id,
    outcome: 'failed',
    exit: 1,
    ...more,
  };
}

describe('what happened', () => {
  test('a failed command shows the lines of its output that name the error, and nothing else of it', () => {
    const output = [
      'src/pump.ts holds const secret = 4',
      'src/seal.py:117:16 - warning: Import "oil" could not be resolved from source (reportMissingModuleSource)',
      'Error: pump-seal.toml is missing the key `pressure`',
      '    at open (pump.js:3:4)',
      '1 failed',
      'Exit code 1',
    ].join('\n');
    expect(shown([call('a', 'make pump'), result('a', output)])).toEqual([
      '-- 2026-11-20',
      '[1] ran: make pump -> failed (exit 1): Error: pump-seal.toml is missing the key `pressure`',
    ]);
  });

  test('nothing of a file that a command prints, and nothing that a stranger wrote', () => {
    const file = result('a', 'Error: this line stands in notes.txt', { error: 'exit' });
    for (const command of ['cat notes.txt && make pump', 'git show HEAD && make pump'])
      expect(shown([call('a', command), file])[1]).not.toContain('notes.txt is');
    expect(shown([call('a', 'cat notes.txt && make pump'), file]).join()).not.toContain(
      'this line stands',
    );
    expect(shown([call('a', 'git show HEAD && make'), file]).join()).not.toContain(
      'this line stands',
    );
    const page = result('a', 'Error: you must run the installer', {
      origin: 'external',
      error: 'Error: you must run',
    });
    expect(shown([call('a', 'make fetch'), page])[1]).toBe(
      '[1] ran: make fetch -> failed (exit 1)',
    );
    // What is printed through a filter is the command's own.
    expect(
      shown([call('a', 'make pump 2>&1 | tail -5'), result('a', 'Error: no seal')])[1],
    ).toContain('Error: no seal');
  });

  test('the day stands where it begins; who asked and who answered is told', () => {
    const asked = {
      role: 'tool_call' as const,
      origin: 'agent' as const,
      tool: 'AskUserQuestion',
      call: 'q',
      line: 7,
    };
    expect(
      shown([
        typed('Look at the pump.'),
        { ...asked, text: 'Which seal?\nrubber | steel' },
        {
          role: 'tool_result',
          origin: 'tool',
          call: 'q',
          text: 'answered',
          outcome: 'ok',
          line: 8,
        },
        typed('steel', { marks: ['question'], call: 'q', line: 8 }),
        typed('not on the live pump', { marks: ['rejection'], time: '2026-11-21T09:00:00.000Z' }),
        {
          role: 'user',
          origin: 'agent',
          text: 'Implement the following plan:\n# Seal',
          marks: ['plan'],
        },
      ]),
    ).toEqual([
      '-- 2026-11-20',
      '[1] user: Look at the pump.',
      '[2] agent asked: Which seal? rubber | steel user answered: steel',
      '-- 2026-11-21',
      '[3] user, refusing the call: not on the live pump',
      '-- 2026-11-20',
      '[4] plan that the user approved: # Seal',
    ]);
  });
});

describe('turning points', () => {
  const edit = (path: string, text: string): Partial<Entry> => ({
    role: 'tool_call',
    origin: 'agent',
    tool: 'Edit',
    text,
    files: [path],
  });

  test('a failure, what changed and the run that passed are side by side, unclipped', () => {
    const talk = Array.from({ length: 60 }, (_, i) =>
      answered(
        `The gauge ${i} of \`pump${i}.ts\` shows ${i} bar in the old hall. ${'word '.repeat(30)}`,
      ),
    );
    const lines = shown(
      [
        typed('Make the demo work.'),
        ...talk,
        call('a', 'docs/demo.sh'),
        result('a', 'docs/demo.sh: line 3: seal: command not found'),
        call('b', 'docs/demo.sh'),
        result('b', 'docs/demo.sh: line 3: seal: command not found'),
        edit('docs/demo.sh', '--- a\n+++ b\n-seal --steel\n+./bin/seal --steel'),
        call('c', 'docs/demo.sh'),
        result('c', 'sealed', { outcome: 'ok', exit: 0 }),
        ...talk,
      ],
      400,
    );
    const at = lines.findIndex((line) => line.includes('docs/demo.sh -> failed'));
    expect(lines.slice(at, at + 3).map((line) => line.replace(/^\[\d+\] /, ''))).toEqual([
      'ran: docs/demo.sh -> failed (exit 1): docs/demo.sh: line 3: seal: command not found (2 times)',
      'edited: docs/demo.sh: -seal --steel +./bin/seal --steel',
      'ran: docs/demo.sh -> ok',
    ]);
  });

  test('another command of the same class is the cure, too', () => {
    const lines = shown(
      [
        call('a', 'npm test'),
        result('a', 'Error: the lockfile is of pnpm'),
        call('b', 'pnpm install'),
        result('b', 'done', { outcome: 'ok', exit: 0 }),
        ...Array.from({ length: 40 }, (_, i) =>
          answered(`The boiler \`b${i}\` is warm. ${'word '.repeat(40)}`),
        ),
        call('c', 'pnpm test'),
        result('c', '12 passed', { outcome: 'ok', exit: 0 }),
      ],
      200,
    );
    expect(lines.join('\n')).toMatch(
      /npm test -> failed[\s\S]*pnpm install -> ok[\s\S]*pnpm test -> ok/,
    );
  });

  test.each([
    [
      'E501 Line too long (89 > 88)\n --> src/a.py:3:89\n\nFound 12 errors.',
      'E501 Line too long (89 > 88)',
    ],
    ['Error:\n  the pump has no seal of steel', 'the pump has no seal of steel'],
    [
      "src/a.ts(3,7): error TS2304: Cannot find name 'x'.\nFound 12 errors.",
      "error TS2304: Cannot find name 'x'",
    ],
    [
      'FAIL test/pump.test.ts\nAssertionError: expected 3 to be 4\n 1 failed',
      'AssertionError: expected 3 to be 4',
    ],
  ])('the error says what it is: %s', (output, error) => {
    expect(
      shown([call('a', 'make lint'), result('a', output, { error: 'Found <n> errors.' })])[1],
    ).toContain(error);
  });
});

describe('what says nothing is left out', () => {
  const said = (...texts: string[]): string[] =>
    shown(texts.map((text) => answered(text))).filter((line) => !line.startsWith('--'));

  test('announcements, waiting, orders to the host, and remarks that name nothing', () => {
    expect(
      said(
        'Still waiting on the slow CI tail.',
        'Let me check the valve first.',
        'Perfect! All tests pass. Now let me run the linter:',
        'Check if the seal is worn.',
        '::git-stage{files="a.ts"}',
        'Found it: the valve reads `PUMP_BAR` before `.env` is loaded. Let me fix that now.',
        'The lid of `hall 2` is worn — let me look at it.',
        'I need to keep `seal.ts` as it is, because the old hall imports it.',
      ),
    ).toEqual([
      '[1] agent: Found it: the valve reads `PUMP_BAR` before `.env` is loaded.',
      '[2] agent: The lid of `hall 2` is worn',
      '[3] agent: I need to keep `seal.ts` as it is, because the old hall imports it.',
    ]);
  });

  test('a second printing, and a new draft of the same words', () => {
    const draft =
      'Pumps that seal themselves: version 3 is out, with steel valves and a quiet boiler.';
    expect(
      said(draft, `Here it is again:\n${draft}`, draft.replace('is out', 'arrives today')),
    ).toEqual([`[1] agent: ${draft}`]);
  });

  test('twenty polls of one check are one line with their count; edits in a row are one line', () => {
    const polls = Array.from({ length: 20 }, (_, i) => [
      answered(`Still running, I look again in a minute.`),
      call(`p${i}`, 'gh pr checks 12'),
      result(`p${i}`, 'pending', { outcome: 'ok', exit: 0 }),
    ]).flat();
    const edits = ['a.ts', 'b.ts', 'a.ts'].map((path) => ({
      ...{ role: 'tool_call' as const, origin: 'agent' as const, tool: 'Edit' },
      ...{ text: '+x', files: [path] },
    }));
    expect(shown([...polls, ...edits])).toEqual([
      '-- 2026-11-20',
      '[1] ran: gh pr checks 12 -> ok (20 times)',
      '[2] edited: a.ts, b.ts',
    ]);
  });

  test('a block of a host, and lines of an earlier prompt; the sentence of the person stays', () => {
    const context =
      '# Context from my IDE setup:\n\n## Open tabs:\n- pump.ts\n\n## My request for Codex:\n';
    const rules = 'You are the keeper of the pumps of the old hall, and you know all valves.';
    expect(
      shown([
        typed(`${context}Use steel seals.`),
        typed(`Look at hall 1.\n${rules}\nThen paint it.`),
        answered('Hall 1 needs `make paint` twice.'),
        typed(`Look at hall 2.\n${rules}\nThen oil it.`),
      ]),
    ).toEqual([
      '-- 2026-11-20',
      '[1] user: Use steel seals.',
      '[2] user: Look at hall 1.',
      rules,
      'Then paint it.',
      '[3] agent: Hall 1 needs `make paint` twice.',
      '[4] user: Look at hall 2.',
      '[as before]',
      'Then oil it.',
    ]);
  });

  test('of a prompt that was stopped and sent again with more, the last form is shown', () => {
    const first = 'Print the pressure of each pump in bar, and the valve that';
    expect(shown([typed(first), typed(`${first} feeds it`)])).toEqual([
      '-- 2026-11-20',
      `[1] user: ${first} feeds it`,
    ]);
  });

  test('a code block of five lines is whole, a longer one is a mark', () => {
    const block = (lines: number): string =>
      `Seal \`hall 1\` with this:\n\`\`\`sh\n${Array.from({ length: lines }, (_, i) => `make seal-${i}`).join('\n')}\n\`\`\``;
    expect(said(block(5)).join('\n')).toContain('make seal-4');
    expect(said(block(6)).join('\n')).toContain('[code, 6 lines]');
  });

  test('what a person pasted is marked as pasted', () => {
    const [, first, ...rest] = shown([
      typed('Why does it fail?\n\n```\nError: no seal\n    at pump.js:3\n```'),
    ]);
    expect(first).toBe('[1] user: Why does it fail?');
    expect(rest.join('\n')).toContain('[pasted] ```\nError: no seal');
    expect(shown([typed('Use steel.\nNever rubber.\nAsk Ann first.')]).join()).not.toContain(
      '[pasted]',
    );
  });
});

describe('what a person typed', () => {
  test('is never lost, whatever the budget: long prompts are clipped to one length, their ends stay', () => {
    const long = typed(
      `First check the seal. ${'pasted words of some log '.repeat(400)}Then never touch the valve.`,
    );
    const few = 300;
    const lines = shown(
      [
        long,
        typed('Use steel.'),
        ...Array.from({ length: 40 }, () => answered('I look at the seal of the pump.')),
        long,
      ],
      few,
    );
    const said = lines.filter((line) => line.includes('user: '));
    expect(said).toHaveLength(3);
    expect(said[1]).toContain('Use steel.');
    expect(said[0]).toMatch(/First check the seal\..* \[… \d+ characters …\] .*touch the valve\.$/);
  });

  test('comes in several questions when the prompts are more than one has room for', () => {
    fc.assert(
      fc.property(
        // A prompt that is sent again at once is shown once.
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 200 }), {
          ...{ minLength: 1, maxLength: 60, selector: (text) => text.trim() },
        }),
        fc.integer({ min: 20, max: 900 }),
        (texts, most) => {
          const session = sessionOf(
            texts.map((text, i) => (i % 4 === 3 ? answered(text) : typed(text))),
          );
          const seen = new Set<number>();
          let after = -1;
          for (let asked = 0; asked <= texts.length; asked++) {
            const { lines, upTo } = planDigest(session.entries, most, after);
            const tokens = lines.reduce((sum, { text }) => sum + countTokens(text), 0);
            expect(tokens).toBeLessThanOrEqual(Math.max(most, 32));
            lines.forEach(({ entry }) => seen.add(entry.seq));
            if (upTo === after) break;
            after = upTo;
          }
          for (const entry of session.entries)
            if (entry.role === 'user' && entry.text.trim() !== '')
              expect(seen.has(entry.seq)).toBe(true);
        },
      ),
    );
  });
});

test('importance 1 to 3 weighs a claim within its kind; a correction stays what it is', () => {
  const session = sessionOf([
    typed('Use steel seals in this pump, never rubber.'),
    answered('The pump needs 4 bar to start.'),
  ]);
  const lines = planDigest(session.entries, LIMITS).lines;
  const importance = (
    kind: string,
    said: unknown,
    line = 2,
    quote = 'The pump needs 4 bar to start',
  ) => {
    const text =
      line === 1 ? 'Use steel seals in this pump, never rubber' : 'The pump needs 4 bar to start';
    const answer = readAnswer(
      JSON.stringify({ lessons: [{ about: 'new', kind, text, line, quote, importance: said }] }),
    )!;
    return takeClaims(answer, [{ session, lines }], new Map()).candidates[0]!.importance;
  };
  expect([1, 2, 3, '3', 7, 'high', undefined].map((said) => importance('fact', said))).toEqual([
    1, 2, 3, 3, 2, 2, 2,
  ]);
  expect([1, 3].map((said) => importance('gotcha', said))).toEqual([2, 4]);
  const typedQuote = 'Use steel seals in this pump, never rubber';
  expect([1, 3].map((said) => importance('preference', said, 1, typedQuote))).toEqual([3, 4]);
  expect(importance('correction', 1, 1, typedQuote)).toBe(5);
});

describe('a session is worth a question', () => {
  const isWorth = (...parts: Partial<Entry>[]): boolean =>
    isWorthAsking(planDigest(sessionOf(parts).entries, LIMITS));
  const later = (text: string): Partial<Entry>[] => [
    typed('Paint the lid.'),
    answered('The lid is `red` now.'),
    typed(text),
  ];

  test.each<[boolean, string, Partial<Entry>[]]>([
    [
      false,
      'work that went well',
      [...later('commit'), call('a', 'make'), result('a', 'done', { outcome: 'ok', exit: 0 })],
    ],
    [true, 'a failure', [call('a', 'make pump'), result('a', 'Error: no seal of steel')]],
    [true, 'a pasted error', later('0s\nError: the pump has no seal')],
    [true, 'a question', later('why red?')],
    [true, 'a correction', later('no, blue')],
    [true, 'a wish', later('only paint it in the cold')],
    [true, 'a later prompt in letters that have no list of words', later('盖子应该是蓝色的')],
  ])('%s: %s', (expected, _, parts) => expect(isWorth(...parts)).toBe(expected));
});
