import { expect, test } from 'vitest';
import { extractSession } from '../../src/parse/index.js';
import { saveProjects } from '../../src/store/index.js';
import { MadeSession } from '../parse/made-session.js';
import { tempStore } from '../stage.js';
import { batch, commitBatch, entry } from './build.js';
import { replaceOne } from './world.js';

/** The view `relations` after these sessions, as `source rel target (sessions)`. */
async function relations(...sessions: MadeSession[]): Promise<string[]> {
  const { store } = await tempStore();
  await store.write(async (db) => {
    await saveProjects(db, [
      { id: 'p1', slug: 'shop-1', name: 'shop', remote: null, folders: [], aliases: [] },
    ]);
    for (const made of sessions) {
      const { id: session } = made;
      const at = { path: `/logs/${session}.jsonl`, inode: session, session };
      const sessions = [{ agent: 'made', session, machine: session === 'automated' }];
      await commitBatch(
        db,
        batch([entry(session, 'go', { session, agent: 'made' })], { at, sessions }),
      );
      const mark = { upTo: 100, extractor: 1, now: '2026-11-20T12:00:00.000Z' };
      await replaceOne(db, 'made', session, 'p1', extractSession(made.input()), mark);
    }
  });
  const rows = await store.read((db) =>
    db.all<{ told: string }>(
      "SELECT source || ' ' || rel || ' ' || target || ' (' || sessions || ')' AS told FROM relations WHERE project = 'shop-1' ORDER BY 1",
    ),
  );
  return rows.map(({ told }) => told);
}

test('files lead to the checks that ran next and to files of the same turn, each session once', async () => {
  const work = (id: string) =>
    new MadeSession(id)
      .user('go')
      .edit('src/cart.ts')
      .edit('test/cart.test.ts')
      .shell('npx vitest run test/cart.test.ts', '3 passed')
      .shell('npm run build', 'ok')
      .user('more')
      .edit('src/tax.ts')
      .shell('npx vitest run test/cart.test.ts', '3 passed')
      .shell('npm test', 'ok 3 passed');
  expect(await relations(work('s1'), work('s2'))).toEqual([
    'src/cart.ts built_by npm run build (2)',
    'src/cart.ts edited_with test/cart.test.ts (2)',
    'src/cart.ts tested_by npx vitest run FILE (2)',
    'test/cart.test.ts built_by npm run build (2)',
    'test/cart.test.ts tested_by npx vitest run FILE (2)',
  ]);
});

test('an error leads to what ran last before the same command worked; a project to its packages and releases', async () => {
  const made = new MadeSession()
    .user('go')
    .shell('npm test', 'Error: cannot find module left-pad', { outcome: 'failed', exit: 1 })
    .shell('npm install left-pad@1.3.0 --save', 'added 1 package')
    .shell('make generate')
    .shell('npm test', '3 passed')
    .shell('npm publish', '+ shop@1.0.0');
  expect(await relations(made)).toEqual([
    'Error: cannot find module left-pad cured_by make generate (1)',
    'shop depends_on left-pad (1)',
    'shop deployed_via npm publish (1)',
  ]);
});

test('an edit in between cured it, and an automated session shows nothing', async () => {
  const failing = (id: string) =>
    new MadeSession(id)
      .user('go')
      .shell('npm test', 'Error: cannot find module left-pad', { outcome: 'failed', exit: 1 });
  const edited = failing('s1').edit('src/cart.ts').shell('make generate', 'ok');
  const automated = failing('automated').shell('make generate', 'ok').shell('npm test', 'passed');
  expect(await relations(edited.shell('npm test', '3 passed'), automated)).toEqual([
    'src/cart.ts tested_by npm test (1)',
  ]);
});
