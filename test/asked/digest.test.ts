/** What a model is shown of a session. Everything here is invented. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planDigest, readAnswer, renderDigest, takeClaims } from '../../src/asked/index.js';
import type { Entry } from '../../src/types.js';
import { answered, sessionOf, typed } from '../parse/session-of.js';
import { countTokens } from '../../src/text/tokens.js';

const LIMITS = { sessionTokens: 5000, partTokens: 4000 };
const DAY = { time: '2026-11-20T10:00:00.000Z' };

function shown(parts: Partial<Entry>[], limits = LIMITS): string[] {
  return planDigest(sessionOf(parts.map((part) => ({ ...DAY, ...part }))).entries, limits).flatMap(
    (part) => renderDigest(part).split('\n'),
  );
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
      '[4] plan that the user approved: Implement the following plan:',
      '# Seal',
    ]);
  });
});

describe('what says nothing is left out', () => {
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
    const few = { sessionTokens: 300, partTokens: 300 };
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
        (texts, sessionTokens) => {
          const session = sessionOf(
            texts.map((text, i) => (i % 4 === 3 ? answered(text) : typed(text))),
          );
          const seen = new Set<number>();
          let after = -1;
          for (let asked = 0; asked <= texts.length; asked++) {
            const parts = planDigest(
              session.entries,
              { sessionTokens, partTokens: sessionTokens },
              after,
            );
            const tokens = parts
              .flatMap(({ lines }) => lines)
              .reduce((sum, { text }) => sum + countTokens(text), 0);
            expect(tokens).toBeLessThanOrEqual(Math.max(sessionTokens, 32));
            parts.forEach(({ lines }) => lines.forEach(({ entry }) => seen.add(entry.seq)));
            const upTo = parts.at(-1)?.upTo ?? after;
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
  const lines = planDigest(session.entries, LIMITS)[0]!.lines;
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
    return takeClaims(answer, session, lines, new Map()).candidates[0]!.importance;
  };
  expect([1, 2, 3, '3', 7, 'high', undefined].map((said) => importance('fact', said))).toEqual([
    1, 2, 3, 3, 2, 2, 2,
  ]);
  expect([1, 3].map((said) => importance('gotcha', said))).toEqual([2, 4]);
  const typedQuote = 'Use steel seals in this pump, never rubber';
  expect([1, 3].map((said) => importance('preference', said, 1, typedQuote))).toEqual([3, 4]);
  expect(importance('correction', 1, 1, typedQuote)).toBe(5);
});
