/** Tokens of answers: each once, whatever is told again, in any order and under any size. */
import { expect, test } from 'vitest';
import { removePurged, type Db } from '../../src/store/index.js';
import type { Usage } from '../../src/types.js';
import { tempStore } from '../stage.js';
import { batch, commitBatch, entry, idOf } from './build.js';

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
