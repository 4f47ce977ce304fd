import { expect, test } from 'vitest';
import {
  dropTexts,
  dueTiers,
  loadTiers,
  restoreEntries,
  saveTiers,
  saveVectors,
  searchWords,
  textIdsOfTiers,
  tierHeads,
} from '../../src/store/index.js';
import type { Tier } from '../../src/store/index.js';
import { batch, commitBatch, dump, entry, idOf, tempStore, term } from './build.js';
import { axis } from './world.js';

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
  await store.write((db) => commitBatch(db, batch([on('a', '2026-11-18'), on('b', '2026-11-19'), on('c', '2026-11-20')])));
  const due = async () =>
    (await store.read((db) => dueTiers(db, '2026-11-20'))).map(({ day, lastN, entries }) => [day, lastN, entries]);
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
  await store.write((db) => commitBatch(db, batch([on('a', '2026-11-18'), entry('b', 'when', { time: null, seq: 2 })])));
  expect((await store.read((db) => dueTiers(db, '2026-11-20'))).map(({ day, entries }) => [day, entries])).toEqual([
    ['2026-11-18', 2],
  ]);
  expect((await store.read((db) => tierHeads(db, [{ agent: 'claude-code', session: 's1', day: '2026-11-18' }])))[0]).toHaveLength(
    2,
  );
});

test('text, terms and vectors leave an archived entry, the rest stays, and a re-read adds nothing', async () => {
  const { store } = await tempStore();
  const old = on('old', '2026-05-01');
  await store.write(async (db) => {
    await commitBatch(
      db,
      batch([
        old,
        on('young', '2026-11-18'),
        entry('unarchived', 'word other', { session: 's2', time: '2026-05-01T00:00:00.000Z' }),
      ]),
    );
    await saveVectors(db, [
      { owner: 'entry', id: idOf('old'), rev: 1, fingerprint: 'f', part: 0, text: 'word old', vector: axis(1) },
    ]);
    await saveTiers(db, [tier({ day: '2026-05-01', state: 'archive', lastN: 1 })]);
    await saveTiers(db, [tier({ day: '2026-11-18', state: 'archive', lastN: 2 })]);
  });
  expect(await store.write((db) => dropTexts(db, '2026-06-01T00:00:00.000Z'))).toBe(1);
  expect(await store.read((db) => db.all('SELECT text, session FROM entries ORDER BY text NULLS FIRST'))).toEqual([
    { text: null, session: 's1' },
    { text: 'word other', session: 's2' },
    { text: 'word young', session: 's1' },
  ]);
  expect(await store.read((db) => db.all('SELECT id FROM vectors'))).toEqual([]);
  expect(await store.read((db) => searchWords(db, { terms: [term('old')], limit: 5 }))).toEqual([]);
  expect(await store.write((db) => commitBatch(db, batch([old])))).toEqual({ added: 0, revised: 0, known: 1 });
});

test('entries that come back from tiers are the same rows, before or after their log is read', async () => {
  const { store } = await tempStore();
  const entries = [on('a', '2026-11-18'), on('b', '2026-11-19')];
  await store.write((db) => restoreEntries(db, entries, '2026-11-20T12:00:00.000Z'));
  const restored = await store.read(dump);
  expect(await store.write((db) => commitBatch(db, batch(entries)))).toEqual({ added: 0, revised: 0, known: 2 });
  expect(await store.read(dump)).toEqual(restored);
});

test('a line that came after its tier was written is not asked of the tier: a whole tier is not told as damaged', async () => {
  const { store } = await tempStore();
  const written = tier({ day: '2026-05-01', state: 'archive', lastN: 1 });
  await store.write(async (db) => {
    await commitBatch(db, batch([on('old', '2026-05-01')]));
    await saveTiers(db, [written]);
    await commitBatch(db, batch([on('late', '2026-05-01')]));
  });
  expect(await store.read((db) => textIdsOfTiers(db, [written]))).toEqual([{ place: 0, id: idOf('old') }]);
  expect(await store.read((db) => textIdsOfTiers(db, [{ ...written, lastN: 2 }]))).toHaveLength(2);
});
