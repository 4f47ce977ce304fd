import { createHash } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { inventedRows, learnJudge, measureJudge, type Labelled } from '../../bench/judge-learn.js';
import { averagePrecision, areaUnderCurve, calibrationError, fitCalibration } from '../../bench/judge-fit.js';
import { extractorVersion, readJudgeWeights } from '../../src/jobs/learning/judge-weights.js';
import { calibrate, decodeWeights, encodeWeights, explain, featuresOf, judge, type Said } from '../../src/judge/index.js';
import { conceptsOf } from '../../src/judge/concepts.js';
import { tokensOf } from '../../src/judge/features.js';
import { TYPED } from './languages.js';

const folder = join(import.meta.dirname, '../../models/lesson-judge');
const weights = readJudgeWeights();
function said(text: string, more: Partial<Said> = {}): Said {
  return {
    role: 'assistant',
    text,
    position: 0,
    of: 3,
    lastOfTurn: true,
    reply: null,
    after: 'tool_result',
    place: 0.9,
    ...more,
  };
}
function typed(text: string): Said {
  return said(text, { role: 'user', of: 1, lastOfTurn: false, after: 'assistant', place: 0.5 });
}

/**
 * From this probability on at least as many of the invented wishes are reached as the hand rules reached by one saying: 45 of 80,
 * with 2 of 80 tasks.
 */
const STANDS = 0.2;
const RULES_REACHED = 45;
/** Seen: 50 wishes, 4 tasks (requests in the form of a question among them). */
const MOST_WRONG = 4;

describe('what is seen of a sentence', () => {
  test.each([
    ['Run `make seed --all` first', ['run', '<command>', 'first']],
    ['`--force` skips src/cart.ts and 3 tests', ['<flag>', 'skips', '<path>', 'and', '<number>', 'tests']],
    ['See https://shop.test/a?b=1, commit 3fa9b21c', ['see', '<url>', 'commit', '<hash>']],
    ['`MAIL_HOST` and `getCart()` of cartTotal', ['<setting>', 'and', '<call>', 'of', '<name>']],
    ['不要用 npm', ['不', '要', '用', 'npm']],
  ])('%s', (text, tokens) => {
    expect(tokensOf(text).filter((token) => token !== ',')).toEqual(tokens);
  });
  test('what only the project has leaves no word of its own', () => {
    expect(featuresOf(said('`getCart` reads `src/cart.ts`')).words).toEqual(
      featuresOf(said('`putOrder` reads `lib/order.ts`')).words,
    );
  });
  test('one meaning in many languages', () => {
    for (const text of ['never', 'niemals', 'jamais', 'nunca', 'никогда', '从不', '決して'])
      expect(conceptsOf(tokensOf(text)), text).toEqual(['never']);
    expect(conceptsOf(tokensOf('de ahora en adelante'))).toEqual(['from_now']);
  });
  test.each([
    ['このプロジェクトでは', 'we_do'],
    ['이 메뉴를 수정해', 'fix'],
    ['pouvez-vous', 'ask'],
    ['не забудь', 'remember'],
    ['하지 마세요', 'forbid'],
  ])('long phrases, short stems and joined words are found: %s', (text, meaning) => {
    expect(conceptsOf(tokensOf(text))).toContain(meaning);
  });
  test('every sentence has the same dense features', () => {
    const names = (one: Said): string[] => featuresOf(one).dense.map(([name]) => name);
    expect(names(typed('yes'))).toEqual(names(said('`a` ignores `b`', { reply: 'no', place: null })));
    expect(new Set(names(typed('yes'))).size).toBe(names(typed('yes')).length);
    expect(names(typed('yes'))).toHaveLength(weights.user.dense.length);
  });
});

describe('the shipped weights', () => {
  test('rank what a reader keeps over what he does not', () => {
    const worth = (text: string): number => judge(weights, said(text)).worth;
    expect(worth('`relayctl` silently ignores `MAIL_HOST` unless `RELAY=eu` is set, so always pass both.')).toBeGreaterThan(
      4 * worth('Now let me look at the second file.'),
    );
    expect(
      worth('Migrations must be run with `make migrate` before the tests, since the test database is not created automatically.'),
    ).toBeGreaterThan(4 * worth('All 12 tests pass.'));
  });
  test('an agent asks for nothing that stands, whatever it says', () => {
    expect(judge(weights, said('From now on always run `make lint` before you commit.')).standing).toBe(0);
  });
  test('tell standing wishes from what is done once, in eight languages', () => {
    const standing = (text: string): number => judge(weights, typed(text)).standing;
    const over = (list: readonly string[], least: number): number => list.filter((text) => standing(text) >= least).length;
    const all = Object.values(TYPED);
    expect(all.reduce((sum, one) => sum + over(one.standing, STANDS), 0)).toBeGreaterThanOrEqual(RULES_REACHED);
    expect(all.reduce((sum, one) => sum + over(one.once, STANDS), 0)).toBeLessThanOrEqual(MOST_WRONG);
    for (const [language, one] of Object.entries(TYPED)) {
      const pairs = one.standing.flatMap((a) => one.once.map((b) => standing(a) > standing(b)));
      expect(pairs.filter(Boolean).length / pairs.length, language).toBeGreaterThan(0.85);
    }
  });
  test('same bits every time, and bytes that fit the card', () => {
    expect(judge(weights, typed('Never push to main.'))).toEqual(
      judge(decodeWeights(encodeWeights(weights)), typed('Never push to main.')),
    );
    const bytes = readFileSync(join(folder, 'weights.bin'));
    expect(bytes.length).toBeLessThan(1_000_000);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(
      createHash('sha256').update(bytes).digest('hex').slice(0, 12),
    );
    expect(() => decodeWeights(bytes.subarray(1))).toThrow(/not a file of judge weights/);
  });
  test('a damaged file is refused by name', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'dripstone-judge-'));
    try {
      expect(() => readJudgeWeights(copy)).toThrow(/cannot read.*weights\.bin/);
      const version = extractorVersion(copy);
      await cp(folder, copy, { recursive: true });
      // Other weights are another extractor: sessions are read again.
      expect(extractorVersion(copy)).toBe(extractorVersion());
      expect(extractorVersion(copy)).not.toBe(version);
      await writeFile(join(copy, 'checksums.json'), JSON.stringify({ 'weights.bin': 'ab12'.repeat(16) }));
      expect(extractorVersion(copy)).toBe(version + 0xab12);
      await cp(folder, copy, { recursive: true });
      const bytes = readFileSync(join(copy, 'weights.bin'));
      bytes[bytes.length - 1]! ^= 1;
      await writeFile(join(copy, 'weights.bin'), bytes);
      expect(() => readJudgeWeights(copy)).toThrow(/checksum.*weights\.bin/);
    } finally {
      await rm(copy, { recursive: true });
    }
  });
  test('says what carried it', () => {
    const reasons = explain(weights, typed('From now on always run `make lint` before you commit.'));
    expect(reasons).toHaveLength(6);
    expect(reasons.map(({ what }) => what).join()).toMatch(/always|from now/);
  });
});

describe('training', () => {
  const row = (project: string, text: string, grade: number, role: Labelled['role'] = 'assistant'): Labelled => ({
    project,
    agent: 'codex',
    entry: 1,
    entries: 4,
    role,
    text,
    position: 0,
    of: 1,
    last_of_turn: true,
    reply: null,
    after: 'tool_result',
    grade,
  });
  const rows = ['a', 'b', 'c'].flatMap((project) =>
    (['assistant', 'user'] as const).flatMap((role) =>
      Array.from({ length: 20 }, (_, n) =>
        n % 4 === 0
          ? row(project, `The seed silently ignores setting ${'xyz'[n % 3]!}`, 3, role)
          : row(project, `Let me look at thing ${'uvw'[n % 3]!}`, 0, role),
      ),
    ),
  );
  test('same rows, same bytes; a project left out is told apart by the others', () => {
    const first = learnJudge(rows);
    expect(encodeWeights(first.weights)).toEqual(encodeWeights(learnJudge(rows.map((one) => ({ ...one }))).weights));
    expect(measureJudge(rows, first.outOfFold)).toMatchObject({
      agents: { average_precision: { mean: null } },
      people: { all: { sentences: 60, kept: 15, area_under_curve: 1 } },
    });
    expect(judge(first.weights, said('It silently ignores x')).worth).toBeGreaterThan(
      judge(first.weights, said('Let me look')).worth,
    );
  });
  test('invented sentences are learnt from and never measured', () => {
    const made = inventedRows({ X: { standing: ['zzz yyy'], once: ['uuu ttt'] } });
    expect(made.map(({ grade, role }) => [grade, role])).toEqual([
      [3, 'user'],
      [0, 'user'],
    ]);
    const { outOfFold } = learnJudge([...rows, ...made]);
    expect(measureJudge([...rows, ...made], outOfFold)).toMatchObject({ people: { all: { sentences: 60 } } });
  });
  test('measures', () => {
    expect(averagePrecision([0.9, 0.5, 0.4], [true, false, true])).toBeCloseTo(5 / 6);
    expect(areaUnderCurve([0.9, 0.5, 0.5, 0.1], [true, true, false, false])).toBeCloseTo(0.875);
    const even = Array.from({ length: 100 }, () => 0.5);
    expect(
      calibrationError(
        even,
        even.map((_, n) => n % 2 === 0),
      ),
    ).toBe(0);
    expect(
      calibrationError(
        even,
        even.map(() => true),
      ),
    ).toBe(0.5);
    const rows = Array.from({ length: 2000 }, (_, n) => n / 2000);
    const calibration = fitCalibration(
      rows,
      rows.map((score, n) => (n * 7919) % 1000 < 500 * score * score),
      16,
    );
    for (const score of [0.3, 0.6, 0.95])
      expect(Math.abs(calibrate(calibration, score) - 0.5 * score * score)).toBeLessThan(0.06);
    const probabilities = [-1, 0.1, 0.5, 0.9, 0.97, 2, 3].map((score) => calibrate(calibration, score));
    expect(probabilities).toEqual([...new Set(probabilities)].sort((a, b) => a - b));
  });
});
