/**
 * The order of work as the jobs declare it, and that a failed job is tried again at the time that
 * the database holds, also by a daemon started since.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { type App } from '../../src/app.js';
import { createBackground, type Background } from '../../src/jobs/daemon-work.js';
import { endRun, plannedRetries, startRun } from '../../src/store/index.js';
import { daemonApp, type Stage, setStage } from '../stage.js';

describe('a job that failed', () => {
  let open: { stage: Stage; app: App; background: Background } | null = null;
  afterEach(async () => {
    await open?.background.close();
    await open?.app[Symbol.asyncDispose]();
    open = null;
  });

  const start = async (stage: Stage, told: (job: string) => void): Promise<void> => {
    const app = await daemonApp(stage);
    open = { stage, app, background: createBackground(app, { onJobDone: told }) };
  };

  test('is tried again by the next daemon when its time has come, and not before', async () => {
    const stage = setStage({ now: '2026-11-20T09:00:00Z' });
    const ran: string[] = [];
    await start(stage, (job) => ran.push(job));
    await open!.app.store.write(async (db) => {
      const id = await startRun(db, { job: 'embed', now: '2026-11-20T08:59:00Z' });
      await endRun(db, id, {
        outcome: 'failed',
        error: 'no room',
        next_attempt: '2026-11-20T10:00:00Z',
        now: '2026-11-20T08:59:01Z',
      });
      // Nothing is due tonight.
      for (const job of ['rollup', 'decay', 'crystallize'])
        await endRun(
          db,
          await startRun(db, { job, period: '2026-11-20', now: '2026-11-20T08:00:00Z' }),
          { outcome: 'ok', now: '2026-11-20T08:00:01Z' },
        );
    });
    await open!.background.close();
    await open!.app[Symbol.asyncDispose]();
    await start(stage, (job) => ran.push(job));
    const tick = async (now: string): Promise<string[]> => {
      stage.now = new Date(now);
      open!.background.tick();
      await open!.background.idle();
      return ran.splice(0);
    };
    expect(await tick('2026-11-20T09:30:00Z')).toEqual([]);
    expect(await tick('2026-11-20T10:00:00Z')).toEqual(['embed']);
    expect(await open!.app.store.read(plannedRetries)).toEqual([]);
    expect(await tick('2026-11-20T12:00:00Z')).toEqual([]);
  });
});
