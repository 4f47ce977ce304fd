import { expect, test } from 'vitest';
import { findPurged, removePurged, type Db } from '../../src/store/index.js';
import { tempStore } from '../stage.js';
import { idOf } from './build.js';
import { fillWorld } from './world.js';

const KEPT = new Set(['purged']);

interface About {
  ids: string[];
  numbers: number[];
  session: string;
}

function valuesIn(table: string, column: string, about: About): string[] {
  if (column === 'session') return [about.session];
  if (column === 'n' && table !== 'edits') return about.numbers.map(String);
  return ['id', 'entry'].includes(column) ? about.ids : [];
}

/** Rows of each table of ours that name an entry or a session, by table and column. */
async function rowsAbout(db: Db, about: About): Promise<string[]> {
  const columns = await db.all<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM duckdb_columns() WHERE schema_name = 'own'`,
  );
  const found: string[] = [];
  for (const { table, column } of columns.filter((each) => !KEPT.has(each.table))) {
    const values = valuesIn(table, column, about);
    const rows = await db.all(
      `SELECT 1 FROM own."${table}" WHERE "${column}"::VARCHAR IN (SELECT unnest($values::VARCHAR[]))`,
      { values },
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found.sort();
}

test('no table has a row of a session that was purged, nor of one of its entries', async () => {
  const { store } = await tempStore();
  await fillWorld(store);
  const entries = await store.read((db) =>
    db.all<{ id: string; n: number }>(`SELECT id, n FROM own.entries WHERE session = 's2'`),
  );
  const about = {
    ids: entries.map(({ id }) => id),
    numbers: entries.map(({ n }) => n),
    session: 's2',
  };
  expect(about.ids).toContain(idOf('say'));
  expect(await store.read((db) => rowsAbout(db, about))).toEqual(
    expect.arrayContaining(['entries.id', 'postings.n', 'sessions.session', 'texts.n']),
  );
  const session = { agent: 'claude-code', session: 's2' };
  const target = { needles: [], session, project: null, before: null, marks: [] };
  await store.write(async (db) => removePurged(db, await findPurged(db, target, []), []));
  expect(await store.read((db) => rowsAbout(db, about))).toEqual([]);
});
