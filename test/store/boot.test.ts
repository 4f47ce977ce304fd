import { mkdir, open, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/duckdb.js';
import { bootStore, openStore, storeCounts } from '../../src/store/index.js';
import type { BootReport, Store } from '../../src/store/index.js';
import { testFolder } from '../folder.js';
import { madeOnce, testClock } from '../stage.js';
import { batch, commitBatch, entry } from './build.js';

const clock = testClock('2026-11-20T04:17:09.123Z');
const DATED = /\.damaged-20261120T041709Z(-\d)?$/;

async function boot(path: string): Promise<{ store: Store; report: BootReport; entries: number }> {
  const { store, report } = await bootStore({ path, clock, lockWaitMs: 0 });
  const { entries } = await store.read(storeCounts);
  await store.write((db) => commitBatch(db, batch([entry('after', 'works again')])));
  await store.close();
  return { store, report, entries };
}

const copyMade = madeOnce(async (path) => {
  const store = openStore({ path, clock, lockWaitMs: 0 });
  const text = (i: number) =>
    Array.from({ length: 60 }, (_, k) => ((i * 7919 + k * 104729) % 1_000_003).toString(36)).join(
      ' ',
    );
  await store.write((db) =>
    commitBatch(db, batch(Array.from({ length: 300 }, (_, i) => entry(`e${i}`, text(i))))),
  );
  await store.close();
});
/** A closed store with 300 entries, several blocks long, that has been opened where it lies. */
async function madeStore(): Promise<string> {
  const path = join(testFolder(), 'memory.duckdb');
  await copyMade(path);
  const store = openStore({ path, clock, lockWaitMs: 0 });
  await store.read(storeCounts);
  await store.close();
  return path;
}

test('a fresh home: created, nothing moved; a sound one: opened', async () => {
  const path = join(testFolder(), 'home', 'memory.duckdb');
  expect((await boot(path)).report).toEqual({ action: 'created', moved: [], reason: null });
  expect(await boot(path)).toMatchObject({
    report: { action: 'opened', moved: [], reason: null },
    entries: 1,
  });
});

test.each<[string, (path: string) => Promise<void>]>([
  ['a text file', (path) => writeFile(path, 'this is my shopping list\n'.repeat(1000))],
  ['an empty file', (path) => truncate(path, 0)],
  ['an empty header', async (path) => overwrite(path, 0, Buffer.alloc(12_288))],
  ['a stub of 100 bytes', (path) => truncate(path, 100)],
  ['half of the file', async (path) => truncate(path, Math.floor((await stat(path)).size / 2))],
  // The last one may be free.
  ['all but two blocks', async (path) => truncate(path, (await stat(path)).size - 2 * 262_144)],
  ['a store of a version before 7, which was never published', (path) => olderVersion(path)],
  [
    "another program's database",
    (path) =>
      writeFile(path, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8192)])),
  ],
])(
  '%s in place of the database: quarantined with a date, never deleted, made again',
  async (_what, damage) => {
    const path = await madeStore();
    await damage(path);
    const bytes = await readFile(path);
    const { report, entries } = await boot(path);
    expect(report.action).toBe('quarantined');
    expect(report.reason).not.toBeNull();
    expect(report.moved[0]).toMatchObject({
      from: path,
      to: expect.stringMatching(DATED) as string,
    });
    expect(bytes.equals(await readFile(report.moved[0]?.to ?? ''))).toBe(true);
    expect(entries).toBe(0);
  },
);

test('a folder in place of the database is quarantined with what is in it', async () => {
  const path = join(testFolder(), 'memory.duckdb');
  await mkdir(path);
  await writeFile(join(path, 'keep.txt'), 'keep');
  const { report } = await boot(path);
  expect(report).toMatchObject({ action: 'quarantined', reason: 'not a regular file' });
  expect(await readFile(join(report.moved[0]?.to ?? '', 'keep.txt'), 'utf8')).toBe('keep');
});

test('damage again in the same second does not overwrite what was quarantined', async () => {
  const path = await madeStore();
  for (const text of ['first', 'second']) {
    await rm(path, { force: true });
    await writeFile(path, text.repeat(5000));
    await boot(path);
  }
  const names = (await readdir(join(path, '..'))).filter((name) => name.includes('damaged'));
  expect(names.sort()).toEqual([
    'memory.duckdb.damaged-20261120T041709Z',
    'memory.duckdb.damaged-20261120T041709Z-2',
  ]);
});

async function olderVersion(path: string): Promise<void> {
  const database = await openDatabase(path);
  await (
    await database.connect()
  ).run(`UPDATE main.meta SET value = '6' WHERE key = 'store_version'`);
  await database.fold();
  database.close();
}

async function overwrite(path: string, at: number, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(bytes, 0, bytes.length, at);
  await handle.close();
}
