import fc from 'fast-check';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import {
  emptyContext,
  isAboveTheLine,
  LEAST_SHOWN,
  leastWorth,
  MAX_LINE,
  renderContext,
  renderNotesHead,
  shortIds,
} from '../../src/context/index.js';
import type { Lesson, Offered } from '../../src/types.js';
import { anyInputOf, episode, idOf, input, lesson, shop } from './build.js';
import { growthOf } from '../growth.js';
import { runs } from '../runs.js';

/** Counts apart from the code under test. */
const o200k = createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as {
  encode: (text: string, options: object) => number[];
};
function count(text: string): number {
  return o200k.encode(Buffer.from(text, 'utf8').toString('utf8'), { disallowedSpecial: new Set() }).length;
}

describe('context.md', () => {
  test('of a small shop', async () => {
    const { text, tokens, shown } = renderContext(shop());
    await expect(text).toMatchFileSnapshot('golden/context.md');
    expect(tokens).toBe(count(text));
    expect(shown).not.toContain(idOf(7));
  });

  test('under a third of the budget keeps the most valuable', async () => {
    await expect(renderContext({ ...shop(), budgetTokens: 200 }).text).toMatchFileSnapshot('golden/context-200.md');
  });

  test('of every project', async () => {
    const { globals } = shop();
    await expect(renderContext(input({ project: null, lessons: globals })).text).toMatchFileSnapshot('golden/context-global.md');
  });

  test('without anything is valid and says so', () => {
    expect(renderContext(input()).text).toBe(emptyContext({ name: 'shop' }));
    expect(emptyContext({ name: 'a b' })).not.toContain('a b');
    expect(emptyContext(null)).toContain('every project');
  });

  test('the stop line that is told is the one that holds: lower for what a person said in two sessions', () => {
    const said = lesson(1, { saidBy: 'user', sessions: 2 });
    expect([leastWorth(said), leastWorth({ ...said, sessions: 1 }), leastWorth(lesson(2))]).toEqual([
      0.1,
      LEAST_SHOWN,
      LEAST_SHOWN,
    ]);
    for (const each of [said, { ...said, sessions: 1 }, lesson(2)]) {
      expect(isAboveTheLine({ ...each, worth: leastWorth(each) })).toBe(true);
      expect(isAboveTheLine({ ...each, worth: leastWorth(each) - 0.001 })).toBe(false);
    }
  });

  test('empty sections are left out', () => {
    const text = renderContext(input({ lessons: [lesson(1)] })).text;
    expect(text.match(/^## .*/gm)).toEqual(['## Learnt here (check before relying on it)']);
  });

  test("the user's words and what was learnt stand apart", () => {
    const [user, learnt] = renderContext(shop()).text.split('## Learnt here') as [string, string];
    expect(user).toContain('small commits');
    expect(user).not.toContain('make db');
    expect(learnt).toContain('make db');
  });

  test('the fixed part takes at most 100 tokens', () => {
    const { text } = renderContext({ ...shop(), project: { name: 'x'.repeat(60) } });
    expect(
      count(
        text
          .split('\n')
          .filter((l) => !l.startsWith('- '))
          .join('\n'),
      ),
    ).toBeLessThanOrEqual(100);
  });

  test('a line that is too long stays out whole, and the rest goes on', () => {
    const long = lesson(9, { text: `Never ${'very '.repeat(40)}long`, importance: 5 });
    const { text } = renderContext(input({ lessons: [long, lesson(1)] }));
    expect(text).not.toContain('very');
    expect(text).toContain('make db');
  });

  test('the stop line holds for everybody: only what is pinned needs no worth, and what the person said in two sessions less', () => {
    const text = 'Say `shop` and never `store`';
    const shows = (given: Partial<Lesson>): boolean =>
      renderContext(input({ lessons: [lesson(1), lesson(2, { text, ...given })] })).text.includes('never `store`');
    expect(shows({ worth: 0.4, sessions: 1 })).toBe(true);
    expect(shows({ worth: 0.3, sessions: 1 })).toBe(false);
    expect(shows({ worth: 0.3, sessions: 1, saidBy: 'user', kind: 'preference' })).toBe(false);
    expect(shows({ worth: 0.1, sessions: 2, saidBy: 'user', kind: 'preference' })).toBe(true);
    expect(shows({ worth: 0.09, sessions: 2, saidBy: 'user', kind: 'preference' })).toBe(false);
    expect(shows({ worth: 0.1, sessions: 2, saidBy: 'agent' })).toBe(false);
    expect(shows({ worth: 0.1, sessions: 1, pinned: true })).toBe(true);
  });

  test('nothing above the line: the file says that nothing is known yet', () => {
    expect(renderContext(input({ lessons: [lesson(1, { worth: 0.3 })] })).text).toBe(emptyContext({ name: 'shop' }));
  });

  test('a pinned lesson comes before everything else', () => {
    const many = Array.from({ length: 200 }, (_, i) =>
      lesson(100 + i, { text: `Fact ${i}: \`tool-${i}\` needs \`flag-${i}\``, importance: 5, confidence: 0.99 }),
    );
    const pinned = lesson(50, { text: 'A quiet wish', importance: 2, confidence: 0.01, worth: 0.1, pinned: true });
    expect(renderContext(input({ lessons: [...many, pinned], budgetTokens: 220 })).text).toContain('A quiet wish');
  });

  test('no two lines make one point', () => {
    const twice = [
      lesson(1),
      lesson(2, { text: 'Run `make db` before tests: the migrations are not automatic here', kind: 'fact' }),
    ];
    expect(renderContext(input({ lessons: twice })).text.match(/make db/g)).toHaveLength(1);
  });

  test('two commands in one sentence are two points', () => {
    const two = [lesson(1, { text: 'Run `make web` after a pull' }), lesson(2, { text: 'Run `make api` after a pull' })];
    expect(renderContext(input({ lessons: two })).shown).toHaveLength(2);
  });

  test('a command and a rule about it are two points', () => {
    const two = [
      lesson(1, { text: 'Check: `make check`' }),
      lesson(2, { text: 'Before a push run `make check` and read its last lines' }),
    ];
    expect(renderContext(input({ lessons: two })).shown).toHaveLength(2);
  });

  test('what the instruction files already say comes last, what they deny is unsure', () => {
    const many = Array.from({ length: 60 }, (_, i) =>
      lesson(100 + i, { text: `Area ${i} keeps its state in \`state-${i}.json\` between two runs` }),
    );
    const said = lesson(1, { importance: 5, confidence: 0.99 });
    const alreadySaid = new Set([said.id]);
    expect(renderContext(input({ lessons: [said, ...many], budgetTokens: 500 })).shown).toContain(said.id);
    expect(renderContext(input({ lessons: [said, ...many], budgetTokens: 500, alreadySaid })).shown).not.toContain(said.id);
    expect(renderContext(input({ lessons: [said], contradicted: alreadySaid })).text).toContain('automatic (unsure)\n');
  });

  test('one area does not take all the room', () => {
    const deep = Array.from({ length: 40 }, (_, i) =>
      lesson(100 + i, {
        text: `Handler ${i} wants \`ctx-${i}\` first`,
        files: [`src/http/h${i}.ts`],
        kind: 'gotcha',
        confidence: 0.7,
      }),
    );
    const broad = ['db', 'queue', 'mail'].map((area, i) =>
      lesson(i, {
        text: `The ${area} layer retries \`${area}\` calls`,
        files: [`src/${area}/x.ts`],
        kind: 'fact',
        confidence: 0.6,
      }),
    );
    const { shown } = renderContext(input({ lessons: [...deep, ...broad], budgetTokens: 400 }));
    expect(shown).toEqual(expect.arrayContaining(broad.map((l) => l.id)));
  });

  test('unfinished work comes first, a task taken up again shows its last state, old work is left out', () => {
    const { text } = renderContext(
      input({
        lessons: [lesson(1)],
        episodes: [
          episode({ title: 'Ancient migration of the whole database', day: '2026-09-01', unfinished: true }),
          episode({
            title: 'Repair flaky checkout test',
            day: '2026-11-10',
            session: 'x',
            unfinished: true,
            nextStep: 'old step',
          }),
          episode({ title: 'Repair flaky checkout test', day: '2026-11-18', session: 'y', signal: 'tests passed' }),
          episode({ title: 'Another finished thing', day: '2026-11-16', session: 'w' }),
          episode({
            title: 'Rename the billing module',
            day: '2026-11-14',
            session: 'z',
            outcome: 'partial',
            signal: 'build fails',
            unfinished: true,
            nextStep: 'update `index.ts`',
          }),
        ],
      }),
    );
    expect(text.split('## Recent work\n')[1]!.split('\n\n')[0]!.split('\n')).toEqual([
      '- 2026-11-14: Rename the billing module: unfinished (build fails); next: update `index.ts`',
      '- 2026-11-18: Repair flaky checkout test: done (tests passed)',
    ]);
  });
});

describe('what a model was offered', () => {
  const given = shop();
  const [one, two] = [given.lessons[0]!, given.lessons[7]!];
  const offer = (lesson: Lesson, more: Partial<Offered> = {}): Offered => ({
    lesson: lesson.id,
    before: lesson.text,
    text: lesson.text,
    taken: true,
    ...more,
  });
  const own = given.lessons.map((each) => offer(each));

  test('what it took comes before what it passed over, in its words, with the same id', () => {
    const offered = own.map((each) => ({
      ...each,
      taken: each.lesson === two.id,
      ...(each.lesson === two.id ? { text: 'Keep money in cents as `bigint`: `number` lost cents' } : {}),
    }));
    const { text, reasons } = renderContext({ ...given, offered });
    const id = /`number` lost cents in refunds \^(\w+)/.exec(renderContext(given).withIds)![1]!;
    expect(text).toContain('- Keep money in cents as `bigint`: `number` lost cents\n');
    expect(renderContext({ ...given, offered }).withIds).toContain(`lost cents ^${id}\n`);
    expect(text).not.toContain('in refunds');
    expect(text.indexOf('Keep money')).toBeLessThan(text.indexOf('make db'));
    expect(reasons.get(two.id)).toContain('the model chose it: x 4');
  });

  test('a lesson that reads otherwise since, and an empty offer, change nothing', () => {
    const stale = [offer(one, { before: 'another text', text: 'Run `make db`' }), offer(two, { before: 'x', taken: false })];
    expect(renderContext({ ...given, offered: stale }).text).toBe(renderContext(given).text);
    expect(renderContext({ ...given, offered: [] }).text).toBe(renderContext(given).text);
  });

  test('the budget holds whatever it took', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        fc.integer({ min: 40, max: 400 }),
        (takes, budgetTokens) => {
          const offered = own.map((each, i) => ({ ...each, taken: takes[i]! }));
          expect(renderContext({ ...given, budgetTokens, offered }).tokens).toBeLessThanOrEqual(budgetTokens);
        },
      ),
      { numRuns: 60 },
    );
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
        expect([lines.filter((l) => l.length > MAX_LINE), unknown, lines.at(-1)]).toEqual([[], [], '']);
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
          episodes: [...given.episodes],
        });
        expect(other.text).toBe(one.text);
      }),
      { numRuns: 100 },
    );
  });
});

test('ten thousand lessons take time in proportion', async () => {
  const words = ['queue', 'retry', 'cache', 'index', 'worker', 'token', 'schema', 'route', 'lock', 'batch'];
  const lessons = Array.from({ length: 10_000 }, (_, i) =>
    lesson(i, {
      text: `The ${words[i % 10]} of module ${i} needs \`${words[(i * 7) % 10]}-${i}\` before ${words[(i * 3) % 10]} starts`,
      confidence: ((i * 37) % 100) / 100,
      files: [`src/${words[i % 10]}/f${i}.ts`],
    }),
  );
  // Eight times the lessons: 64 where each is compared with each.
  expect(await growthOf((size) => renderContext(input({ lessons: lessons.slice(0, size) })), 1_250, 10_000, 24)).toBeLessThan(24);
  expect(renderContext(input({ lessons })).tokens).toBeGreaterThan(900);
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
        fc.uniqueArray(fc.string({ minLength: 16, maxLength: 16, unit: fc.constantFrom('a', 'b') }), { minLength: 1 }),
        (ids) => {
          for (const [id, short] of shortIds(ids)) expect(ids.filter((other) => other.startsWith(short))).toEqual([id]);
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
