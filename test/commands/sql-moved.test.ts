/**
 * SQL is often the first thing that is typed after an update or in a home that was moved: nothing
 * has opened the store before.
 */
import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { says } from '../jobs/made-log.js';
import { setStage } from '../stage.js';

test('the archive is asked where it lies now, before any other command', async () => {
  const old = setStage({ now: '2026-11-20T12:00:00Z' });
  const session = '11111111-1111-4111-8111-111111111111';
  old.log({ session, cwd: '/home/ann/kettle', day: '2026-11-02' }, [says('Good morning.')]);
  expect((await old.type('run')).err).toBe('');
  const [from, root] = [old.home.replace(/\/home$/, ''), old.home.replace(/\/home$/, '-moved')];
  renameSync(from, root);
  const stage = setStage({ root });
  expect(await stage.type('sql', 'SELECT count(*) AS n FROM archive_entries')).toMatchObject({
    code: 0,
    out: '{"n":1}\n',
  });
});
