import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  openStore,
  publishFile,
  saveFolders,
  saveProjects,
  setSessionProjects,
  rowsOfTiers,
  tierKeys,
} from '../../src/store/index.js';
import type { Store } from '../../src/store/index.js';
import { testFolder } from '../folder.js';
import { madeOnce, tempStore, testClock } from '../stage.js';
import { batch, commitBatch, entry } from './build.js';
import { fillWorld } from './world.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/database.md'), 'utf8');

async function publicViews(store: Store): Promise<string[]> {
  return (
    await store.read((db) =>
      db.all<{ name: string }>(
        `SELECT view_name AS name FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal ORDER BY name`,
      ),
    )
  ).map(({ name }) => name);
}

/** Columns of a view as docs/database.md lists them, or as it says that those of another view are. */
function documented(view: string): string[] {
  if (view === 'claims') return documented('lessons').filter((column) => column !== 'fact');
  if (view === 'archive_entries') return [...documented('entries'), 'tier'];
  const [, listed = ''] =
    new RegExp(`^- \\*\\*${view}\\*\\*: [^]*?Columns: ([^]*?)(?=\\n- |\\n\\n)`, 'm').exec(page) ??
    [];
  return [...listed.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, column]) => column!);
}

test('every public view is documented column by column', async () => {
  const { store } = await tempStore();
  for (const view of await publicViews(store)) {
    const columns = await store.read((db) => db.all<{ column_name: string }>(`DESCRIBE ${view}`));
    expect(
      columns.map(({ column_name: column }) => column),
      view,
    ).toEqual(documented(view));
  }
});

const copyWorld = madeOnce(async (path) => {
  const store = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  await fillWorld(store);
  await store.close();
});
async function worldStore(): Promise<Store> {
  const path = join(testFolder(), 'memory.duckdb');
  await copyWorld(path);
  return (await tempStore({ path })).store;
}

describe('the questions in docs/database.md', () => {
  const questions = [
    ...(page.split('## Questions')[1]?.matchAll(/^([A-Z].*)\n```sql\n([\s\S]*?)```/gm) ?? []),
  ].map(([, question, sql]) => ({ question: question as string, sql: sql as string }));
  const answers: Record<string, unknown> = {
    'Which commands': { command: 'make db', runs: 1, failures: 1 },
    'What does the user': {
      project: 'shop-3fa9',
      text: 'Use pnpm, not npm.',
      quote: 'always usepnpm',
    },
    'Which sessions': { title: 'checkout', tokens: 2300 },
  };

  test('each has the answer that a made-up history gives', async () => {
    const store = await worldStore();
    expect(questions).toHaveLength(Object.keys(answers).length);
    for (const { question, sql } of questions) {
      const key = Object.keys(answers).find((start) => question.startsWith(start));
      expect(key, question).toBeDefined();
      const [row] = await store.read((db) => db.all(sql));
      expect(row, question).toMatchObject(answers[key as string] as object);
    }
  });
});

test('the project of an entry: what was settled for its session, else its folder', async () => {
  const { store } = await tempStore();
  const projects = async () =>
    store.read((db) =>
      db.all<{ project: string | null }>('SELECT project FROM entries ORDER BY seq'),
    );
  await store.write((db) =>
    commitBatch(
      db,
      batch([
        entry('a', 'in shop', { seq: 1 }),
        entry('b', 'in tmp', { seq: 2, cwd: '/tmp' }),
        entry('c', 'nowhere', { seq: 3, cwd: null }),
      ]),
    ),
  );
  expect(await projects()).toEqual([{ project: null }, { project: null }, { project: null }]);
  await store.write(async (db) => {
    const project = (id: string, slug: string) => ({
      id,
      slug,
      name: slug,
      remote: null,
      folders: [],
      aliases: [],
    });
    await saveProjects(db, [project('p1', 'shop-1'), project('p2', 'tmp-2')]);
    await saveFolders(db, [
      { cwd: '/work/shop', project: 'p1', facts: {} },
      { cwd: '/tmp', project: 'p2', facts: {} },
    ]);
  });
  expect(await projects()).toEqual([
    { project: 'shop-1' },
    { project: 'tmp-2' },
    { project: null },
  ]);
  await store.write((db) =>
    setSessionProjects(db, [{ agent: 'claude-code', session: 's1', project: 'p1' }]),
  );
  expect(await projects()).toEqual([
    { project: 'shop-1' },
    { project: 'shop-1' },
    { project: 'shop-1' },
  ]);
});

describe('archive_entries', () => {
  test('a tier line has the columns of the view entries that do not depend on the home, and comes back as the same row', async () => {
    const { store, home } = await tempStore();
    await store.write((db) =>
      commitBatch(
        db,
        batch([entry('a', 'keep "this"\nline', { files: ['a b.ts'], marks: ['final'], exit: 3 })]),
      ),
    );
    const key = { agent: 'claude-code', session: 's1', day: '2026-11-20' };
    const rows = await store.read(async (db) => {
      const [tier] = await tierKeys(db, [key]);
      return [...(await rowsOfTiers(db, tier!.keys)).values()];
    });
    const entries = await store.read((db) => db.all('SELECT * FROM entries'));
    expect(rows).toEqual(entries.map(({ rev: _, project: __, ...row }) => row));
    const tier = join(
      home,
      'projects',
      'shop-1',
      'archive',
      '2026-W46',
      '2026-11-20-0123abcd.jsonl.gz',
    );
    await publishFile(tier, gzipSync(rows.map((row) => JSON.stringify(row)).join('\n')));
    expect(
      await store.read((db) => db.all('SELECT * EXCLUDE (tier) FROM archive_entries')),
    ).toEqual(entries.map((row) => ({ ...row, rev: null })));
    expect(await store.read((db) => db.all('SELECT tier FROM archive_entries'))).toEqual([
      { tier },
    ]);
  });

  test('a damaged line or field is passed over, the rest of the tier is read', async () => {
    const { store, home } = await tempStore();
    const line = (id: string) =>
      JSON.stringify({ id, rev: 1, text: 'x', time: '2026-11-20T10:00:00.000Z' });
    const lines = [
      line('good1'),
      '{"id": "torn',
      'not json',
      line('good2'),
      JSON.stringify({ id: 'later', rev: 1, unknown: 1 }),
    ];
    await publishFile(
      join(home, 'projects', 'shop-1', 'archive', '2026-W46', 'a.jsonl.gz'),
      gzipSync(lines.join('\n')),
    );
    const ids = (
      await store.read((db) => db.all<{ id: string | null }>('SELECT id FROM archive_entries'))
    )
      .map(({ id }) => id)
      .filter((id) => id !== null);
    expect(ids).toEqual(['good1', 'good2', 'later']);
  });
});
