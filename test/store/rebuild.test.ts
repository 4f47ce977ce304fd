import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { storePacking } from '../../src/store/index.js';
import { swapDatabase } from '../../src/store/repair/rebuild.js';
import { tempStore } from '../stage.js';
import { batch, commitBatch, entry } from './build.js';

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
    expect((await storePacking(db)).free).toBeLessThan(told.after / 2);
  });
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
