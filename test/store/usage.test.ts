/** Tokens of answers: each once, whatever is told again, in any order and under any size. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commitBatches, removePurged, replaceExtractions, type Db } from '../../src/store/index.js';
import type { Usage } from '../../src/types.js';
import { runs } from '../runs.js';
import { batch, commitBatch, entry, idOf, tempStore } from './build.js';
import { extraction } from './world.js';

function told(
  native: string,
  more: Partial<Usage & { session: string }> = {},
): Usage & { session: string } {
  return {
    native,
    session: 's1',
    time: '2026-11-20T10:00:00.000Z',
    model: 'claude-opus-5',
    ...{ input: 3, cacheRead: 20, cacheWrite: 10, output: 5, reasoning: 0, cost: null },
    ...more,
  };
}

function shown(db: Db): Promise<Record<string, unknown>[]> {
  return db.all(
    'SELECT session, time, model, input, cache_read, cache_write, output, logged_cost FROM usage ORDER BY ALL',
  );
}

test('an answer that is told again is one row with its largest counts', async () => {
  const { store } = await tempStore();
  const add = (...usage: (Usage & { session: string })[]) =>
    store.write((db) => commitBatch(db, batch([], { usage })));
  await add(told('a'), told('a', { output: 40 }), told('b', { model: null, cost: 0.25 }));
  await add(told('a', { output: 120, time: '2026-11-20T10:00:04.000Z' }));
  await add(told('a', { output: 60 }), told('b', { model: 'gpt-5.6-sol' }));
  expect(await store.read(shown)).toEqual([
    {
      ...{
        session: 's1',
        time: '2026-11-20T10:00:00.000Z',
        model: 'claude-opus-5',
        input: 3,
        cache_read: 20,
        cache_write: 10,
      },
      ...{ output: 120, logged_cost: null },
    },
    {
      ...{
        session: 's1',
        time: '2026-11-20T10:00:00.000Z',
        model: 'gpt-5.6-sol',
        input: 3,
        cache_read: 20,
        cache_write: 10,
      },
      ...{ output: 5, logged_cost: 0.25 },
    },
  ]);
});

test('the same native id of two agents is two answers', async () => {
  const { store } = await tempStore();
  await store.write((db) =>
    commitBatches(db, [
      batch([], { usage: [told('1')] }),
      batch([], { usage: [told('1')], at: { agent: 'codex', path: '/b' } }),
    ]),
  );
  expect(await store.read((db) => db.all('SELECT agent FROM usage ORDER BY agent'))).toEqual([
    { agent: 'claude-code' },
    { agent: 'codex' },
  ]);
});

test('the order of reading makes no difference: a fork is told as its original', async () => {
  const count = fc.nat(50);
  const telling = fc.record({
    native: fc.constantFrom('a', 'b'),
    session: fc.constantFrom('s1', 's2'),
    time: fc.constantFrom('2026-11-20T10:00:00.000Z', '2026-11-21T10:00:00.000Z', null),
    model: fc.constantFrom('claude-opus-5', null),
    ...{ input: count, cacheRead: count, cacheWrite: count, output: count, reasoning: count },
    cost: fc.constantFrom(null, 0.5, 1),
  });
  const { store } = await tempStore();
  const after = (list: (Usage & { session: string })[], cut: number): Promise<unknown> =>
    store.write(async (db) => {
      await db.run('DELETE FROM own.usage');
      await commitBatch(db, batch([], { usage: list.slice(0, cut) }));
      await commitBatch(db, batch([], { usage: list.slice(cut) }));
      return db.all('SELECT * FROM usage ORDER BY ALL');
    });
  await fc.assert(
    fc.asyncProperty(fc.array(telling, { maxLength: 6 }), fc.nat(6), async (list, cut) => {
      expect(await after([...list].reverse(), cut)).toEqual(await after(list, 0));
    }),
    { numRuns: runs(5, 400) },
  );
});

test('a document that is written again adds no row', async () => {
  const { store } = await tempStore();
  const usage = Array.from({ length: 100 }, () =>
    ['a', 'b', 'c'].map((native) => told(native)),
  ).flat();
  await store.write(async (db) => {
    for (let n = 0; n < 10; n++) await commitBatch(db, batch([], { usage }));
  });
  expect(await store.read((db) => db.all('SELECT count(*) AS rows FROM own.usage'))).toEqual([
    { rows: 3 },
  ]);
});

test('counts that are none do not stop a commit', async () => {
  const { store } = await tempStore();
  await store.write((db) =>
    commitBatch(
      db,
      batch([], {
        usage: [told('a', { input: 1.5, output: Number.NaN, cacheRead: -3, cost: Number.NaN })],
      }),
    ),
  );
  expect(await store.read(shown)).toMatchObject([
    { input: 0, output: 0, cache_read: 0, logged_cost: null },
  ]);
});

test('what is purged goes with its tokens and does not come back; the rest stays', async () => {
  const { store } = await tempStore();
  const at = (minute: number): string => `2026-11-20T10:0${minute}:00.000Z`;
  const entries = [
    entry('a', 'one', { time: at(0), seq: 1000 }),
    entry('b', 'two', { time: at(2), seq: 2000 }),
    entry('c', 'other', { session: 's2', time: at(0) }),
  ];
  const usage = [
    told('a', { time: at(1) }),
    told('b', { time: at(2) }),
    told('late', { time: at(3) }),
    told('c', { session: 's2', time: at(1) }),
  ];
  await store.write((db) => commitBatch(db, batch(entries, { usage })));
  const purge = (id: string, session: string): Promise<unknown> =>
    store.write((db) =>
      removePurged(
        db,
        { ids: [idOf(id)], sessions: [{ agent: 'claude-code', session }], projects: [] },
        [],
      ),
    );
  const left = (): Promise<unknown> =>
    store.read((db) => db.all('SELECT session, time FROM usage ORDER BY ALL'));
  await purge('b', 's1');
  const kept = [
    { session: 's1', time: at(1) },
    { session: 's2', time: at(1) },
  ];
  expect(await left()).toEqual(kept);
  await store.write((db) => commitBatch(db, batch(entries, { usage })));
  expect(await left()).toEqual(kept);
  await purge('c', 's2');
  await store.write((db) => commitBatch(db, batch(entries, { usage })));
  expect(await left()).toEqual(kept.slice(0, 1));
});

test('a session tells its active time once it was learnt from', async () => {
  const { store } = await tempStore();
  await store.write((db) =>
    commitBatch(
      db,
      batch([entry('a', 'one')], {
        sessions: [{ agent: 'claude-code', session: 's1', cwd: '/work/shop' }],
      }),
    ),
  );
  const active = (): Promise<unknown> =>
    store.read((db) => db.all('SELECT active_seconds FROM sessions'));
  expect(await active()).toEqual([{ active_seconds: null }]);
  await store.write((db) =>
    replaceExtractions(
      db,
      [
        {
          agent: 'claude-code',
          session: 's1',
          project: 'p1',
          extraction: extraction(),
          upTo: 1,
          active: 312,
        },
      ],
      { extractor: 1, now: '2026-11-20T12:00:00.000Z' },
    ),
  );
  expect(await active()).toEqual([{ active_seconds: 312 }]);
});
