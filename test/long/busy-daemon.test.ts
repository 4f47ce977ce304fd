/** While a daemon works, whoever reads has the database at once, and a purge is whole. */
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { holding } from '../folder.js';
import { says } from '../jobs/made-log.js';
import { setStage, startDaemon, type Stage } from '../stage.js';

const SECRET = 'sapphire-plover';

/** Logs that take a while to read. */
function longHistory(stage: Stage): void {
  const words = Array.from({ length: 150 }, (_, n) =>
    says(`Remember: run step ${n} of the kettle before cup ${n * 7}, as ${SECRET} says.`),
  );
  for (let n = 1; n <= 12; n++)
    stage.log(
      {
        session: `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`,
        cwd: '/home/ann/kettle',
        day: '2026-11-20',
      },
      words,
    );
}

test('while a long history is read and a night runs: `sql` and whoever else reads has the database at once, a purge is whole and leaves no word of itself', async () => {
  const stage = setStage({ isLive: true });
  longHistory(stage);
  const daemon = await startDaemon(stage);
  const asked = async (ended: Promise<unknown>): Promise<number> => {
    let isOver = false;
    void ended.then(() => (isOver = true));
    let count = 0;
    for (; !isOver; count++) {
      const { code, err } = await stage.typeAs(['sql', 'SELECT count(*) FROM entries'], {
        lockWaitMs: 0,
      });
      expect([code, err]).toEqual([0, '']);
      // As a server that reads in a process of its own.
      await using app = await createApp({ ...stage.io(), access: 'read', lockWaitMs: 0 });
      await app.store.read((db) => db.all('FROM projects'));
    }
    return count;
  };
  expect(await asked(stage.start(['run']).ended)).toBeGreaterThan(1);
  expect(await asked(stage.start(['crystallize']).ended)).toBeGreaterThan(1);
  longHistory(stage);
  const reading = stage.start(['run']);
  const purged = await stage.type('purge', '--match', SECRET, '--yes', '--json');
  expect(purged.json()).toMatchObject({ proof: { clean: true, hits: [], rows: [] } });
  expect(await reading.ended).toMatchObject({ code: 0, err: '' });
  daemon.child.kill('SIGTERM');
  expect(await daemon.ended).toMatchObject({ code: 0 });
  expect(holding(stage.stone, SECRET)).toEqual([]);
});
