import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyContext, renderContext, renderNotesHead } from '../../src/context/index.js';
import { MAX_LINE, shortIds } from '../../src/context/lines.js';
import type { Lesson } from '../../src/types.js';
import { anyInputOf, idOf, input, lesson, shop } from './build.js';
import { runs } from '../runs.js';

/** Counts apart from the code under test. */
function count(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 3);
}

describe('context.md', () => {
  test('of a small shop', async () => {
    const { text, tokens, shown } = renderContext(shop());
    await expect(text).toMatchFileSnapshot('golden/context.md');
    expect(tokens).toBe(count(text));
    expect(shown).not.toContain(idOf(7));
  });

  test('under a third of the budget keeps the most valuable', async () => {
    await expect(renderContext({ ...shop(), budgetTokens: 200 }).text).toMatchFileSnapshot(
      'golden/context-200.md',
    );
  });

  test('of every project', async () => {
    const { globals } = shop();
    await expect(
      renderContext(input({ project: null, lessons: globals })).text,
    ).toMatchFileSnapshot('golden/context-global.md');
  });

  test('without anything is valid and says so', () => {
    const read = renderContext(input()).text;
    expect(read).toBe(emptyContext({ name: 'shop' }, true, input().clockDay));
    expect(read).toContain('dripstone recall');
    expect(emptyContext({ name: 'shop' })).toContain('no session was read');
    expect(emptyContext({ name: 'a b' })).not.toContain('a b');
    expect(emptyContext(null)).toContain('every project');
  });

  test('the fixed part takes at most 200 tokens', () => {
    const { text } = renderContext({ ...shop(), project: { name: 'x'.repeat(60) } });
    expect(
      count(
        text
          .split('\n')
          .filter((l) => !/^[-*] /.test(l))
          .join('\n'),
      ),
    ).toBeLessThanOrEqual(200);
  });

  test.each<[string, string]>([
    [
      `Always ${'very '.repeat(30)}calm. Then ${'quite '.repeat(30)}calm.`,
      `Always ${'very '.repeat(30)}calm.`,
    ],
    [`Always ${'very '.repeat(100)}calm.`, `Always ${'very '.repeat(62).trim()}…`],
    [`Always calm. ${'very '.repeat(1000)}`, `Always calm. ${'very '.repeat(60).trim()}…`],
  ])('a long note is shown up to a sentence, else cut with a mark: %#', (text, shown) => {
    const lines = renderContext(input({ lessons: [lesson(9, { text, said_by: 'agent' })] })).text;
    expect(lines.split('\n')).toContain(`- ${shown}`);
  });

  test("a person's line that is too long stays out whole, and the rest goes on", () => {
    const words = `Never ${'very '.repeat(80)}long`;
    const long = lesson(9, { text: words, importance: 5, said_by: 'user' });
    const { text } = renderContext(input({ lessons: [long, lesson(1)] }));
    expect(text).not.toContain('very');
    expect(text).toContain('make db');
  });

  test("an agent's second claim about one thing comes after the others, the person's does not", () => {
    const claim = (
      n: number,
      said_by: Lesson['said_by'],
      importance: Lesson['importance'],
      text: string,
    ) => lesson(n, { said_by, importance, text });
    const valve = 'Open the brass valve by hand before `make heat`';
    const shownWith = (said_by: Lesson['said_by']): string[] =>
      renderContext(
        input({
          lessons: [
            claim(1, 'agent', 5, valve),
            claim(2, said_by, 4, 'The brass valve sticks: open it by hand and wait'),
            claim(3, said_by, 3, 'Coal comes on the first Monday of each month'),
          ],
        }),
      ).shown;
    expect(shownWith('agent')).toEqual([1, 3, 2].map(idOf));
    expect(shownWith('user')).toEqual([2, 3, 1].map(idOf));
  });

  test('a pinned lesson comes before everything else', () => {
    const many = Array.from({ length: 200 }, (_, i) =>
      lesson(100 + i, {
        text: `Fact ${i}: \`tool-${i}\` needs \`flag-${i}\``,
        importance: 5,
        confidence: 0.99,
      }),
    );
    const pinned = lesson(50, {
      text: 'A quiet wish',
      importance: 2,
      confidence: 0.01,
      worth: 0.1,
      pinned: true,
    });
    expect(renderContext(input({ lessons: [...many, pinned], budgetTokens: 220 })).text).toContain(
      'A quiet wish',
    );
  });

  test('a third of the room is kept for what came up in several sessions, whatever single ones are worth', () => {
    const of = (n: number, given: Partial<Lesson>) =>
      Array.from({ length: 40 }, (_, i) =>
        lesson(n + i, {
          text: `Boiler ${n + i} wants \`valve-${n + i}\` to be open at noon`,
          key: `${n + i}`,
          ...given,
        }),
      );
    const lessons = [
      ...of(1000, { sessions: 1, importance: 5 }),
      ...of(2000, { sessions: 3, importance: 2 }),
    ];
    const lines = renderContext(input({ lessons, budgetTokens: 600 }))
      .text.split('\n')
      .filter((line) => line.includes('Boiler'));
    const often = lines.filter((line) => line.includes('Boiler 20')).length / lines.length;
    expect(often).toBeGreaterThan(0.28);
    expect(often).toBeLessThan(0.45);
    expect(lines[0]).toContain('Boiler 10');
  });

  test('of two that say the same here and everywhere one stands: the one that is pinned here, else the other', () => {
    const here = lesson(1, { text: 'Never descale the boiler with vinegar, use citric acid' });
    const everywhere = lesson(2, {
      text: 'Use citric acid: never descale the boiler with vinegar',
      project: null,
      scope: 'global',
    });
    const shown = (pinned: boolean) =>
      renderContext(
        input({ lessons: [{ ...here, pinned }], globals: [everywhere], budgetTokens: 1000 }),
      ).shown;
    expect([shown(false), shown(true)]).toEqual([[everywhere.id], [here.id]]);
  });

  test("a claim that names a file of one person's home stays off, unless a person said or pinned it", () => {
    const text = 'Sign releases with the key in `/home/ann/.gnupg`';
    const shown = (given: Partial<Lesson>) =>
      renderContext(input({ lessons: [lesson(1, { text, ...given })] })).shown.length;
    expect([shown({}), shown({ pinned: true }), shown({ said_by: 'user' })]).toEqual([0, 1, 1]);
    expect(shown({ text: 'The image mounts `build/home/data` and reads `~/.kettlerc`' })).toBe(1);
  });

  test('a command and a rule about it are two points', () => {
    const two = [
      lesson(1, { text: 'Check: `make check`' }),
      lesson(2, { text: 'Before a push run `make check` and read its last lines' }),
    ];
    expect(renderContext(input({ lessons: two })).shown).toHaveLength(2);
  });
});

describe('what the page takes', () => {
  const bullets = (text: string): string[] =>
    text
      .split('## Learnt here')[1]!
      .split('\n\n')[0]!
      .split('\n')
      .filter((line) => line.startsWith('- '));

  test('a third of the room is kept for what came up in several sessions', () => {
    const of = (n: number, sessions: number, importance: 2 | 4) =>
      Array.from({ length: 40 }, (_, i) =>
        lesson(n + i, {
          text: `Boiler ${n + i} wants \`valve-${n + i}\` to be open at noon`,
          sessions,
          importance,
          key: `${n + i}`,
        }),
      );
    const [once, often] = [of(1000, 1, 4), of(2000, 3, 2)];
    const { text } = renderContext(input({ lessons: [...once, ...often], budgetTokens: 600 }));
    const seen =
      bullets(text).filter((line) => line.includes('Boiler 20')).length / bullets(text).length;
    expect(seen).toBeGreaterThan(0.28);
    expect(seen).toBeLessThan(0.45);
    expect(bullets(text)[0]).toContain('Boiler 10');
  });
});

describe('laws', () => {
  test.each([
    ['small', runs(1_000, 9_700)],
    ['large', runs(100, 300)],
  ] as const)('never over budget, lines whole: %s stores, %d of them', (size, numRuns) => {
    fc.assert(
      fc.property(anyInputOf(size), (given) => {
        const { text, tokens, shown } = renderContext(given);
        expect(tokens).toBe(count(text));
        expect(tokens).toBeLessThanOrEqual(given.budgetTokens);
        const lines = text.split('\n');
        const unknown = lines.filter(
          (l) =>
            l.startsWith('- ') &&
            / \^[a-z0-9]{3,16}$/.test(l) &&
            !shown.some((id) => id.startsWith(l.slice(l.lastIndexOf('^') + 1))),
        );
        expect([lines.filter((l) => l.length > MAX_LINE), unknown, lines.at(-1)]).toEqual([
          [],
          [],
          '',
        ]);
      }),
      { numRuns },
    );
  });

  test('the same store in another order gives the same bytes', () => {
    fc.assert(
      fc.property(anyInputOf('large'), (given) => {
        const byId = [...new Map(given.lessons.map((l) => [l.id, l])).values()];
        const globals = [...new Map(given.globals.map((l) => [l.id, l])).values()];
        const one = renderContext({ ...given, lessons: byId, globals });
        const other = renderContext({
          ...given,
          lessons: [...byId].reverse(),
          globals: [...globals].reverse(),
        });
        expect(other.text).toBe(one.text);
      }),
      { numRuns: 100 },
    );
  });
});

describe('short ids', () => {
  test('are the shortest unique prefixes of three characters or more', () => {
    expect(shortIds(['abcdef', 'abcxyz', 'zzz111'])).toEqual(
      new Map([
        ['abcdef', 'abcd'],
        ['abcxyz', 'abcx'],
        ['zzz111', 'zzz'],
      ]),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.string({ minLength: 16, maxLength: 16, unit: fc.constantFrom('a', 'b') }),
          { minLength: 1 },
        ),
        (ids) => {
          for (const [id, short] of shortIds(ids))
            expect(ids.filter((other) => other.startsWith(short))).toEqual([id]);
        },
      ),
    );
  });
});

test('the head of notes.md', async () => {
  await expect(renderNotesHead({ name: 'shop' })).toMatchFileSnapshot('golden/notes.md');
});

describe('ids', () => {
  test('stand in no line of the file, and behind each lesson for who asks', () => {
    const { text, withIds, shown } = renderContext(shop());
    expect(text).not.toMatch(/ \^[a-z0-9]{3,16}$/m);
    const ids = [...withIds.matchAll(/ \^([a-z0-9]{3,16})$/gm)].map((match) => match[1]!);
    expect(ids).toHaveLength(shown.length);
    ids.forEach((id, index) => expect(shown[index]!.startsWith(id)).toBe(true));
    expect(withIds.replace(/ \^[a-z0-9]{3,16}$/gm, '')).toBe(text);
  });
});
