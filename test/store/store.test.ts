import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AppError, EXIT } from '../../src/errors.js';
import { openStore, storeCounts, type Db } from '../../src/store/index.js';
import { systemClock } from '../../src/clock.js';
import { tempStore, testClock } from '../stage.js';
import { batch, commitBatch, entry } from './build.js';
import { startChild } from './children.js';

async function failure(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

async function tryOpen(path: string, mode: string): Promise<string> {
  const child = startChild('try-open', [path, mode]);
  await child.ended;
  return child.lines[0] ?? '';
}

test('a reader sees what was committed and nothing of a write under way', async () => {
  const { store } = await tempStore();
  await store.write((db) => commitBatch(db, batch([entry('a', 'one')])));
  await store.write(async (db) => {
    await commitBatch(db, batch([entry('b', 'two')]));
    expect(await db.all('SELECT count(*) AS count FROM entries')).toEqual([{ count: 2 }]);
  });
  let release = (): void => undefined;
  const halted = new Promise<void>((resolve) => (release = resolve));
  const reading = store.read(async (db) => {
    const before = await db.all('SELECT count(*) AS count FROM entries');
    await halted;
    return [before, await db.all('SELECT count(*) AS count FROM entries')];
  });
  await store.write((db) => commitBatch(db, batch([entry('c', 'three')])));
  release();
  const [before, after] = await reading;
  expect(before).toEqual(after);
});

test('read-only: no store is exit 10, writing is refused, an existing one is read without being changed', async () => {
  const { store, path, home } = await tempStore();
  const missing = openStore({
    path: join(home, 'none.duckdb'),
    clock: testClock(),
    lockWaitMs: 0,
    readOnly: true,
  });
  expect(await failure(missing.read((db) => db.all('SELECT 1')))).toMatchObject({
    code: 'NO_STORE',
    exitCode: EXIT.noStore,
  });
  await store.write((db) => commitBatch(db, batch([entry('a', 'one')])));
  await store.release();
  const before = await stat(path);
  const reader = openStore({ path, clock: testClock(), lockWaitMs: 0, readOnly: true });
  expect(await reader.read((db) => db.all('SELECT text FROM entries'))).toEqual([{ text: 'one' }]);
  await expect(reader.write(async () => 1)).rejects.toThrow('read-only');
  await reader.close();
  expect((await stat(path)).mtimeMs).toBe(before.mtimeMs);
});

test('a store of a newer program is refused with exit 13 and left alone', async () => {
  const { store, path } = await tempStore();
  await store.write((db) =>
    db.run(`UPDATE main.meta SET value = '99' WHERE key = 'store_version'`),
  );
  await store.close();
  const bytes = await readFile(path);
  for (const readOnly of [true, false]) {
    const next = openStore({ path, clock: testClock(), lockWaitMs: 0, readOnly });
    expect(await failure(next.read((db) => db.all('SELECT 1')))).toMatchObject({
      code: 'STORE_NEWER',
      exitCode: EXIT.config,
    });
    await next.close();
  }
  expect(bytes.equals(await readFile(path))).toBe(true);
});

test('another process that holds the file: STORE_BUSY, exit 11, names its pid and program; read-only holders too', async () => {
  const { store, path, clock } = await tempStore({ lockWaitMs: 700 });
  await store.write((db) => commitBatch(db, batch([entry('a', 'one')])));
  for (const mode of ['READ_WRITE', 'READ_ONLY']) {
    await store.release();
    const child = startChild('hold', [path, mode]);
    await child.line((line) => line === 'held');
    const started = clock.mono();
    const error = await failure(store.write((db) => db.all('SELECT 1')));
    expect(error).toMatchObject({ code: 'STORE_BUSY', exitCode: EXIT.busy });
    expect(error.message).toContain(String(child.pid));
    expect(error.message).toContain('node');
    expect(clock.mono() - started).toBeGreaterThanOrEqual(700);
    child.send('go');
    await child.ended;
    expect((await store.read(storeCounts)).entries).toBe(1);
  }
});

test('the file is locked while it is used, and closed a moment after the last use', async () => {
  const { store, path } = await tempStore({ clock: systemClock });
  await store.read(async () => expect(await tryOpen(path, 'READ_ONLY')).toContain('refused'));
  await expect.poll(() => store.isOpen()).toBe(false);
  expect(await tryOpen(path, 'READ_WRITE')).toContain('open');
});

function gate() {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}

test('a read that takes long lets the others answer', async () => {
  const { store } = await tempStore();
  const [begun, ended] = [gate(), gate()];
  const long = store.read(() => (begun.open(), ended.passed), { isLong: true });
  await begun.passed;
  expect(await store.read((db) => db.all('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  ended.open();
  await long;
});

test('a process that wants the file waits for a long read; short work goes on meanwhile', async () => {
  const { store, path } = await tempStore();
  const [begun, ended] = [gate(), gate()];
  const order: string[] = [];
  const note = (event: string) => () => void order.push(event);
  const one = (db: Db) => db.all('SELECT 1 AS one');
  const long = store
    .read(() => (begun.open(), ended.passed), { isLong: true })
    .then(note('long read'));
  await begun.passed;
  const free = store
    .withClosed(async () => expect(await tryOpen(path, 'READ_WRITE')).toContain('open'))
    .then(note('the other process'));
  await store.write(one).then(note('write'));
  await store.read(one).then(note('read'));
  const next = store.read(one, { isLong: true }).then(note('next long read'));
  ended.open();
  await Promise.all([long, free, next]);
  expect(order).toEqual(['write', 'read', 'long read', 'the other process', 'next long read']);
});

test('a second store on the same path in one process is refused: two would overwrite each other', async () => {
  const { store, path } = await tempStore();
  await store.write((db) => db.all('SELECT 1'));
  const second = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  await expect(second.read((db) => db.all('SELECT 1'))).rejects.toThrow(
    'open in this process already',
  );
});

test('stops before the disk is full and goes on when there is room again', async () => {
  let free = 10 * 2 ** 20;
  const { store } = await tempStore({ freeBytes: async () => free });
  const full = () => store.write((db) => commitBatch(db, batch([entry('a', 'one')])));
  expect(await failure(full())).toMatchObject({ code: 'DISK_FULL', exitCode: EXIT.error });
  free = 200 * 2 ** 20;
  expect(await full()).toMatchObject({ added: 1 });
});
