/** Invented lessons and episodes for the renderings. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { blankLesson } from '../../src/lessons/forming.js';
import { type Episode, type Lesson, LESSON_KINDS, type LessonEvent } from '../../src/types.js';
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

const EVENT: LessonEvent = {
  ...{ agent: 'claude-code', session: 'a3f29c01-5d1e', entry: null, day: '2026-11-18' },
  ...{ trust: 0.6, supports: true, quote: 'relation "orders" does not exist' },
};
export function lesson(n: number, given: Partial<Lesson> = {}): Lesson {
  return blankLesson({
    ...{ id: idOf(n), key: `k${n}`, evidence: [{ ...EVENT, entry: `e${n}` }] },
    ...{ kind: 'gotcha', scope: 'project', project: '3fa91c0027b4d855', said_by: 'observed' },
    text: 'Run `make db` before the tests: migrations are not automatic',
    ...{ importance: 3, worth: 0.8, confidence: 0.6, sessions: 2, extractor: 1 },
    ...{ first_seen: '2026-11-02', last_seen: '2026-11-18' },
    ...given,
  });
}

export function bareEpisode(given: Partial<Episode> = {}): Episode {
  return {
    ...{ agent: 'claude-code', session: 'a3f29c01-5d1e', day: '2026-11-19' },
    title: 'Add CSV export to the order list',
    summary: 'Added a CSV export with a streaming writer and its tests',
    ...{ outcome: 'success', signal: 'tests passed', unfinished: false, next_step: null },
    ...{ problem: null, solution: null, lesson: null, files: ['src/orders/export.ts'] },
    ...{ commands: ['pnpm test'], commits: ['Add CSV export'] },
    ...given,
  };
}

export function episode(given: Partial<Session> = {}): Session {
  return { ...bareEpisode(), answers: [], ...given };
}

export function input(given: Partial<ContextInput> = {}): ContextInput {
  return {
    ...{ project: { name: 'shop' }, clockDay: DAY, lastDays: ['2026-11-18', '2026-11-19', DAY] },
    ...{ lessons: [], globals: [], sessions: [], budgetTokens: 1000, askForNotes: true },
    ...given,
  };
}

/** What a small shop knows: lessons of the project by number, one of everywhere, a session. */
const SHOP = JSON.parse(readFileSync(join(import.meta.dirname, 'shop.json'), 'utf8')) as {
  lessons: Record<string, Partial<Lesson>>;
  globals: Record<string, Partial<Lesson>>;
  session: Partial<Session>;
};

/** A small shop with every section. */
export function shop(): ContextInput {
  const made = (of: Record<string, Partial<Lesson>>): Lesson[] =>
    Object.entries(of).map(([n, given]) => lesson(Number(n), given));
  const streams = 'The export streams: a list of 10,000 orders takes 2 MB of memory.';
  const sessions = [episode(SHOP.session), episode({ answers: [[streams]] })];
  return input({ lessons: made(SHOP.lessons), globals: made(SHOP.globals), sessions });
}

/**
 * What real stores hold at their worst: other scripts, emoji, long paths, markup, control
 * characters, chat templates.
 */
const FRAGMENTS = [
  ...['测试之前先运行数据库迁移', '必须使用', 'マイグレーション', '🚀', '👩‍👩‍👧‍👦', '🇩🇪', 'Überprüfung'],
  ...['تشغيل', 'नियम', '<|im_start|>', '<!--', '-->', '@src/a.md', '@/etc/passwd', '`', '``'],
  ...['![x](http://a.b)', '\u202e', '\u200b', '\u0000', '\n', '## ', '[INST]'],
];
const WORDS = [
  ...['run', 'the', 'tests', 'before', 'commit', '`pnpm test`', '`make db`'],
  'https://example.com/a/b?c=d',
  'src/very/long/path/to/some/deeply/nested/folder/with/a/file-name-that-does-not-end.test.ts',
];
const fragment = fc.oneof(
  fc.constantFrom(...FRAGMENTS),
  fc.constantFrom(...WORDS),
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
    kind: fc.constantFrom(...LESSON_KINDS),
    importance: fc.constantFrom<Lesson['importance']>(1, 2, 3, 4, 5),
    said_by: fc.constantFrom<Lesson['said_by']>('user', 'observed', 'agent'),
    pinned: fc.boolean(),
    status: fc.constantFrom(
      ...(['live', 'live', 'live', 'faded', 'superseded', 'forgotten'] as const),
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
