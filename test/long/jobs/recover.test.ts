/**
 * The database is new, and years of tiers lie beside it: they come back in few commits, and a
 * person may stop it.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp, type App } from '../../../src/app.js';
import { isRecovered } from '../../../src/jobs/upkeep/boot.js';
import { recoverHome } from '../../../src/jobs/upkeep/recover.js';
import { type Stage, begunStage } from '../../stage.js';
import { claudeLog, says } from '../../jobs/made-log.js';

const TIERS = 24;

/** Two sessions that went on for twelve days each; the logs and the database are gone. */
const bereft = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  for (const digit of [1, 2]) {
    const session = `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
    const days = Array.from({ length: TIERS / 2 }, (_, at) =>
      claudeLog({ session, cwd: '/home/ann/kettle', day: `2026-10-${10 + at}`, from: at * 10 }, [
        says(`Day ${at} of ${digit}.`),
      ]),
    );
    stage.put(`.claude/projects/-p/${session}.jsonl`, days.join(''));
  }
  expect((await stage.type('run')).err).toBe('');
  rmSync(join(stage.home, '.claude/projects'), { recursive: true });
  for (const name of ['memory.duckdb', 'memory.duckdb.wal'])
    rmSync(join(stage.stone, name), { force: true });
});

function open(stage: Stage, signal = stage.stop.signal): Promise<App> {
  const { env, clock } = stage.io();
  return createApp({ env, clock, signal, access: 'write' });
}

test('it stops when it is interrupted, and the next run brings back the rest', async () => {
  const stage = await bereft();
  const stop = new AbortController();
  {
    await using app = await open(stage, stop.signal);
    const progress = ({ done }: { done: number }): void => {
      if (done === TIERS / 2) stop.abort();
    };
    await expect(recoverHome({ ...app, progress })).rejects.toThrow(/abort/i);
    expect(await isRecovered(app)).toBe(false);
  }
  // Of a process that is gone: no process has so high an id.
  const half = join(stage.stone, 'projects', '.x.md.4200000.0123abcd.tmp');
  writeFileSync(half, 'half');
  expect(await stage.type('run')).toMatchObject({ code: 0, err: '' });
  expect(existsSync(half)).toBe(false);
  expect(
    (await stage.type('sql', 'SELECT count(*) AS n, count(DISTINCT project) AS p FROM entries'))
      .out,
  ).toContain(`{"n":${TIERS},"p":1}`);
  expect((await stage.type('sql', 'SELECT count(*) AS n FROM own.tiers')).out).toContain(
    `{"n":${TIERS}}`,
  );
});
