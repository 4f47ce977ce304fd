import { expect, test } from 'vitest';
import {
  countMissing,
  missingVectors,
  nearEntries,
  passagesOf,
  saveLessons,
  saveVectors,
  useModel,
} from '../../src/store/index.js';
import type { VectorRow } from '../../src/store/index.js';
import { tempStore } from '../stage.js';
import { batch, commitBatch, entry, idOf, lesson } from './build.js';
import { axis } from './world.js';

function row(
  owner: 'entry' | 'lesson',
  id: string,
  text: string,
  more: Partial<VectorRow> = {},
): VectorRow {
  return { owner, id, rev: 1, fingerprint: 'f1', part: 0, text, vector: axis(1), ...more };
}

test('what is missing: lessons, then the user, then the newest; a changed text or another model is missing again', async () => {
  const { store } = await tempStore();
  await store.write(async (db) => {
    await commitBatch(
      db,
      batch([
        entry('answer1', 'first answer', { role: 'assistant', origin: 'agent' }),
        entry('user', 'my wish'),
        entry('answer2', 'second answer', { role: 'assistant', origin: 'agent' }),
        entry('result', 'output', { role: 'tool_result', origin: 'tool' }),
        entry('injected', 'reminder', { origin: 'injected' }),
      ]),
    );
    await saveLessons(db, 'p1', [lesson('l1'), lesson('l2', { status: 'superseded' })]);
  });
  const missing = async (fingerprint = 'f1') =>
    (await store.read((db) => missingVectors(db, fingerprint, 10))).map(({ text }) => text);
  expect(await missing()).toEqual(['always l1', 'my wish', 'second answer', 'first answer']);
  await store.write((db) =>
    saveVectors(db, [
      row('lesson', 'l1', 'always l1'),
      row('entry', idOf('user'), 'my wish'),
      row('entry', idOf('answer2'), '', { vector: null }),
    ]),
  );
  expect(await missing()).toEqual(['first answer']);
  expect(await store.read((db) => countMissing(db, 'f1'))).toBe(1);
  expect(await missing('f2')).toHaveLength(4);
  await store.write(async (db) => {
    await saveLessons(db, 'p1', [lesson('l1', { text: 'never l1' })]);
    await commitBatch(db, batch([entry('user', 'my other wish')]));
  });
  expect(await missing()).toEqual(['never l1', 'my other wish', 'first answer']);
});

test('another model may make vectors of another length, also after it made none of a text', async () => {
  const { store } = await tempStore();
  await store.write((db) => saveVectors(db, [row('lesson', 'l1', 'a')]));
  await store.write((db) => useModel(db, 'f5'));
  const of = (id: string, vector: Float32Array | null) =>
    store.write((db) => saveVectors(db, [row('lesson', id, id, { fingerprint: 'f5', vector })]));
  await of('l2', null);
  await of('l3', new Float32Array(5).fill(1));
  expect(
    await store.read((db) =>
      db.all('SELECT id, vector::FLOAT[] AS vector FROM vectors ORDER BY id'),
    ),
  ).toEqual([
    { id: 'l2', vector: null },
    { id: 'l3', vector: [1, 1, 1, 1, 1] },
  ]);
  expect(await store.read((db) => db.all('DESCRIBE SELECT vector FROM vectors'))).toMatchObject([
    { column_type: 'FLOAT[5]' },
  ]);
});

test('the nearest entries come first, each once by its best part; replaced versions and other projects are left out', async () => {
  const { store } = await tempStore();
  const leaning = (place: number, more: number): Float32Array => {
    const vector = axis(place).map((x, i) => x + (i % 7 < more ? 0.01 : -0.01));
    const norm = Math.hypot(...vector);
    return vector.map((x) => x / norm);
  };
  await store.write(async (db) => {
    await commitBatch(
      db,
      batch([entry('near', 'a'), entry('far', 'b', { seq: 2 }), entry('old', 'c', { seq: 3 })]),
    );
    await saveVectors(db, [
      row('entry', idOf('near'), 'a', { vector: leaning(1, 1) }),
      row('entry', idOf('near'), 'a2', { vector: leaning(1, 3), part: 1 }),
      row('entry', idOf('far'), 'b', { vector: leaning(1, 6) }),
      row('entry', idOf('old'), 'c', { vector: leaning(1, 3) }),
    ]);
    await commitBatch(db, batch([entry('old', 'c, replaced', { seq: 3 })]));
  });
  const near = (filter: object) =>
    store.read((db) =>
      nearEntries(db, {
        vector: leaning(1, 3),
        fingerprint: 'f1',
        limit: 5,
        states: 'none',
        ...filter,
      }),
    );
  const { hits, windows } = await near({});
  expect(hits.map(({ id }) => id)).toEqual([idOf('near'), idOf('far')]);
  expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score);
  expect(windows).toHaveLength(3);
  expect((await store.read((db) => passagesOf(db, hits))).get(hits[0]!.n)).toBe('a2');
  expect((await near({ projects: ['other'] })).hits).toEqual([]);
});
