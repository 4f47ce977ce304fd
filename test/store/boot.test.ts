import {
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/duckdb.js';
import {
  bootStore,
  faultKind,
  openStore,
  rescueStore,
  storeCounts,
} from '../../src/store/index.js';
import type { BootReport, Store } from '../../src/store/index.js';
import { batch, commitBatch, entry, madeOnce, tempFolder, testClock } from './build.js';
import { startChild } from './children.js';

const clock = testClock('2026-11-20T04:17:09.123Z');
const DATED = /\.damaged-20261120T041709Z(-\d)?$/;

async function boot(path: string): Promise<{ store: Store; report: BootReport; entries: number }> {
  const { store, report } = await bootStore({ path, clock, lockWaitMs: 0 });
  const { entries } = await store.read(storeCounts);
  await store.write((db) => commitBatch(db, batch([entry('after', 'works again')])));
  await store.close();
  return { store, report, entries };
}

function storeOf(count: number): (path: string) => Promise<void> {
  return madeOnce(async (path) => {
    const store = openStore({ path, clock, lockWaitMs: 0 });
    const text = (i: number) =>
      Array.from({ length: 60 }, (_, k) => ((i * 7919 + k * 104729) % 1_000_003).toString(36)).join(
        ' ',
      );
    await store.write((db) =>
      commitBatch(db, batch(Array.from({ length: count }, (_, i) => entry(`e${i}`, text(i))))),
    );
    await store.close();
  });
}
const [copySmall, copyLarge] = [storeOf(300), storeOf(3000)];
const copyKilled = madeOnce(async (path) => {
  const child = startChild('commit-loop', [path, '20']);
  await child.line((line) => line.startsWith('done') && child.lines.length > 4);
  child.process.kill('SIGKILL');
  await child.ended;
});

async function placed(copy: (path: string) => Promise<void>): Promise<string> {
  const path = join(await tempFolder(), 'memory.duckdb');
  await copy(path);
  return path;
}
/** A closed store with 300 entries, several blocks long, that has been opened where it lies. */
async function madeStore(): Promise<string> {
  const path = await placed(copySmall);
  const store = openStore({ path, clock, lockWaitMs: 0 });
  await store.read(storeCounts);
  await store.close();
  return path;
}
/** A store whose last commits are only in the WAL, because its process was killed. */
function killedStore(): Promise<string> {
  return placed(copyKilled);
}

test('a fresh home: created, nothing moved; a sound one: opened', async () => {
  const path = join(await tempFolder(), 'home', 'memory.duckdb');
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
  ['all but the last block', async (path) => truncate(path, (await stat(path)).size - 262_144)],
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
  const path = join(await tempFolder(), 'memory.duckdb');
  await mkdir(path);
  await writeFile(join(path, 'keep.txt'), 'keep');
  const { report } = await boot(path);
  expect(report).toMatchObject({ action: 'quarantined', reason: 'not a regular file' });
  expect(await readFile(join(report.moved[0]?.to ?? '', 'keep.txt'), 'utf8')).toBe('keep');
});

test('a write-ahead log without its database is quarantined before DuckDB throws it away', async () => {
  const path = await killedStore();
  await rename(path, `${path}.gone`);
  const { report, entries } = await boot(path);
  expect(report).toMatchObject({
    action: 'quarantined',
    reason: expect.stringContaining('missing') as string,
  });
  expect(report.moved.map(({ from }) => from)).toEqual([`${path}.wal`]);
  expect(entries).toBe(0);
});

test('a flipped bit in the write-ahead log: only it is quarantined, entries and checkpoint fall back together', async () => {
  const path = await killedStore();
  const { size } = await stat(`${path}.wal`);
  expect(size).toBeGreaterThan(100);
  const byte = (await readFile(`${path}.wal`)).subarray(
    Math.floor(size / 2),
    Math.floor(size / 2) + 1,
  );
  await overwrite(`${path}.wal`, Math.floor(size / 2), Buffer.from([(byte[0] ?? 0) ^ 0x55]));
  const { store, report } = await bootStore({ path, clock, lockWaitMs: 0 });
  expect(report.action).toBe('wal-quarantined');
  expect(report.moved).toEqual([
    { from: `${path}.wal`, to: expect.stringMatching(DATED) as string },
  ]);
  const [row] = await store.read((db) =>
    db.all(
      'SELECT (SELECT count(*) FROM own.entries) AS entries, coalesce((SELECT max("offset") FROM own.sources), 0) AS "offset"',
    ),
  );
  expect(row?.entries).toBe(row?.offset);
  await store.close();
});

test('a write-ahead log cut anywhere, or removed: opens, entries and checkpoint agree', async () => {
  const path = await killedStore();
  const wal = await readFile(`${path}.wal`);
  const main = await readFile(path);
  const folder = await tempFolder();
  for (const [index, keep] of [wal.length - 1, Math.floor(wal.length / 2), 10, 0, -1].entries()) {
    const copy = join(folder, `${index}`, 'memory.duckdb');
    await mkdir(join(folder, `${index}`));
    await writeFile(copy, main);
    if (keep >= 0) await writeFile(`${copy}.wal`, wal.subarray(0, keep));
    const { store } = await bootStore({ path: copy, clock, lockWaitMs: 0 });
    const [row] = await store.read((db) =>
      db.all(
        'SELECT (SELECT count(*) FROM own.entries) AS entries, coalesce((SELECT max("offset") FROM own.sources), 0) AS "offset"',
      ),
    );
    expect(row?.entries, `WAL of ${keep} bytes`).toBe(row?.offset);
    await store.close();
  }
});

test('a damaged block that shows only while it is read: rescued, the rest of the process goes on', async () => {
  const path = await placed(copyLarge);
  const { size } = await stat(path);
  for (let at = 12_288 + 1000; at < size; at += 30_000)
    await overwrite(path, at, Buffer.from('damage'));
  const { store, report } = await bootStore({ path, clock, lockWaitMs: 0 });
  if (report.action === 'opened') {
    const error = await store
      .read((db) => db.all('SELECT sum(length(text)), max(hash) FROM entries'))
      .then(
        () => null,
        (reason: unknown) => reason,
      );
    expect(faultKind(error)).toBe('damaged');
    const rescued = await rescueStore(store, clock.now(), error);
    expect(rescued.moved[0]?.to).toMatch(DATED);
    await store.settle();
  }
  expect(await store.write((db) => commitBatch(db, batch([entry('e1', 'again')])))).toMatchObject({
    added: 1,
  });
  await store.close();
  expect((await readdir(join(path, '..'))).some((name) => DATED.test(name))).toBe(true);
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

test('six failed replays and recoveries in one process do no harm', async () => {
  const path = await killedStore();
  const main = await readFile(path);
  const wal = await readFile(`${path}.wal`);
  wal[Math.floor(wal.length / 2)] = (wal[Math.floor(wal.length / 2)] ?? 0) ^ 0xff;
  for (let round = 0; round < 6; round++) {
    await writeFile(path, main);
    await writeFile(`${path}.wal`, wal);
    expect((await boot(path)).report.action).toBe('wal-quarantined');
  }
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
