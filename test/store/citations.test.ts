import { expect, test } from 'vitest';
import { addUses, findCitations, saveLessons } from '../../src/store/index.js';
import { batch, commitBatch, entry, lesson, tempStore } from './build.js';

test('a short id in an answer is a use of its lesson, once a session, and only when it is one lesson', async () => {
  const { store } = await tempStore();
  await store.write(async (db) => {
    await saveLessons(db, null, [lesson('k3faaaaaaaaaaaaa'), lesson('k3fbbbbbbbbbbbbb'), lesson('z9qcccccccccccccc')]);
    await commitBatch(
      db,
      batch([
        entry('a1', 'As noted in ^z9q the port is fixed; see also (^z9q).', {
          role: 'assistant',
          origin: 'agent',
          session: 's1',
        }),
        entry('a2', 'Both ^k3f are meant', { role: 'assistant', origin: 'agent', session: 's1' }),
        entry('a3', 'x^z9q is no citation', { role: 'assistant', origin: 'agent', session: 's2' }),
        entry('a4', '- Use pnpm ^z9q', { role: 'tool_result', origin: 'tool', session: 's3' }),
        entry('a5', 'per ^k3fa', { role: 'assistant', origin: 'agent', session: 's4' }),
      ]),
    );
  });
  const uses = await store.read((db) => findCitations(db, 0, 1000));
  expect(uses.map(({ id, session, door }) => ({ id, session, door }))).toEqual([
    { id: 'k3faaaaaaaaaaaaa', session: 's4', door: 'cited' },
    { id: 'z9qcccccccccccccc', session: 's1', door: 'cited' },
  ]);
  await store.write((db) => addUses(db, uses));
  expect(await store.read((db) => findCitations(db, 0, 1000))).toEqual([]);
});
