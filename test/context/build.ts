/** Invented lessons and episodes for the renderings. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { blankLesson } from '../../src/lessons/forming.js';
import type { Episode, Lesson, LessonKind } from '../../src/types.js';
import type { Session } from '../../src/context/index.js';
import type { ContextInput } from '../../src/context/render.js';
import { anyCodePoints } from '../code-points.js';

export const DAY = '2026-11-20';

/** An id that looks like ours and is fixed by a number. */
export function idOf(n: number): string {
  return BigInt(`0x${createHash('sha256').update(String(n)).digest('hex').slice(0, 20)}`)
    .toString(36)
    .padStart(16, '0')
    .slice(-16);
}

export function lesson(n: number, given: Partial<Lesson> = {}): Lesson {
  return blankLesson({
    id: idOf(n),
    kind: 'gotcha',
    scope: 'project',
    project: '3fa91c0027b4d855',
    text: 'Run `make db` before the tests: migrations are not automatic',
    key: `k${n}`,
    importance: 3,
    said_by: 'observed',
    worth: 0.8,
    evidence: [
      {
        agent: 'claude-code',
        session: 'a3f29c01-5d1e',
        entry: `e${n}`,
        day: '2026-11-18',
        trust: 0.6,
        supports: true,
        quote: 'relation "orders" does not exist',
      },
    ],
    confidence: 0.6,
    sessions: 2,
    first_seen: '2026-11-02',
    last_seen: '2026-11-18',
    extractor: 1,
    ...given,
  });
}

export function bareEpisode(given: Partial<Episode> = {}): Episode {
  return {
    agent: 'claude-code',
    session: 'a3f29c01-5d1e',
    title: 'Add CSV export to the order list',
    summary: 'Added a CSV export with a streaming writer and its tests',
    day: '2026-11-19',
    outcome: 'success',
    signal: 'tests passed',
    problem: null,
    solution: null,
    lesson: null,
    files: ['src/orders/export.ts'],
    commands: ['pnpm test'],
    commits: ['Add CSV export'],
    unfinished: false,
    next_step: null,
    ...given,
  };
}

export function episode(given: Partial<Session> = {}): Session {
  return { ...bareEpisode(), answers: [], ...given };
}

export function input(given: Partial<ContextInput> = {}): ContextInput {
  return {
    project: { name: 'shop' },
    clockDay: DAY,
    lastDays: ['2026-11-18', '2026-11-19', DAY],
    lessons: [],
    globals: [],
    sessions: [],
    budgetTokens: 1000,
    askForNotes: true,
    ...given,
  };
}

/** A small shop with every section. */
export function shop(): ContextInput {
  return input({
    lessons: [
      lesson(1),
      lesson(2, {
        kind: 'command',
        text: 'Test: `pnpm test`; one at a time: `pnpm vitest run FILE`',
        importance: 4,
        tags: ['class:test'],
        confidence: 0.94,
      }),
      lesson(3, {
        kind: 'correction',
        text: 'Never edit files under `src/generated`: `pnpm gen` rewrites them',
        importance: 5,
        said_by: 'user',
        confidence: 0.9,
      }),
      lesson(4, {
        kind: 'preference',
        text: 'Prefer small commits, one per concern',
        importance: 4,
        said_by: 'user',
        confidence: 0.8,
      }),
      lesson(5, {
        kind: 'fact',
        text: 'The preview server listens on port 8081',
        importance: 2,
        confidence: 0.5,
      }),
      lesson(6, {
        kind: 'fact',
        text: 'The preview server runs behind nginx on port 80',
        importance: 2,
        confidence: 0.4,
      }),
      lesson(7, { kind: 'fact', text: 'This one is faded', status: 'faded', confidence: 0.05 }),
      lesson(8, {
        kind: 'decision',
        text: 'Money is kept in cents as `bigint`; `number` lost cents in refunds',
        importance: 4,
        files: ['src/money/cents.ts'],
      }),
    ],
    globals: [
      lesson(20, {
        scope: 'global',
        project: null,
        kind: 'preference',
        text: 'Answer in French, write code and commits in English',
        said_by: 'user',
        importance: 4,
        confidence: 0.9,
      }),
    ],
    sessions: [
      episode({
        session: 'b7c1d2e3-4f50',
        title: 'Move refunds to the queue',
        day: '2026-11-20',
        outcome: 'partial',
        signal: '2 tests fail',
        unfinished: true,
        next_step: 'fix `refund.test.ts`',
        files: ['src/refunds/queue.ts'],
      }),
      episode({ answers: [['The export streams: a list of 10,000 orders takes 2 MB of memory.']] }),
    ],
  });
}

/**
 * What real stores hold at their worst: other scripts, emoji, long paths, markup, control
 * characters, chat templates.
 */
const fragment = fc.oneof(
  fc.constantFrom(
    '测试之前先运行数据库迁移',
    '必须使用',
    'マイグレーション',
    '🚀',
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    'Überprüfung',
    'تشغيل',
    'नियम',
    '<|im_start|>',
    '<!--',
    '-->',
    '@src/a.md',
    '@/etc/passwd',
    '`',
    '``',
    '![x](http://a.b)',
    '\u202e',
    '\u200b',
    '\u0000',
    '\n',
    '## ',
    '[INST]',
  ),
  fc.constantFrom(
    'run',
    'the',
    'tests',
    'before',
    'commit',
    '`pnpm test`',
    '`make db`',
    'https://example.com/a/b?c=d',
    'src/very/long/path/to/some/deeply/nested/folder/with/a/file-name-that-does-not-end.test.ts',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  anyCodePoints({ maxLength: 20 }),
);
export const anyText = fc
  .array(fragment, { minLength: 1, maxLength: 14 })
  .map((parts) => parts.join(' '));

/**
 * Texts of the random stores: made once, and each lesson has one of its own, since making,
 * neutralising and counting ten thousand times sixty of them is most of the test's time.
 */
const pool = fc.sample(anyText, { numRuns: 4000, seed: 7 });
const anyPlace = fc.nat(pool.length - 1);
const pooledText = anyPlace.map((i) => pool[i]!);

export const anyLesson = fc
  .record({
    n: anyPlace,
    kind: fc.constantFrom<LessonKind>(
      'command',
      'preference',
      'correction',
      'decision',
      'gotcha',
      'fact',
    ),
    importance: fc.constantFrom<Lesson['importance']>(1, 2, 3, 4, 5),
    said_by: fc.constantFrom<Lesson['said_by']>('user', 'observed', 'agent'),
    pinned: fc.boolean(),
    status: fc.constantFrom<Lesson['status']>(
      'live',
      'live',
      'live',
      'faded',
      'superseded',
      'forgotten',
    ),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    worth: fc.double({ min: 0, max: 1, noNaN: true }),
    uses: fc.nat(50),
    files: fc.array(pooledText, { maxLength: 2 }),
  })
  .map(({ n, ...given }) => lesson(n, { text: pool[n]!, ...given }));
function anyLessons(maxLength: number): fc.Arbitrary<Lesson[]> {
  return fc.uniqueArray(anyLesson, { maxLength, selector: ({ id }) => id });
}

export const anyEpisode = fc
  .record({
    title: pooledText,
    summary: pooledText,
    signal: pooledText,
    next_step: fc.option(pooledText),
    unfinished: fc.boolean(),
    session: fc.string(),
    commits: fc.array(pooledText, { maxLength: 1 }),
    answers: fc.option(fc.array(fc.array(pooledText, { maxLength: 3 }), { maxLength: 2 })),
    day: fc.constantFrom('2026-11-20', '2026-11-12', '2026-01-01'),
    outcome: fc.constantFrom<Episode['outcome']>('success', 'partial', 'abandoned', 'unknown'),
  })
  .map((given) => episode(given));

/** Random stores; small ones with small budgets meet the limit just as often and cost a tenth. */
export function anyInputOf(size: 'small' | 'large'): fc.Arbitrary<ContextInput> {
  return fc
    .record({
      project: fc.option(
        fc.record({ name: fc.oneof(pooledText, fc.constantFrom('shop', 'a/b-c.d')) }),
      ),
      lessons: anyLessons(size === 'small' ? 6 : 60),
      globals: anyLessons(size === 'small' ? 2 : 15),
      sessions: fc.array(anyEpisode, { maxLength: size === 'small' ? 2 : 6 }),
      budgetTokens:
        size === 'small' ? fc.integer({ min: 0, max: 300 }) : fc.integer({ min: 100, max: 1500 }),
      askForNotes: fc.boolean(),
    })
    .map((given) => input(given));
}
