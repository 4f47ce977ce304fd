/** Sessions that were started in the home belong to the project whose files they touched. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JobContext } from '../../src/jobs/job.js';
import { settleProjects } from '../../src/jobs/learning/settle-projects.js';
import { pendingSessions } from '../../src/store/index.js';
import { sessionKey } from '../../src/types.js';
import { prompt, testHome } from './ingest-home.js';

let calls = 0;
function edit(sessionId: string, cwd: string, path: string): string {
  return prompt('x', {
    sessionId,
    cwd,
    type: 'assistant',
    message: {
      role: 'assistant',
      content: [
        {
          type: 'tool_use',
          id: `toolu_${++calls}`,
          name: 'Edit',
          input: { file_path: path, old_string: 'a', new_string: 'b' },
        },
      ],
    },
  });
}

function idOf(digit: number): string {
  return `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
}

test('the repository that was edited most, else the folder that others worked in, else the home', async () => {
  const { home, log, run, store, config } = await testHome();
  const repository = join(home, 'work/shop');
  mkdirSync(join(repository, '.git/refs'), { recursive: true });
  writeFileSync(join(repository, '.git/HEAD'), 'ref: refs/heads/main\n');
  const notes = join(home, 'notes');
  log(
    'a.jsonl',
    [
      edit(idOf(1), home, `${repository}/src/a.ts`),
      edit(idOf(1), home, 'work/shop/gone/b.ts'),
      edit(idOf(1), home, `${home}/.bashrc`),
    ].join(''),
  );
  log('b.jsonl', edit(idOf(2), home, `${notes}/today/x.md`));
  log('c.jsonl', edit(idOf(3), notes, 'today/x.md'));
  log(
    'd.jsonl',
    [
      prompt('what time is it', { sessionId: idOf(4), cwd: home }),
      edit(idOf(4), home, '/etc/hosts'),
    ].join(''),
  );
  await run();
  const pending = await store.read((db) => pendingSessions(db, { idleBefore: null, extractor: 1 }));
  const settled = await settleProjects(
    { store, config, userHome: home } as unknown as JobContext,
    pending,
  );
  const names = [1, 2, 3, 4].map(
    (digit) => settled.get(sessionKey('claude-code', idOf(digit)))?.name,
  );
  expect(names.slice(0, 3)).toEqual(['shop', 'notes', 'notes']);
  expect(settled.get(sessionKey('claude-code', idOf(4)))?.folders).toEqual([home]);
});
