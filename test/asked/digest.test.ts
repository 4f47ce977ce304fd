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

  test('lines that only say that something failed give way to the one that says what', () => {
    const output = [
      'pump_test.go:12: got 3 bar, want 4',
      'FAIL',
      'FAIL pump 0.5s',
      '[test] ERROR task failed',
      'Exit code 1',
    ];
    expect(shown([call('a', 'make pump'), result('a', output.join('\n'))])[1]).toBe(
      '[1] ran: make pump -> failed (exit 1): pump_test.go:12: got 3 bar, want 4',
    );
    const empty = result('a', 'Exit code 1', { error: 'Exit code <n>' });
    expect(shown([call('a', 'make pump'), empty])[1]).toBe('[1] ran: make pump -> failed (exit 1)');
  });

  test('error lines take 300 characters at most, the last that fit', () => {
    const lines = Array.from(
      { length: 30 },
      (_, i) => `Error: valve ${i} ${'is stuck and does not move '.repeat(4)}`,
    );
    const [, line] = shown([call('a', 'make pump'), result('a', lines.join('\n'))]);
    const why = line!.split('(exit 1): ')[1]!;
    expect(why.length).toBeLessThanOrEqual(300);
    expect(why).toContain('valve 29');
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

  test('the outcome of a command that went on is the one that its last poll tells', () => {
    const running = result('a', 'Process running', { outcome: null, exit: null });
    const ended = result('a', '12 passed', { outcome: 'ok', exit: 0 });
    expect(shown([call('a', 'make soak'), running, ended])[1]).toBe('[1] ran: make soak -> ok');
    expect(shown([call('a', 'make soak'), ended, running])[1]).toBe('[1] ran: make soak -> ok');
  });

  test('where the log tells no status, the output does; a command that only looks is not told', () => {
    const untold = (text: string) => result('a', text, { outcome: null, exit: null });
    expect(shown([call('a', 'make pump'), untold('12 tests passed')])[1]).toBe(
      '[1] ran: make pump -> seems ok',
    );
    expect(shown([call('a', 'make pump'), untold('fatal: no seal')])[1]).toBe(
      '[1] ran: make pump -> seems to have failed: fatal: no seal',
    );
    for (const look of [
      'cat log.txt',
      'cd /pump && grep -r seal . | head',
      'git log -3; echo done',
    ])
      expect(shown([call('a', look), untold('fatal: no seal')])).toEqual([]);
    const inFolder = (command: string) =>
      shown([{ ...call('a', command), cwd: '/pump' }, untold('12 tests passed')])[1];
    expect(inFolder('cd /pump && make pump')).toBe('[1] ran: make pump -> seems ok');
    expect(inFolder('cd /pump/web && make pump')).toBe(
      '[1] ran: cd /pump/web && make pump -> seems ok',
    );
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

describe('turning points', () => {
  const ok = (id: string) => result(id, 'done', { outcome: 'ok', exit: 0 });
  const edit = (text: string, file: string): Partial<Entry> => ({
    role: 'tool_call',
    origin: 'agent',
    tool: 'Edit',
    text,
    files: [file],
    call: `edit of ${file}`,
  });

  test('a failure, what changed, and the run that passed stand side by side, though little room is left', () => {
    const talk = Array.from({ length: 30 }, (_, n) => answered(`Valve ${n} of the pump is red.`));
    const lines = shown(
      [
        typed('Fix the demo.'),
        call('a', 'sh docs/demo.sh'),
        result('a', 'Error: pump.toml is missing the key `pressure`'),
        ...talk,
        edit('@@\n pump:\n-bar = 4\n+pressure = 4', 'docs/pump.toml'),
        call('b', 'cat docs/pump.toml'),
        ok('b'),
        call('c', 'sh docs/demo.sh'),
        ok('c'),
      ],
      { sessionTokens: 160, partTokens: 160 },
    ).filter((line) => !line.startsWith('[… '));
    expect(lines.map((line) => line.replace(/^\[\d+\] /, ''))).toEqual(
      expect.arrayContaining([
        'ran: sh docs/demo.sh -> failed (exit 1): Error: pump.toml is missing the key `pressure`',
        'edited: docs/pump.toml: -bar = 4 +pressure = 4',
        'ran: sh docs/demo.sh -> ok',
      ]),
    );
  });

  test('an edit that cured nothing shows its file alone', () => {
    expect(shown([edit('-bar = 4\n+pressure = 4', 'pump.toml')])[1]).toBe('[1] edited: pump.toml');
  });
});

describe('what says nothing is left out', () => {
  test('a sentence that only announces or waits; not one that also says something', () => {
    const silent = [
      'Still waiting on the slow pump tests.',
      "Now I'll look at the valve of the pump.",
      'Let me check the seal first:',
      'Okay, let me run the pump tests again…',
    ];
    expect(silent.flatMap((text) => shown([answered(text)]))).toEqual([]);
    for (const text of [
      'Let me use steel. Rubber seals leak at 4 bar.',
      'The pump tests are slow because each opens a valve.',
    ])
      expect(shown([answered(text)])[1]).toBe(`[1] agent: ${text}`);
    const last = answered('I will leave the seal as it is.', { marks: ['final'] });
    expect(shown([last])[1]).toContain('leave the seal');
  });

  test('orders to a host, its block around the typed sentence, and the second printing of an answer', () => {
    const said = 'The pump leaks because the seal is of rubber; steel holds at 4 bar.';
    const panel = [
      '# Context from my IDE setup:',
      '## Open tabs:',
      '- pump.toml: docs/pump.toml',
      '## My request for Codex:',
      'Use steel seals.',
    ].join('\n');
    expect(
      shown([
        typed(panel),
        answered(`${said}\n::git-stage{cwd="/pump"}`),
        answered(said, { marks: ['final'] }),
      ]),
    ).toEqual(['-- 2026-11-20', '[1] user: Use steel seals.', `[2] agent: ${said}`]);
  });

  test('twenty polls of one command are one line with their count; another command in between ends it', () => {
    const poll = (n: number) => [
      call(`p${n}`, 'gh run watch'),
      result(`p${n}`, 'queued', { outcome: 'ok', exit: 0 }),
      answered('Still running the slow tests.'),
    ];
    const polls = Array.from({ length: 20 }, (_, n) => poll(n)).flat();
    expect(shown([...polls, call('m', 'make pump'), ...poll(30)]).slice(1)).toEqual([
      '[1] ran: gh run watch -> ok (20 times)',
      '[2] ran: make pump',
      '[3] ran: gh run watch -> ok',
    ]);
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

describe('what does not fit', () => {
  test('a command that failed, and the one that worked then, are whole up to 400 characters; others end with a mark', () => {
    const long = `make pump ${'SEAL=steel '.repeat(33)}`.trim();
    const ok = result('b', 'fine', { outcome: 'ok', exit: 0 });
    const [, failed, cured] = shown([
      call('a', long),
      result('a', 'Error: no seal'),
      call('b', `${long} -k`),
      ok,
    ]);
    expect(failed).toBe(`[1] ran: ${long} -> failed (exit 1): Error: no seal`);
    expect(cured).toBe(`[2] ran: ${long} -k -> ok`);
    const [, usual] = shown([call('b', long), ok]);
    expect(usual).toMatch(/^\[1\] ran: make pump [A-Z=a-z ]+ \[… \d+ more characters\] -> ok$/);
    expect(Number(/… (\d+)/.exec(usual!)![1])).toBe(
      long.length - usual!.indexOf(' […') + '[1] ran: '.length,
    );
  });

  test('text is cut between sentences, a file in a code block leaves a mark, and lines that are left out are counted', () => {
    const sentence = (n: number) => `Valve ${n} sticks when the pump is cold.`;
    const talk = Array.from({ length: 20 }, (_, n) => sentence(n)).join(' ');
    const [, line] = shown([answered(talk)]);
    expect(line).toMatch(
      /^\[1\] agent: (?:Valve \d+ sticks when the pump is cold\. ?)+ \[… \d+ more characters\]$/,
    );
    const proposed = answered(
      'The pump wants this setting:\n```\nseal: 1\nbar: 4\n```\nThen it runs.',
    );
    expect(shown([proposed]).join('\n')).toContain(
      '[1] agent: The pump wants this setting:\nseal: 1\nbar: 4\nThen it runs.',
    );
    const read = result('a', '  1\tseal: 1\n  2\tbar: 4');
    expect(shown([read, proposed]).join('\n')).toContain(
      'setting:\n[code, 2 lines]\nThen it runs.',
    );
    const advice = answered('To seal it:\n```bash\nmake seal\n```');
    expect(shown([result('a', 'make seal'), advice]).join('\n')).toContain('seal it:\nmake seal');
    const listing = answered(`The pump:\n\`\`\`\n${'a seal\n'.repeat(6)}\`\`\``);
    expect(shown([listing]).join('\n')).toContain('[code, 6 lines]');
    const many = [
      typed('Look.'),
      ...Array.from({ length: 40 }, (_, n) => answered(sentence(n))),
      typed('Go on.'),
    ];
    const lines = shown(many, { sessionTokens: 200, partTokens: 200 });
    const left = lines.flatMap((each) => /^\[… (\d+) lines\]$/.exec(each)?.[1] ?? []).map(Number);
    expect(
      left.reduce((sum, count) => sum + count, 0) +
        lines.filter((each) => /^\[\d+\]/.test(each)).length,
    ).toBe(42);
  });

  test('a long answer keeps its end, where it comes to its point; a prompt that was sent again is shown once', () => {
    const final: Partial<Entry> = { role: 'assistant', origin: 'agent', marks: ['final'] };
    const text = `The pump has four valves. ${'Valve two was looked at and is fine. '.repeat(170)}So we open valve 3 first.`;
    const lines = shown([
      typed('which valve first?'),
      typed('which valve first?'),
      { ...final, text },
    ]);
    expect(lines.filter((line) => line.includes('which valve'))).toHaveLength(1);
    expect(lines.at(-1)).toMatch(
      /^\[2\] agent: The pump has four valves\. .* characters …\] .*So we open valve 3 first\.$/,
    );
  });

  test('conclusions share what is left: none is dropped because the last one is long', () => {
    const final = (text: string): Partial<Entry> => ({
      role: 'assistant',
      origin: 'agent',
      marks: ['final'],
      text,
    });
    const long = (n: number): string =>
      `Finding ${n} is about the seal. ${'The seal was looked at. '.repeat(60)}So seal ${n} goes.`;
    const lines = shown(
      [1, 2, 3, 4].flatMap((n) => [typed(`${n}. Apply now.`), final(long(n))]),
      { sessionTokens: 900, partTokens: 2000 },
    );
    for (const n of [1, 2, 3, 4])
      expect(lines.join('\n')).toMatch(new RegExp(`Finding ${n} is[\\s\\S]*So seal ${n} goes`));
  });

  test('what stood in the prompts of earlier sessions is told by its length', () => {
    const frame = 'Follow the rules of the pump house. '.repeat(30);
    const { entries } = sessionOf([{ ...DAY, ...typed(`${frame}\nOil valve 7 today.`) }]);
    const [part] = planDigest(entries, {
      ...LIMITS,
      isRepeated: (stretch) => frame.includes(stretch),
    });
    expect(part!.lines[0]!.text).toMatch(
      /^user: \[\d+ characters as in earlier sessions\][\s\S]{0,200}Oil valve 7 today\.$/,
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
        fc.array(fc.string({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 60 }),
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
    return takeClaims(answer.claims, session, lines, new Map()).candidates[0]!.importance;
  };
  expect([1, 2, 3, '3', 7, 'high', undefined].map((said) => importance('fact', said))).toEqual([
    1, 2, 3, 3, 2, 2, 2,
  ]);
  expect([1, 3].map((said) => importance('gotcha', said))).toEqual([2, 4]);
  const typedQuote = 'Use steel seals in this pump, never rubber';
  expect([1, 3].map((said) => importance('preference', said, 1, typedQuote))).toEqual([3, 4]);
  expect(importance('correction', 1, 1, typedQuote)).toBe(5);
});
