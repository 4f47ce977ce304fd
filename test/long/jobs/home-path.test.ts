/** Homes whose paths hold characters that mean something in a glob or in SQL. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setStage } from '../../stage.js';
import { says, shell } from '../../jobs/made-log.js';
import { testFolder } from '../../folder.js';

function stageIn(name: string) {
  const root = testFolder();
  const stage = setStage({ now: '2026-11-20T12:00:00Z', root: join(root, name) });
  const session = '11111111-1111-4111-8111-111111111111';
  stage.log({ session, cwd: join(stage.home, 'shop'), day: '2026-11-02' }, [
    says('Remember: Always use pnpm here.'),
    shell('pnpm test', 'copper spouts', 0),
  ]);
  return { stage, root };
}

test('what was archived is read back, and nothing of a home that the glob fits too', async () => {
  const { stage, root } = stageIn("x\\y [1]*{a,b}'s");
  const other = setStage({ now: '2026-11-20T12:00:00Z', root: join(root, "x-y [1]*{a,b}'s") });
  const session = '22222222-2222-4222-8222-222222222222';
  other.log({ session, cwd: join(other.home, 'shop'), day: '2026-11-02' }, [
    says('Remember: Never push to main here.'),
  ]);
  for (const each of [other, stage]) {
    expect(await each.type('run')).toMatchObject({ code: 0, err: '' });
    expect((await each.type('crystallize')).code).toBe(0);
  }
  expect((await stage.type('sql', 'SELECT count(*) AS n FROM archive_entries')).out).toContain(
    '"n":3',
  );
  expect((await stage.type('search', 'copper')).out).toContain('copper');
});

test('a home that is a file, or lies below one, is refused with what to do, by commands that read too', async () => {
  const { stage, root } = stageIn('home');
  writeFileSync(join(root, 'file'), '');
  for (const home of ['file', 'file/below', 'file/a/b'])
    for (const words of [
      ['run'],
      ['status'],
      ['context'],
      ['lessons', 'list'],
      ['config', 'list'],
      ['service', 'status'],
    ]) {
      const said = await stage.typeAs(words, { env: { DRIPSTONE_HOME: join(root, home) } });
      expect(said.code, `${words.join(' ')} in ${home}`).toBe(14);
      expect(said.err).toContain('set DRIPSTONE_HOME to a folder');
    }
});
