import { expect, test } from 'vitest';
import { removePurged, columnsWith, type Db } from '../../src/store/index.js';
import {
  hasOurWords,
  PARSED_TABLES,
  TABLES,
  TABLE_NAMES,
  type TableName,
} from '../../src/store/tables.js';
import { tempStore } from '../stage.js';
import { fillWorld } from './world.js';

const NEEDLE = 'the-plover-passphrase';
const NOTHING = { ids: [], sessions: [], emptied: [], projects: [], losing: [] };

/** By type the value of a column that is not looked at. */
const VALUES: Readonly<Record<string, string>> = {
  VARCHAR: `'x'`,
  'VARCHAR[]': `['x']`,
  TIMESTAMP: `TIMESTAMP '2026-11-20'`,
  DATE: `DATE '2026-11-20'`,
  BOOLEAN: 'true',
  'FLOAT[384]': 'NULL',
};

function typeOf(table: TableName, column: string): string {
  return (TABLES[table].columns as Record<string, string>)[column]!.replace('?', '');
}

/** Adds a row whose column has the text. */
function plant(db: Db, table: TableName, column: string): Promise<number> {
  const columns = Object.keys(TABLES[table].columns);
  const value = (name: string): string => {
    const type = typeOf(table, name);
    if (name === 'state' || name === 'payload')
      return `'${JSON.stringify(name === column ? { said: NEEDLE } : {})}'`;
    if (name !== column) return VALUES[type] ?? '1';
    return type === 'VARCHAR[]' ? `['x', 'of ${NEEDLE}']` : `'of ${NEEDLE}'`;
  };
  return db.run(
    `INSERT INTO own.${table} (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${columns.map(value).join(', ')})`,
  );
}

test('each table and column of ours has a description', async () => {
  const { store } = await tempStore();
  const rows = await store.read((db) =>
    db.all<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM duckdb_columns() WHERE schema_name = 'own'
         AND table_name IN (SELECT table_name FROM duckdb_tables()) ORDER BY name`,
    ),
  );
  const described = TABLE_NAMES.flatMap((table) =>
    Object.keys(TABLES[table].columns).map((column) => `${table}.${column}`),
  );
  expect(rows.map(({ name }) => name)).toEqual(described.sort());
  expect([...PARSED_TABLES].sort()).toEqual([
    'candidates',
    'dropped_notes',
    'episodes',
    'file_edits',
    'prompts',
    'steps',
  ]);
});

test('the proof finds a text in each column of each table, and a purge takes it out', async () => {
  const { store } = await tempStore();
  const tables = TABLE_NAMES.filter((name) => TABLES[name].purge !== null && name !== 'sources');
  // The name of an agent in `sources` would be a word of ours in every other table.
  for (const together of [['sources'] as const, tables]) {
    const places = together.flatMap((table) =>
      Object.keys(TABLES[table].columns)
        .filter((name) => typeOf(table, name).startsWith('VARCHAR') && !hasOurWords(table, name))
        .map((column) => ({ table, column })),
    );
    await store.write(async (db) => {
      for (const { table, column } of places) await plant(db, table, column);
    });
    const held = await store.read((db) => columnsWith(db, [NEEDLE]));
    expect(held.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
      places.map(({ table, column }) => `"own"."${table}".${column}`).sort(),
    );
    await store.write((db) => removePurged(db, NOTHING, [NEEDLE]));
    expect(await store.read((db) => columnsWith(db, [NEEDLE]))).toEqual([]);
  }
});

test('a purge of a word of ours, such as `user`, is about texts alone', async () => {
  const { store } = await tempStore();
  await fillWorld(store);
  const all = 'SELECT count(*)::INTEGER AS entries FROM own.entries';
  const before = await store.read((db) => db.all(all));
  for (const word of ['user', 'assistant', 'claude-code', 'ok'])
    await store.write((db) => removePurged(db, NOTHING, [word]));
  expect(await store.read((db) => db.all(all))).toEqual(before);
});
