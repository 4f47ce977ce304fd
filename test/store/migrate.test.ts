import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { homeState, isPurgeOpen, openStore, setMeta, storeCounts } from '../../src/store/index.js';
import { openDatabase } from '../../src/store/duckdb.js';
import { migrate, readMeta } from '../../src/store/migrate.js';
import type { Db } from '../../src/store/db.js';
import { STORE_VERSION } from '../../src/store/schema.js';
import { testFolder } from '../folder.js';
import { tempStore, testClock } from '../stage.js';

/** A file that the build of version 8 wrote: notes, an addition, an edit, a pin, a forgotten one, a purge. */
async function homeOfVersion8(): Promise<string> {
  const path = join(testFolder(), 'memory.duckdb');
  const packed = await readFile(new URL('version-8.duckdb.br', import.meta.url));
  await writeFile(path, brotliDecompressSync(packed));
  return path;
}

async function inFile<T>(path: string, act: (db: Db) => Promise<T>): Promise<T> {
  const database = await openDatabase(path, { readOnly: true });
  try {
    return await act(await database.connect());
  } finally {
    database.close();
  }
}

type Tables = Record<string, string[]>;

/** By table its columns, with their types. */
async function tablesOf(db: Db): Promise<Tables> {
  const columns = await db.all<{ table: string; column: string }>(
    `SELECT table_name AS "table", concat_ws(' ', column_name, data_type, is_nullable) AS "column"
     FROM duckdb_columns() WHERE schema_name = 'own' ORDER BY ALL`,
  );
  const tables: Tables = {};
  for (const { table, column } of columns) (tables[table] ??= []).push(column);
  return tables;
}

/** The number of rows of each table, and a hash of their values in these columns. */
async function rowsOf(db: Db, tables: Tables): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [table, columns] of Object.entries(tables)) {
    const names = columns.map((column) => `"${column.split(' ')[0]!}"`).join(', ');
    [found[table]] = await db.all(
      `SELECT count(*) AS rows, sum(hash(t))::VARCHAR AS sum FROM (SELECT ${names} FROM own."${table}") t`,
    );
  }
  return found;
}

test('a home of version 8 gets the tables of a new one in one step, and keeps its rows', async () => {
  const path = await homeOfVersion8();
  const { store: fresh, path: freshPath } = await tempStore();
  await fresh.read((db) => readMeta(db));
  await fresh.close();
  const tables = await inFile(freshPath, tablesOf);
  const [kept, before] = await inFile(path, async (db) => {
    const old = await tablesOf(db);
    // Facts of the four kinds that are gone are not kept.
    const { fact_events: _, ...stay } = tables;
    const shared = Object.entries(stay).flatMap(([table, columns]): [string, string[]][] => {
      const there = columns.filter(
        (column) => old[table]?.includes(column) && !/^(?:payload|learnt) /.test(column),
      );
      return there.length === 0 ? [] : [[table, there]];
    });
    return [Object.fromEntries(shared), await rowsOf(db, Object.fromEntries(shared))] as const;
  });
  expect(before).toMatchObject({
    entries: { rows: 332 },
    copies: { rows: 70 },
    texts: { rows: 332 },
    lessons: { rows: 12 },
    edits: { rows: 4 },
    purged: { rows: 9 },
  });
  const store = openStore({ path, clock: testClock(), lockWaitMs: 0, readOnly: true });
  expect((await store.read((db) => readMeta(db))).store_version).toBe(String(STORE_VERSION));
  expect(
    await store.read((db) => db.all('SELECT action, text FROM own.edits ORDER BY n', {})),
  ).toEqual([
    { action: 'add', text: 'Never use npm publish; the release job does it' },
    { action: 'pin', text: null },
    { action: 'edit', text: 'Never force-push a shared branch; rebase on origin first' },
    { action: 'forget', text: null },
  ]);
  const [renamed] = await store.read((db) =>
    db.all(`SELECT bool_and(payload->>'$.said_by' IN ('user', 'agent', 'observed')) AS of_candidates,
      (SELECT bool_and(learnt->>'$.said_by' IN ('user', 'agent', 'observed')) FROM own.lessons) AS of_lessons FROM own.candidates`),
  );
  expect(renamed).toEqual({ of_candidates: true, of_lessons: true });
  const [state] = await store.read((db) =>
    db.all(`SELECT count(*) FILTER (unlearnt) = (SELECT count(*) FROM own.projects) AS anew,
      count(*) FILTER (NOT unlearnt AND project = '') AS person, count(crystal) > 0 AS read FROM own.project_state`),
  );
  expect(state).toEqual({ anew: true, person: 1, read: true });
  await store.close();
  expect(existsSync(`${path}.wal`)).toBe(false);
  expect(await inFile(path, tablesOf)).toEqual(tables);
  expect(await inFile(path, (db) => rowsOf(db, kept))).toEqual(before);
});

test("databases of OpenCode are opened again, since version 8 does not read OpenCode 2's tables", async () => {
  const path = await homeOfVersion8();
  const old = await openDatabase(path);
  const change = await old.connect();
  await change.run("UPDATE own.sources SET agent = 'opencode'");
  old.close();
  const store = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  expect(await store.read((db) => db.all('SELECT DISTINCT mtime_ms FROM own.sources'))).toEqual([
    { mtime_ms: 0 },
  ]);
  await store.close();
});

test('an upgrade that fails leaves version 8, whole', async () => {
  const path = await homeOfVersion8();
  const before = await inFile(path, async (db) => [await tablesOf(db), await readMeta(db)]);
  const database = await openDatabase(path);
  const db = await database.connect();
  const failing: Db = {
    ...db,
    run: (sql, params) =>
      db.run(sql.replace(/\n;\nCOMMIT$/, '\n;\nSELECT no_such_function()\n;\nCOMMIT'), params),
  };
  await expect(migrate(failing, await readMeta(db), path)).rejects.toThrow('no_such_function');
  database.close();
  expect(
    await inFile(path, async (after) => [await tablesOf(after), await readMeta(after)]),
  ).toEqual(before);
});

test('what version 10 kept as JSON by key has columns', async () => {
  const { store, path } = await tempStore();
  const meta = {
    edit_authors: { entry: 41, edit: 3 },
    inbox_trusted: ['ci', 'notes'],
    vector_model: { fingerprint: 'all-mini', dimensions: 384 },
    embed_fault: { since: '2026-11-20T04:17:00.000Z', text: 'no answer' },
    purge: { session: null, project: null, before: null, passages: ['said once', 'said twice'] },
  };
  await store.write(async (db) => {
    await db.run('DROP TABLE own.home_state');
    for (const [key, value] of Object.entries(meta)) await setMeta(db, key, JSON.stringify(value));
    await setMeta(db, 'store_version', '10');
  });
  await store.close();
  const upgraded = openStore({ path, clock: testClock(), lockWaitMs: 0, readOnly: true });
  expect(await upgraded.read(homeState)).toEqual({
    looked_entry: 41,
    looked_edit: 3,
    inbox_trusted: ['ci', 'notes'],
    model: 'all-mini',
    dimensions: 384,
    embed_fault: 'no answer',
    embed_fault_since: '2026-11-20T04:17:00.000Z',
  });
  expect(await upgraded.read(isPurgeOpen)).toBe(true);
  expect(Object.values(await upgraded.read(readMeta)).join()).not.toContain('said once');
  await upgraded.close();
});

test('a purge that version 11 had begun is not done, and what it was about is gone', async () => {
  const { store, path } = await tempStore();
  await store.write(async (db) => {
    await db.run(
      `CREATE TABLE own.open_purge AS SELECT 'codex' AS agent, ['said once'] AS passages`,
    );
    await setMeta(db, 'store_version', '11');
  });
  await store.close();
  const upgraded = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  expect(await upgraded.write(isPurgeOpen)).toBe(true);
  expect(await upgraded.read(tablesOf)).not.toContain('open_purge');
  await upgraded.close();
});

test('a store of a version before 8 is not read', async () => {
  const { store, path } = await tempStore();
  await store.write((db) => db.run(`UPDATE main.meta SET value = '7' WHERE key = 'store_version'`));
  await store.close();
  const older = openStore({ path, clock: testClock(), lockWaitMs: 0, readOnly: true });
  await expect(older.read(storeCounts)).rejects.toMatchObject({ code: 'STORE_TOO_OLD' });
  await older.close();
});

test('a home that moved, or has a quote in its name, still reads its archive', async () => {
  const { store, path, home } = await tempStore();
  await store.read((db) => db.all('SELECT count(*) FROM archive_entries'));
  await store.close();
  const moved = join(testFolder(), `ann's home`);
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

test('a column that a view needs is added to a store of this version', async () => {
  const { store, path } = await tempStore();
  await store.read((db) => readMeta(db));
  await store.close();
  const database = await openDatabase(path);
  const db = await database.connect();
  for (const view of ['entries', 'tool_calls', 'commands', 'errors'])
    await db.run(`DROP VIEW IF EXISTS main.${view}`);
  await db.run(`ALTER TABLE own.entries DROP COLUMN branch`);
  await db.run(`UPDATE main.meta SET value = 'older' WHERE key = 'views'`);
  database.close();
  const { store: again } = await tempStore({ path });
  expect(await again.read((each) => each.all('SELECT branch FROM entries'))).toEqual([]);
});
