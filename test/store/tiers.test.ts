import { expect, test } from 'vitest';
import {
  dueTiers,
  loadTiers,
  restoreEntries,
  saveTiers,
  tierHeads,
} from '../../src/store/index.js';
import type { Tier } from '../../src/store/index.js';
import { batch, commitBatch, dump, entry, tempStore } from './build.js';

function tier(more: Partial<Tier> = {}): Tier {
  return {
    project: 'p1',
    agent: 'claude-code',
    session: 's1',
    day: '2026-11-18',
    path: '/h/projects/shop/recent/x.jsonl.gz',
    state: 'recent',
    entries: 1,
    lastN: 1,
    sha256: 'f',
    written: '2026-11-19T04:17:00.000Z',
    ...more,
  };
}
function on(id: string, day: string) {
  return entry(id, `word ${id}`, { time: `${day}T23:59:59.999Z` });
}

test('closed UTC days are due until they are recorded, and again after a late line', async () => {
  const { store } = await tempStore();
  await store.write((db) =>
    commitBatch(db, batch([on('a', '2026-11-18'), on('b', '2026-11-19'), on('c', '2026-11-20')])),
  );
  const due = async () =>
    (await store.read((db) => dueTiers(db, '2026-11-20'))).map(({ day, lastN, entries }) => [
      day,
      lastN,
      entries,
    ]);
  expect(await due()).toEqual([
    ['2026-11-18', 1, 1],
    ['2026-11-19', 2, 1],
  ]);
  await store.write((db) => saveTiers(db, [tier()]));
  expect(await due()).toEqual([['2026-11-19', 2, 1]]);
  await store.write((db) => commitBatch(db, batch([on('late', '2026-11-18')])));
  expect(await due()).toEqual([
    ['2026-11-18', 4, 2],
    ['2026-11-19', 2, 1],
  ]);
  await store.write((db) => saveTiers(db, [tier({ lastN: 4, entries: 2, state: 'archive' })]));
  expect(await store.read(loadTiers)).toEqual([tier({ lastN: 4, entries: 2, state: 'archive' })]);
});

test('an entry without a time belongs to the newest day of its session', async () => {
  const { store } = await tempStore();
  await store.write((db) =>
    commitBatch(db, batch([on('a', '2026-11-18'), entry('b', 'when', { time: null, seq: 2 })])),
  );
  const due = await store.read((db) => dueTiers(db, '2026-11-20'));
  expect(due.map(({ day, entries }) => [day, entries])).toEqual([['2026-11-18', 2]]);
  expect((await store.read((db) => tierHeads(db, due)))[0]).toHaveLength(2);
});

test('entries that come back from tiers are the same rows, before or after their log is read', async () => {
  const { store } = await tempStore();
  const entries = [on('a', '2026-11-18'), on('b', '2026-11-19')];
  await store.write((db) => restoreEntries(db, entries, '2026-11-20T12:00:00.000Z'));
  const restored = await store.read(dump);
  expect(await store.write((db) => commitBatch(db, batch(entries)))).toEqual({
    added: 0,
    revised: 0,
    known: 2,
  });
  expect(await store.read(dump)).toEqual(restored);
});
