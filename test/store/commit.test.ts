import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  commitBatches,
  loadBadLines,
  loadCheckpoints,
  sessionEntries,
  sourceStats,
} from '../../src/store/index.js';
import { tempStore } from '../stage.js';
import { batch, checkpoint, commitBatch, doubledEntries, dump, entry, idOf } from './build.js';
import { runs } from '../runs.js';

describe('commitBatch', () => {
  test('stores entries, text, postings, session and checkpoint together', async () => {
    const { store } = await tempStore();
    const text = 'always use pnpm pnpm';
    const session = { session: 's1', title: 'shop', cwd: '/work/shop' };
    const sessions = [{ agent: 'claude-code', ...session }];
    const done = await store.write((db) =>
      commitBatch(db, batch([entry('a', text)], { sessions })),
    );
    expect(done).toEqual({ added: 1, revised: 0, known: 0 });
    const time = '2026-11-20T10:00:00.000Z';
    await store.read(async (db) => {
      expect(await db.all('SELECT id, text, time, files, exit FROM entries')).toEqual([
        { id: idOf('a'), text, time, files: [], exit: null },
      ]);
      expect(await db.all('SELECT list(count ORDER BY count) AS counts FROM own.postings')).toEqual(
        [{ counts: [1, 1, 2] }],
      );
      expect(await db.all('SELECT session, title, cwd, entries FROM sessions')).toEqual([
        { ...session, entries: 1 },
      ]);
      expect(await loadCheckpoints(db)).toEqual([{ ...checkpoint(), log: 1 }]);
      expect(await db.all(`SELECT value FROM meta WHERE key = 'commit_seq'`)).toEqual([
        { value: '1' },
      ]);
    });
  });

  test('checkpoints of some logs: those with the path or the file of one of them', async () => {
    const { store } = await tempStore();
    const logs = ['one', 'two', 'three'].map((name, at) => ({
      path: `/logs/${name}`,
      device: '1',
      inode: `${at + 10}`,
    }));
    await store.write(async (db) => {
      for (const log of logs)
        await commitBatch(db, { ...batch([]), checkpoint: { ...checkpoint(), ...log } });
    });
    const pathsOf = async (of: typeof logs): Promise<string[]> =>
      (await store.read((db) => loadCheckpoints(db, of))).map(({ path }) => path);
    expect(await pathsOf([{ path: '/logs/two', device: '1', inode: '99' }])).toEqual(['/logs/two']);
    expect(await pathsOf([{ path: '/logs/moved', device: '1', inode: '12' }])).toEqual([
      '/logs/three',
    ]);
    expect(await pathsOf([{ path: '/logs/new', device: '2', inode: '10' }])).toEqual([]);
    expect(await pathsOf([])).toEqual([]);
  });

  test('a throw in the same transaction takes everything back', async () => {
    const { store } = await tempStore();
    const failing = store.write(async (db) => {
      await commitBatch(db, batch([entry('a', 'one')]));
      throw new Error('power cut');
    });
    await expect(failing).rejects.toThrow('power cut');
    await store.read(async (db) => {
      expect(await db.all('SELECT id FROM own.entries')).toEqual([]);
      expect(await loadCheckpoints(db)).toEqual([]);
    });
    expect(await store.write((db) => commitBatch(db, batch([entry('a', 'one')])))).toMatchObject({
      added: 1,
    });
  });

  test('text with NUL, lone surrogates and emoji survives as far as UTF-8 can hold it', async () => {
    const { store } = await tempStore();
    await store.write((db) => commitBatch(db, batch([entry('a', 'nul \0 smile 🙂 lone \ud800!')])));
    expect(await store.read((db) => db.all('SELECT text FROM entries'))).toEqual([
      { text: 'nul \0 smile 🙂 lone \ufffd!' },
    ]);
  });

  test('bad lines are kept once, at most a hundred per log, with the present path', async () => {
    const { store } = await tempStore();
    const [path, moved] = ['/logs/a.jsonl', '/archive/a.jsonl'];
    const lines = Array.from({ length: 150 }, (_, i) => ({ line: i + 1, offset: i * 10 }));
    const bad = lines.map((line) => ({ path, ...line, reason: 'not JSON' }));
    const at = { bad_lines: 150, unknown_types: { odd: 2 } };
    for (const of of [{ bad, at }, { bad, at }, { at: { ...at, path: moved } }])
      await store.write((db) => commitBatch(db, batch([], of)));
    const stats = {
      agent: 'claude-code',
      files: 1,
      entries: 0,
      last_read: '2026-11-20T11:00:00.000Z',
    };
    await store.read(async (db) => {
      expect(await loadBadLines(db, 1000)).toHaveLength(100);
      expect(await loadBadLines(db, 1)).toEqual([{ ...bad[0], path: moved }]);
      expect(await sourceStats(db)).toEqual([{ ...stats, ...at }]);
    });
  });

  test('law: the same entries in any cut and order, any number of times, give the same rows', async () => {
    const made = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      text: fc.constantFrom('one fish', 'two fish', 'red fish'),
      session: fc.constantFrom('s1', 's2', 's3'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(made, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (lists, together) => {
          const { store } = await tempStore();
          const batches = lists.map((list, index) =>
            batch(
              list.map(({ id, text, session }) => entry(id, text, { session })),
              { at: { offset: index } },
            ),
          );
          if (together) await store.write((db) => commitBatches(db, batches));
          else for (const one of batches) await store.write((db) => commitBatch(db, one));
          const once = await store.read(dump);
          for (const one of [...batches].reverse())
            expect(await store.write((db) => commitBatch(db, one))).toMatchObject({
              added: 0,
              revised: 0,
            });
          expect(await store.read(dump)).toEqual(once);
          expect(await store.read(doubledEntries)).toBe(0);
          const ids = new Set(lists.flat().map(({ id }) => idOf(id)));
          const stored = await store.read((db) => db.all<{ id: string }>('SELECT id FROM entries'));
          expect(new Set(stored.map(({ id }) => id))).toEqual(ids);
          await store.close();
        },
      ),
      { numRuns: runs(3, 40) },
    );
  });
});

describe('sessions that share entries', () => {
  const parent = [
    entry('a', 'hello', { seq: 1, line: 1 }),
    entry('b', 'work', { seq: 2, line: 2 }),
  ];
  const other = { session: 's2', path: '/logs/b.jsonl' };
  const fork = [
    entry('a', 'hello', { ...other, seq: 1, time: '2026-11-21T10:00:00.000Z', copied: true }),
    entry('c', 'more', { ...other, seq: 2, time: '2026-11-21T10:01:00.000Z' }),
  ];
  const at = { path: '/logs/b.jsonl', inode: '11' };

  test('each session has all its entries with its own places and times, in whatever order the logs were read', async () => {
    const seen = [];
    const [first, second] = [batch(parent), batch(fork, { at })];
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const { store } = await tempStore();
      for (const one of order) await store.write((db) => commitBatch(db, one));
      const read = (session: string) =>
        store.read((db) => sessionEntries(db, 'claude-code', session));
      seen.push([await read('s1'), await read('s2')]);
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.[0]).toMatchObject([
      { text: 'hello', copied: false, time: '2026-11-20T10:00:00.000Z' },
      { text: 'work' },
    ]);
    expect(seen[0]?.[1]).toMatchObject([
      { text: 'hello', copied: true, path: '/logs/b.jsonl', time: '2026-11-21T10:00:00.000Z' },
      { text: 'more' },
    ]);
  });
});
