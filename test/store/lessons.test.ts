import { expect, test } from 'vitest';
import {
  addEdit,
  addNewEdits,
  addUses,
  lessonByPrefix,
  loadEdits,
  loadLessons,
  moveEdits,
  openFileEdits,
  saveLessons,
  setEditAuthors,
} from '../../src/store/index.js';
import { lesson, tempStore } from './build.js';

function edit(action: 'pin' | 'forget', id: string, time: string) {
  return { lesson: id, action, text: null, kind: null, scope: null, time };
}

test('lessons come back as they were saved, with their evidence in order', async () => {
  const { store } = await tempStore();
  const full = lesson('abc1', {
    supersedes: ['x'],
    supersededBy: 'y',
    conflictsWith: ['z'],
    pinned: true,
    status: 'conflict',
    evidence: [
      {
        agent: 'codex',
        session: 's2',
        entry: null,
        day: '2026-11-02',
        trust: 1,
        supports: true,
        quote: 'ünïcode "quote"',
      },
      {
        agent: 'claude-code',
        session: 's1',
        entry: 'e1',
        day: '2026-11-01',
        trust: 0.4,
        supports: false,
        quote: '',
      },
    ],
  });
  expect(await store.write((db) => saveLessons(db, 'p1', [lesson('abd2'), full]))).toBe(true);
  expect(await store.read((db) => loadLessons(db))).toEqual([full, lesson('abd2')]);
});

test('saving the same again writes nothing; another project stays as it is', async () => {
  const { store } = await tempStore();
  await store.write((db) => saveLessons(db, 'p1', [lesson('a'), lesson('b')]));
  await store.write((db) =>
    saveLessons(db, null, [lesson('g', { project: null, scope: 'global' })]),
  );
  await store.write((db) =>
    addUses(db, [
      {
        time: '2026-11-20T12:00:00.000Z',
        type: 'lesson',
        id: 'a',
        door: 'show',
        agent: null,
        session: null,
        project: null,
      },
    ]),
  );
  expect(await store.write((db) => saveLessons(db, 'p1', [lesson('b'), lesson('a')]))).toBe(false);
  expect(await store.write((db) => saveLessons(db, 'p1', [lesson('b')]))).toBe(true);
  expect(
    (await store.read((db) => loadLessons(db))).map(({ id, project }) => [id, project]),
  ).toEqual([
    ['b', 'p1'],
    ['g', null],
  ]);
  expect(await store.write((db) => saveLessons(db, 'p1', []))).toBe(true);
  expect((await store.read((db) => db.all('SELECT lesson FROM evidence'))).length).toBe(1);
});

test('filters and prefixes', async () => {
  const { store } = await tempStore();
  await store.write(async (db) => {
    await saveLessons(db, 'p1', [
      lesson('k3f0'),
      lesson('k3g0', { status: 'faded' }),
      lesson('m000', { kind: 'gotcha' }),
    ]);
    await saveLessons(db, null, [lesson('k3f9', { project: null, scope: 'global' })]);
    await addUses(
      db,
      ['k3f0', 'k3f0'].map((id) => ({
        time: '2026-11-20T12:00:00.000Z',
        type: 'lesson' as const,
        id,
        door: 'search',
        agent: null,
        session: null,
        project: null,
      })),
    );
  });
  const found = async (filter: object) =>
    (await store.read((db) => loadLessons(db, filter))).map(({ id }) => id);
  expect(await found({ owner: 'p1' })).toEqual(['k3f0', 'k3g0', 'm000']);
  expect(await found({ owner: null })).toEqual(['k3f9']);
  expect(await found({ statuses: ['live'] })).toEqual(['k3f0', 'k3f9', 'm000']);
  expect(await found({ kinds: ['gotcha'] })).toEqual(['m000']);
  expect(
    (await store.read((db) => lessonByPrefix(db, 'k3f'))).map(({ id, uses }) => [id, uses]),
  ).toEqual([
    ['k3f0', 2],
    ['k3f9', 0],
  ]);
  expect(await store.read((db) => lessonByPrefix(db, 'zzz'))).toEqual([]);
});

test('edits belong to a project or the person', async () => {
  const { store } = await tempStore();
  expect(await store.read((db) => loadEdits(db, 'p1'))).toEqual([]);
  await store.write((db) => addEdit(db, 'p1', edit('pin', 'a', '2026-11-20T10:00:00.000Z')));
  await store.write((db) => addEdit(db, null, edit('forget', 'g', '2026-11-19T10:00:00.000Z')));
  expect(await store.read((db) => loadEdits(db, 'p1'))).toEqual([
    edit('pin', 'a', '2026-11-20T10:00:00.000Z'),
  ]);
  expect(await store.read((db) => loadEdits(db, null))).toEqual([
    edit('forget', 'g', '2026-11-19T10:00:00.000Z'),
  ]);
});

test('an edit that a file brings again is stored once, however its time is written', async () => {
  const { store } = await tempStore();
  const pinned = edit('pin', 'a', '2026-11-20T10:00:00.000Z');
  expect(await store.write((db) => addNewEdits(db, 'p1', [pinned]))).toEqual([pinned]);
  expect(
    await store.write((db) =>
      addNewEdits(db, 'p1', [
        { ...pinned, time: '2026-11-20T10:00:00Z' },
        { ...pinned, lesson: 'b' },
      ]),
    ),
  ).toEqual([{ ...pinned, lesson: 'b' }]);
  expect(await store.write((db) => addNewEdits(db, null, [pinned]))).toHaveLength(1);
});

test('edits of a project that became part of another keep their author and the file they were found in', async () => {
  const { store } = await tempStore();
  const place = 'projects/till-0001/crystal.json';
  const [found, told] = [
    { ...edit('forget', 'a', '2026-11-20T10:00:00.000Z'), place },
    { ...edit('pin', 'b', '2026-11-20T11:00:00.000Z'), author: 'codex', place },
  ];
  const twice = edit('pin', 'c', '2026-11-20T12:00:00.000Z');
  await store.write(async (db) => {
    await saveLessons(db, 'p1', [lesson('a', { key: 'one' })]);
    await addEdit(db, 'p2', { ...twice, author: 'codex' });
    for (const each of [found, told, twice]) await addEdit(db, 'p1', each);
    await moveEdits(db, 'p1', 'p2', ({ key }) => `in p2: ${key}`);
  });
  expect(await store.read((db) => loadEdits(db, 'p1'))).toEqual([]);
  const { place: _, ...shown } = told;
  expect(await store.read((db) => loadEdits(db, 'p2'))).toEqual([
    { ...twice, author: 'codex' },
    { ...edit('forget', 'in p2: one', found.time) },
    shown,
  ]);
  const open = await store.read((db) => openFileEdits(db));
  expect(open).toMatchObject([{ owner: 'p2', lesson: 'in p2: one', place }]);
  await store.write((db) =>
    setEditAuthors(
      db,
      open.map(({ n }) => ({ n, author: 'codex' })),
    ),
  );
  expect((await store.read((db) => loadEdits(db, 'p2'))).map(({ author }) => author)).toEqual([
    'codex',
    'codex',
    'codex',
  ]);
});
