/**
 * The one thing that an owned clock cannot show: node-cron itself strikes, and the night is done.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { runDaemon } from '../../src/daemon.js';
import { setStage } from '../commands/stage.js';
import { claudeLog, says } from '../jobs/made-log.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
/** A slow machine may take so long to start. */
const START_MS = 20_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

test('a real tick of node-cron does the night of a real home, without any beat of ours', async () => {
  const begun = Date.now();
  const yesterday = new Date(begun - DAY_MS).toISOString();
  const stage = setStage({
    now: yesterday,
    config: 'embed: {enabled: false}\nschedule: {nightly_at: "00:00"}\n',
  });
  try {
    stage.put(
      `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`,
      claudeLog(
        {
          session: SESSION,
          cwd: '/home/ann/kettle',
          day: new Date(begun - 2 * DAY_MS).toISOString().slice(0, 10),
        },
        [says('Always use tabs, never spaces.')],
      ),
    );
    // The night of yesterday is done; that of today begins at the next full minute.
    expect((await stage.type('run')).err).toBe('');
    stage.now = new Date();
    const strikes = new Date(Math.ceil((Date.now() + START_MS) / MINUTE_MS) * MINUTE_MS);
    const at = [strikes.getHours(), strikes.getMinutes()]
      .map((part) => String(part).padStart(2, '0'))
      .join(':');
    writeFileSync(
      join(stage.stone, 'config.yaml'),
      `embed: {enabled: false}\nschedule: {nightly_at: "${at}"}\n`,
    );
    await using app = await createApp({
      ...stage.io(),
      access: 'write',
      lockAs: 'daemon',
      logTo: 'file',
      mode: 'daemon',
    });
    let daemon: Promise<void> = Promise.resolve();
    const night = new Promise<number>((done) => {
      daemon = runDaemon(app, {
        version: '0',
        pid: process.pid,
        timers: { every: () => ({ stop: () => {} }) },
        // Nothing asks for the time any more but cron.
        ready: () => void (stage.now = new Date(strikes.getTime() + MINUTE_MS)),
        onJobDone: (job) => job === 'crystallize' && done(Date.now()),
      });
    });
    expect(await night).toBeGreaterThanOrEqual(strikes.getTime());
    stage.stop.abort();
    await daemon;
    const periods = await app.store.read((db) =>
      db.all<{ period: string }>(
        "SELECT period FROM main.job_runs WHERE job = 'crystallize' AND outcome = 'ok' ORDER BY id",
      ),
    );
    expect(periods).toHaveLength(2);
    expect(
      readdirSync(join(stage.stone, 'projects')).some((name) => name.startsWith('kettle')),
    ).toBe(true);
  } finally {
    stage.remove();
  }
});
