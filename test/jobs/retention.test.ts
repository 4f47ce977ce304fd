/** What stays how long: by age, by budget, and a file that is mostly air. */
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { overBudget, planShedding } from '../../src/jobs/nightly/retention.js';
import { openStore } from '../../src/store/index.js';
import { setStage, type Stage } from '../commands/stage.js';
import { claudeLog, says } from './made-log.js';

const stages: Stage[] = [];
afterEach(() => stages.splice(0).forEach((stage) => stage.remove()));

describe('which text leaves for a budget', () => {
  const days = [
    { day: '2026-01-01', terms: 100 },
    { day: '2026-01-02', terms: 300 },
    { day: '2026-02-01', terms: 100 },
  ];
  const file = { bytes: 1000, terms: 1000 };
  test('the oldest days, no more than needed; all when that is not enough', () => {
    expect(planShedding(days, 100, file)).toBe('2026-01-02T00:00:00.000Z');
    expect(planShedding(days, 101, file)).toBe('2026-01-03T00:00:00.000Z');
    expect(planShedding(days, 5000, file)).toBe('2026-02-02T00:00:00.000Z');
  });
  test('nothing without an excess or without archived text', () => {
    expect(planShedding(days, 0, file)).toBeNull();
    expect(planShedding([], 100, file)).toBeNull();
  });
  test('more excess never keeps more', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.nat(2000), (a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((excess) => planShedding(days, excess, file) ?? '');
        expect(less! <= more!).toBe(true);
      }),
    );
  });
  test('the sentence names both sizes', () => {
    const facts = {
      keep_text_days: 180,
      oldest_text: null,
      store_free_bytes: 0,
      home_bytes: 30 * 2 ** 20,
      disk_budget_bytes: 20 * 2 ** 20,
    };
    expect(overBudget(facts)).toContain('30 MiB');
    expect(overBudget({ ...facts, disk_budget_bytes: null })).toBeNull();
    expect(overBudget({ ...facts, home_bytes: 1 })).toBeNull();
  });
});

const SESSION = '11111111-1111-4111-8111-111111111111';

test('over budget the archived text leaves, stays in the archive, and status says it; an entry of this week stays', async () => {
  const stage = setStage({ now: '2026-11-20T12:00:00Z', config: 'embed: {enabled: false}\n' });
  stages.push(stage);
  stage.put(
    `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`,
    claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-02' }, [says('An old sentence about copper spouts.')]) +
      claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-19', from: 10 }, [
        says('A new sentence about steel lids.'),
      ]),
  );
  expect((await stage.type('run')).code).toBe(0);
  appendFileSync(join(stage.stone, 'filler'), Buffer.alloc(2 ** 20));
  writeFileSync(join(stage.stone, 'config.yaml'), 'embed: {enabled: false}\nstore: {disk_budget_mib: 1}\n');
  expect((await stage.type('crystallize')).code).toBe(0);
  expect(
    (await stage.type('sql', `SELECT text FROM entries ORDER BY time`)).out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { text: string | null }).text),
  ).toEqual([null, 'A new sentence about steel lids.']);
  expect((await stage.type('sql', 'SELECT text FROM archive_entries')).out).toContain('copper spouts');
  const status = (await stage.type('status', '--json')).json<{
    retention: Record<string, unknown>;
    degraded: { code: string }[];
  }>();
  expect(status.retention).toMatchObject({ keep_text_days: 0, oldest_text: '2026-11-19', disk_budget_bytes: 2 ** 20 });
  expect(status.degraded.map(({ code }) => code)).toContain('DISK_BUDGET');
  expect((await stage.type('status')).out).toMatch(/keeps {4}text for ever · oldest of 2026-11-19 · home .* of 1\.0 MiB/);
});

test('the night writes a file that is more than half air anew', async () => {
  const stage = setStage({ now: '2026-11-20T12:00:00Z' });
  stages.push(stage);
  stage.put(
    `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`,
    claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-19' }, [says('A sentence about steel lids.')]),
  );
  expect((await stage.type('run')).code).toBe(0);
  const path = join(stage.stone, 'memory.duckdb');
  const store = openStore({ path, clock: stage.io().clock, lockWaitMs: 1000 });
  await store.write((db) =>
    db
      .run(
        'INSERT INTO own.texts SELECT -r, md5(r::VARCHAR) || md5((r + 1)::VARCHAR) || md5((r * 7)::VARCHAR) FROM range(1, 400000) t(r)',
      )
      .then(() => undefined),
  );
  await store.release();
  // DuckDB cuts free pages off at the end of a file by itself: something has to stand behind them.
  await store.write((db) =>
    db.run('CREATE TABLE main.mine AS SELECT md5(r::VARCHAR) AS word FROM range(2000) t(r)').then(() => undefined),
  );
  await store.release();
  await store.write((db) => db.run('DELETE FROM own.texts WHERE n < 0').then(() => undefined));
  await store.close();
  const before = statSync(path).size;
  expect(before).toBeGreaterThan(16 * 2 ** 20);
  expect((await stage.type('crystallize', '--json')).code).toBe(0);
  expect(statSync(path).size).toBeLessThan(before / 2);
  expect((await stage.type('search', 'steel', '--project', 'all', '--json')).out).toContain('steel lids');
});

test('the night packs a file that grew by half since it was packed, once', async () => {
  const stage = setStage({ now: '2026-11-20T12:00:00Z', config: 'embed: {enabled: false}\n' });
  stages.push(stage);
  stage.put(
    `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`,
    claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-19' }, [says('A sentence about steel lids.')]),
  );
  expect((await stage.type('run')).code).toBe(0);
  const path = join(stage.stone, 'memory.duckdb');
  const store = openStore({ path, clock: stage.io().clock, lockWaitMs: 1000 });
  await store.write((db) =>
    db
      .run(
        'INSERT INTO own.postings SELECT (hash(r // 4)::HUGEINT - 9223372036854775808::HUGEINT)::BIGINT, 1 + r % 977, 1 FROM range(2000000) t(r) ORDER BY r % 1013',
      )
      .then(() => undefined),
  );
  await store.close();
  const before = statSync(path).size;
  expect(before).toBeGreaterThan(16 * 2 ** 20);
  expect((await stage.type('crystallize', '--json')).code).toBe(0);
  const packed = statSync(path);
  expect(packed.size).toBeLessThan(before * 0.75);
  expect((await stage.type('crystallize', '--json')).code).toBe(0);
  expect(statSync(path).ino).toBe(packed.ino);
  expect((await stage.type('search', 'steel', '--project', 'all', '--json')).out).toContain('steel lids');
});
