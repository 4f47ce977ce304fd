import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openStore, storeCounts } from '../../src/store/index.js';
import { openDatabase } from '../../src/store/duckdb.js';
import { migrate, readMeta } from '../../src/store/migrate.js';
import { STORE_VERSION, steps, withColumns } from '../../src/store/schema.js';
import {
  columnOf,
  EDIT_COLUMNS,
  ENTRY_COLUMNS,
  EVENT_COLUMNS,
  FACT_COLUMNS,
  LESSON_ROW,
  type Column,
} from '../../src/types.js';
import { batch, commitBatch, entry, tempFolder, tempStore, testClock } from './build.js';

test('a store of the previous version gets the next step, keeps every row, and is upgraded once', async () => {
  const { store, path } = await tempStore();
  await store.write((db) => commitBatch(db, batch([entry('a', 'one'), entry('b', 'two')])));
  await store.close();
  const next = [
    ...steps,
    {
      version: STORE_VERSION + 1,
      statements: [
        'ALTER TABLE own.uses ADD COLUMN door_version INTEGER',
        `UPDATE own.texts SET text = upper(text)`,
      ],
    },
  ];
  for (let round = 0; round < 2; round++) {
    const database = await openDatabase(path);
    const db = await database.connect();
    await migrate(db, await readMeta(db), path, next);
    expect((await readMeta(db)).store_version).toBe(String(STORE_VERSION + 1));
    expect(await db.all('SELECT text FROM main.entries ORDER BY text')).toEqual([
      { text: 'ONE' },
      { text: 'TWO' },
    ]);
    expect(
      await db.all('SELECT count(*) AS count FROM own.uses WHERE door_version IS NULL'),
    ).toEqual([{ count: 0 }]);
    database.close();
  }
});

/** Rows of every table of ours, and a hash of them, as the file has them. */
async function contentOf(path: string): Promise<Record<string, unknown>> {
  const database = await openDatabase(path, { readOnly: true });
  const db = await database.connect();
  const found: Record<string, unknown> = {};
  for (const { name } of await db.all<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'own'`,
  ))
    [found[name]] = await db.all(
      `SELECT count(*) AS rows, bit_xor(hash(t))::VARCHAR AS sum FROM own."${name}" t`,
    );
  database.close();
  return found;
}

test('a store that a program of version 7 wrote keeps all it has, and a reader may be the first to open it', async () => {
  const path = join(await tempFolder(), 'memory.duckdb');
  await writeFile(
    path,
    gunzipSync(await readFile(new URL('version-7.duckdb.gz', import.meta.url))),
  );
  const { sightings: occurrences, ...before } = await contentOf(path);
  expect(before).toMatchObject({
    entries: { rows: 5 },
    lessons: { rows: 2 },
    prompts: { rows: 1 },
    sources: { rows: 1 },
  });
  const store = openStore({ path, clock: testClock(), lockWaitMs: 0, readOnly: true });
  expect(await store.read((db) => db.all('SELECT session, text FROM main.prompts'))).toEqual([
    { session: 'one', text: 'Remember: invoices are rounded to 5 cents' },
  ]);
  expect((await store.read((db) => readMeta(db))).store_version).toBe(String(STORE_VERSION));
  await store.close();
  expect(existsSync(`${path}.wal`)).toBe(false);
  expect(await contentOf(path)).toEqual({
    ...before,
    occurrences,
    typed_prompts: { rows: 0, sum: null },
  });
});

test('a step that fails leaves the version before it, whole', async () => {
  const { store, path } = await tempStore();
  await store.write((db) => commitBatch(db, batch([entry('a', 'one')])));
  await store.close();
  const bad = [
    ...steps,
    {
      version: STORE_VERSION + 1,
      statements: [
        'CREATE TABLE own.half (x INTEGER)',
        'DELETE FROM own.texts',
        'SELECT no_such_function()',
      ],
    },
  ];
  const database = await openDatabase(path);
  const db = await database.connect();
  await expect(migrate(db, await readMeta(db), path, bad)).rejects.toThrow('no_such_function');
  database.close();
  const after = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  expect(await after.read((d) => d.all('SELECT text FROM entries'))).toEqual([{ text: 'one' }]);
  expect(
    await after.read((d) =>
      d.all(`SELECT table_name FROM duckdb_tables() WHERE table_name = 'half'`),
    ),
  ).toEqual([]);
  await after.close();
});

test('a reader of a store with other views lets a writer bring it up to date first', async () => {
  const { store, path } = await tempStore();
  await store.write(async (db) => {
    await commitBatch(db, batch([entry('a', 'one')]));
    await db.run(`DROP VIEW main.errors`);
    await db.run(`UPDATE main.meta SET value = 'older' WHERE key = 'views'`);
  });
  await store.close();
  const reader = openStore({ path, clock: testClock(), lockWaitMs: 0, readOnly: true });
  expect(await reader.read((db) => db.all('SELECT count(*) AS count FROM errors'))).toEqual([
    { count: 0 },
  ]);
  expect((await reader.read(storeCounts)).entries).toBe(1);
  await reader.close();
});

test('a home that moved, or has a quote in its name, still reads its archive', async () => {
  const { store, path, home } = await tempStore();
  await store.read((db) => db.all('SELECT count(*) FROM archive_entries'));
  await store.close();
  const moved = join(await tempFolder(), `ann's home`);
  await mkdir(moved);
  await cp(join(home, 'projects'), join(moved, 'projects'), { recursive: true });
  await rename(path, join(moved, 'memory.duckdb'));
  await rename(join(home, 'projects'), join(home, 'gone'));
  const there = openStore({
    path: join(moved, 'memory.duckdb'),
    clock: testClock(),
    lockWaitMs: 0,
    readOnly: true,
  });
  expect(await there.read((db) => db.all('SELECT count(*) AS count FROM archive_entries'))).toEqual(
    [{ count: 0 }],
  );
  await there.close();
});

test('tables have the columns that src/types lists, and a new one in a list is a step', async () => {
  const { store, path } = await tempStore();
  await store.write((db) => commitBatch(db, batch([entry('a', 'one')])));
  const columns = async (table: string) =>
    Object.fromEntries(
      (
        await store.read((db) =>
          db.all<{ name: string; type: string }>(
            `SELECT column_name AS name, data_type AS type FROM duckdb_columns() WHERE schema_name = 'own' AND table_name = '${table}'`,
          ),
        )
      ).map(({ name, type }) => [name, type]),
    );
  const named = (list: Readonly<Record<string, Column>>) =>
    Object.fromEntries(Object.entries(list).map(([name, { type }]) => [columnOf(name), type]));
  const listed = (...of: string[]) =>
    named(
      Object.fromEntries(
        Object.entries(ENTRY_COLUMNS).filter(([, column]) => of.includes(column.of)),
      ),
    );
  const own = { n: 'BIGINT', log: 'BIGINT' };
  expect(await columns('entries')).toEqual({
    ...own,
    ...listed('entry', 'place'),
    length: 'INTEGER',
  });
  expect(await columns('copies')).toEqual({ ...own, ...listed('place') });
  const owner = 'VARCHAR';
  expect(await columns('lessons')).toEqual({ ...named(LESSON_ROW), owner });
  expect(await columns('evidence')).toEqual({
    ...named(EVENT_COLUMNS),
    owner,
    lesson: 'VARCHAR',
    ord: 'INTEGER',
  });
  expect(await columns('fact_events')).toEqual({ ...named(FACT_COLUMNS), project: 'VARCHAR' });
  expect(await columns('edits')).toEqual({ ...named(EDIT_COLUMNS), owner, n: 'BIGINT' });
  await store.close();

  const since = STORE_VERSION + 1;
  const list = withColumns(steps, {
    entries: {
      brandNew: { type: 'VARCHAR', since },
      notes: { type: 'VARCHAR[]', since, unknown: [] },
    },
    copies: { brandNew: { type: 'VARCHAR', since }, older: { type: 'VARCHAR' } },
  });
  expect(list.slice(0, -1)).toEqual(steps);
  const database = await openDatabase(path);
  const db = await database.connect();
  await migrate(db, await readMeta(db), path, list);
  expect(await db.all('SELECT brand_new, notes FROM own.entries')).toEqual([
    { brand_new: null, notes: [] },
  ]);
  expect(await db.all('SELECT brand_new FROM own.copies')).toEqual([]);
  database.close();
});
