import { expect, test } from 'vitest';
import { passagesLeft, columnsWith } from '../../src/store/index.js';
import { tempStore } from '../stage.js';
import { batch, commitBatch, entry } from './build.js';

/** As many spellings as what a session said has. */
const NEEDLES = [
  ...Array.from({ length: 320 }, (_, i) => `a passage ${i} that is nowhere`),
  '40% of "plover"',
];

test('where a text still stands: each column of each table, a person own ones included, whatever they are called', async () => {
  const { store } = await tempStore();
  await store.write(async (db) => {
    await commitBatch(
      db,
      batch([entry('one', 'say 40% of "plover" twice'), entry('two', 'say nothing')]),
    );
    await db.run(
      'CREATE TABLE main."my notes" (n VARCHAR, purged_needle VARCHAR, tags VARCHAR[], pair STRUCT(a VARCHAR))',
    );
    await db.run(
      `INSERT INTO main."my notes" VALUES (NULL, 'nothing', ['x', '40% of "plover"'], {a: NULL}), ('n', NULL, NULL, NULL)`,
    );
  });
  const held = await store.read((db) => columnsWith(db, NEEDLES));
  expect(held).toEqual([
    { table: '"main"."my notes"', column: 'tags', rows: 1 },
    { table: '"own"."texts"', column: 'text', rows: 1 },
  ]);
  expect(await store.read((db) => columnsWith(db, []))).toEqual([]);
});

test('passages that remaining entries hold too', async () => {
  const { store } = await tempStore();
  await store.write((db) =>
    commitBatch(
      db,
      batch([entry('one', 'say 40% of "plover" twice'), entry('two', 'say nothing')]),
    ),
  );
  expect(await store.read((db) => passagesLeft(db, NEEDLES))).toEqual(new Set(['40% of "plover"']));
  expect(await store.read((db) => passagesLeft(db, []))).toEqual(new Set());
});
