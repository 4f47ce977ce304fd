/** A file that is mostly air, or loosely packed, is written anew at night. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore, type Store } from '../../src/store/index.js';
import { type Stage, setStage } from '../stage.js';
import { says } from '../jobs/made-log.js';

const SESSION = '11111111-1111-4111-8111-111111111111';

/** A home with one session, and its database. */
async function read(): Promise<{ stage: Stage; path: string; store: Store }> {
  const stage = setStage();
  stage.log({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-19' }, [
    says('A sentence about steel lids.'),
  ]);
  expect((await stage.type('run')).code).toBe(0);
  const path = join(stage.stone, 'memory.duckdb');
  return { stage, path, store: openStore({ path, clock: stage.io().clock, lockWaitMs: 1000 }) };
}

test('the night writes a file that is more than half air anew', async () => {
  const { stage, path, store } = await read();
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
    db
      .run('CREATE TABLE main.mine AS SELECT md5(r::VARCHAR) AS word FROM range(2000) t(r)')
      .then(() => undefined),
  );
  await store.release();
  await store.write((db) => db.run('DELETE FROM own.texts WHERE n < 0').then(() => undefined));
  await store.close();
  const before = statSync(path).size;
  expect(before).toBeGreaterThan(16 * 2 ** 20);
  expect((await stage.type('crystallize', '--json')).code).toBe(0);
  expect(statSync(path).size).toBeLessThan(before / 2);
  expect((await stage.type('search', 'steel', '--project', 'all', '--json')).out).toContain(
    'steel lids',
  );
});

test('the night packs a file that grew by half since it was packed, once', async () => {
  const { stage, path, store } = await read();
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
  expect((await stage.type('search', 'steel', '--project', 'all', '--json')).out).toContain(
    'steel lids',
  );
});
