import { existsSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bootStore, isHalfAir, openStore, storeFilling } from '../../src/store/index.js';
import { swapDatabase } from '../../src/store/repair/rebuild.js';
import { batch, commitBatch, entry, tempFolder, tempStore, testClock } from './build.js';
import { startChild } from './children.js';
import { runs } from '../runs.js';

const fill =
  'INSERT INTO own.texts SELECT r, repeat(md5(r::VARCHAR), 8) FROM range(100, 40100) t(r)';

test('a rebuilt file has no air, the same rows, views and macro, and the tables that a person made', async () => {
  const { store, path } = await tempStore();
  await store.write(async (db) => {
    await commitBatch(db, batch([entry('a', 'use pnpm here'), entry('b', 'and never npm')]));
    await db.run('CREATE TABLE main.mine AS SELECT 42 AS answer');
    await db.run(fill);
  });
  await store.release();
  await store.write((db) => db.run('DELETE FROM own.texts WHERE n > 100').then(() => undefined));
  await store.release();
  const before = await stat(path);
  const told = await store.rebuild();
  expect(told.before).toBe(before.size);
  expect((await stat(path)).size).toBe(told.after);
  expect(told.after).toBeLessThan(told.before / 3);
  expect(existsSync(`${path}.wal`)).toBe(false);
  expect(existsSync(`${path}.rebuild`)).toBe(false);
  await store.read(async (db) => {
    expect(await db.all('SELECT text FROM main.entries ORDER BY id')).toHaveLength(2);
    expect(await db.all('SELECT answer FROM main.mine')).toEqual([{ answer: 42 }]);
    expect(await db.all(`SELECT * FROM main.semantic_neighbours('x', 1)`)).toEqual([]);
    expect((await storeFilling(db)).free).toBeLessThan(told.after / 2);
  });
});

test('more than half air, of a file that is worth it', () => {
  const mb = 2 ** 20;
  expect(isHalfAir({ bytes: 100 * mb, free: 51 * mb })).toBe(true);
  expect(isHalfAir({ bytes: 100 * mb, free: 50 * mb })).toBe(false);
  expect(isHalfAir({ bytes: 4 * mb, free: 4 * mb })).toBe(false);
});

test('what a killed rebuild left is swept at the next start, and the file is the old one', async () => {
  const { store, path, clock } = await tempStore();
  await store.write((db) => commitBatch(db, batch([entry('a', 'kept')])).then(() => undefined));
  await store.close();
  await writeFile(`${path}.rebuild`, 'half a file');
  await writeFile(`${path}.rebuild.wal`, 'and its log');
  const booted = await bootStore({ path, clock, lockWaitMs: 0 });
  expect(booted.report.action).toBe('opened');
  expect([existsSync(`${path}.rebuild`), existsSync(`${path}.rebuild.wal`)]).toEqual([
    false,
    false,
  ]);
  expect(await booted.store.read((db) => db.all('SELECT text FROM main.entries'))).toEqual([
    { text: 'kept' },
  ]);
  await booted.store.close();
});

test('without room for a second file nothing is begun', async () => {
  const { store, path } = await tempStore({ freeBytes: async () => 64 * 2 ** 20 });
  await store.write((db) => db.run(fill).then(() => undefined));
  await expect(store.rebuild()).rejects.toMatchObject({ code: 'DISK_FULL' });
  expect(existsSync(`${path}.rebuild`)).toBe(false);
});

test('a file that another program wrote to meanwhile stays as it is', async () => {
  const { store, path } = await tempStore();
  await store.write((db) => commitBatch(db, batch([entry('a', 'kept')])).then(() => undefined));
  await store.release();
  await writeFile(`${path}.rebuild`, 'a copy');
  const { size, mtimeMs } = await stat(path);
  for (const stamp of [
    { size: size + 1, mtimeMs },
    { size, mtimeMs: mtimeMs - 1 },
  ]) {
    await expect(store.withClosed(() => swapDatabase(path, stamp))).rejects.toMatchObject({
      code: 'STORE_CHANGED',
    });
    expect(existsSync(`${path}.rebuild`)).toBe(false);
  }
  expect(await store.read((db) => db.all('SELECT text FROM main.entries'))).toEqual([
    { text: 'kept' },
  ]);
});

const ROUNDS = runs(2, 12);

test(`kill -9 while it is written anew, ${ROUNDS} rounds: every acknowledged row is there, once`, async () => {
  const path = join(await tempFolder(), 'memory.duckdb');
  let acknowledged = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const child = startChild('rebuild-loop', [path]);
    const wanted = 2 + (round % 3);
    // An even round dies in the rebuild that follows a commit, an odd one in the commit that
    // follows a rebuild.
    await child.line(
      (line) =>
        line.startsWith(round % 2 === 0 ? 'done' : 'rebuilt') && child.lines.length > wanted,
    );
    child.process.kill('SIGKILL');
    await child.ended;
    acknowledged = Math.max(
      acknowledged,
      ...child.lines.flatMap((line) =>
        line.startsWith('done') ? [Number(line.split(' ')[1])] : [],
      ),
    );
    const { store, report } = await bootStore({ path, clock: testClock(), lockWaitMs: 0 });
    expect(report.action).toBe('opened');
    expect(existsSync(`${path}.rebuild`)).toBe(false);
    const [row] = await store.read((db) =>
      db.all<{ rows: number; ids: number; last: number }>(
        'SELECT count(*) AS rows, count(DISTINCT n) AS ids, max(n) AS last FROM own.texts',
      ),
    );
    expect(row!.last).toBeGreaterThanOrEqual(acknowledged);
    expect(row!.rows).toBe(row!.ids);
    expect(row!.rows).toBe(row!.last === 2000 ? 2000 : 2001);
    await store.close();
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS * 2000);
});

test('a reader in another store does not see a gap', async () => {
  const { store, path, clock } = await tempStore();
  await store.write((db) => commitBatch(db, batch([entry('a', 'kept')])).then(() => undefined));
  await store.rebuild();
  await store.release();
  const reader = openStore({ path, clock, lockWaitMs: 0, readOnly: true });
  expect(await reader.read((db) => db.all('SELECT text FROM main.entries'))).toEqual([
    { text: 'kept' },
  ]);
  await reader.close();
  await rm(path);
});
