/** Texts that are too long for the engine to fold in: recognised, cut and kept, and the store goes on. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/duckdb.js';
import { cutTexts } from '../../src/store/index.js';
import { batch, commitBatch, copyEmptyStore, entry, tempFolder, tempStore } from './build.js';

const SMALL = { memoryLimitMb: 24, checkpointMb: 4 };
const LONG = 1_056_000;
function addLong(n: number): string {
  return `INSERT INTO own.texts SELECT ${n}, array_to_string(list_transform(range(${LONG / 32}), x -> md5((${n} * 100000 + x)::VARCHAR)), '')`;
}

/** A store whose log can no more be folded in, as a release without a cap for each role left it. */
async function wedge(path: string): Promise<number> {
  await copyEmptyStore(path);
  const database = await openDatabase(path, SMALL);
  try {
    const db = await database.connect();
    for (let n = 1; n <= 40; n++)
      await db.run(addLong(1000 + n)).catch((error: Error) => {
        throw Object.assign(error, { n });
      });
  } catch (error) {
    return (error as { n: number }).n;
  } finally {
    database.close();
  }
  throw new Error('nothing failed');
}

test('a store that cannot fold its log is mended by the next write: every row is there, texts are cut with a mark, the whole is kept beside it', async () => {
  const home = await tempFolder();
  const path = join(home, 'memory.duckdb');
  const held = await wedge(path);
  expect(statSync(`${path}.wal`).size).toBeGreaterThan(0);
  const { store } = await tempStore({ path, ...SMALL });
  await store.write((db) => commitBatch(db, batch([entry('a', 'use pnpm here')])));
  await store.write((db) => commitBatch(db, batch([entry('b', 'and tabs')])));
  await store.release();
  expect(statSync(`${path}.wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  const rows = await store.read((db) =>
    db.all<{ n: number; bytes: number; text: string }>(
      'SELECT n, strlen(text) AS bytes, text FROM own.texts WHERE n > 1000 ORDER BY n',
    ),
  );
  expect(rows).toHaveLength(held);
  for (const { bytes, text } of rows) {
    expect(bytes).toBeLessThanOrEqual(64 * 1024);
    expect(text).toContain('[… 992000 bytes left out …]');
  }
  expect(await store.read((db) => db.all('SELECT text FROM entries ORDER BY text'))).toEqual([
    { text: 'and tabs' },
    { text: 'use pnpm here' },
  ]);
  const cut = (await store.read(cutTexts))!;
  expect(cut.texts).toBe(held);
  expect(readdirSync(home)).toContain(cut.file.slice(home.length + 1));
  const lines = gunzipSync(readFileSync(cut.file))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { text: string }).text);
  expect(lines.map((text) => text.length)).toEqual(Array.from({ length: held }, () => LONG));
});

test('mended is our own change: a store that heals goes on, and finds no other file than it left', async () => {
  const home = await tempFolder();
  const path = join(home, 'memory.duckdb');
  const { store } = await tempStore({ path, ...SMALL, heals: true });
  expect(await store.settle()).toMatchObject({ action: 'created' });
  for (let n = 1; n <= 40 && (await store.read(cutTexts)) === null; n++) await store.write((db) => db.run(addLong(1000 + n)));
  expect(store.isTouched()).toBe(false);
  expect((await store.read(cutTexts))!.texts).toBeGreaterThan(0);
  expect(await store.settle()).toBeNull();
});
