import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/errors.js';
import { acquireLock, lockHolder } from '../../src/store/index.js';
import { testFolder } from '../folder.js';
import { testClock } from '../stage.js';
import { startChild } from './children.js';

async function lockPath() {
  return join(testFolder(), 'home', 'daemon.lock.duckdb');
}

test('a second daemon is refused at once with exit 12, a writer with exit 11, both naming the holder; kill -9 frees it', async () => {
  const path = await lockPath();
  const holder = startChild('lock', [path, 'daemon']);
  await holder.line((line) => line === 'locked');
  expect(await lockHolder(path)).toMatchObject({ pid: holder.pid });
  for (const [as, exitCode, code] of [
    ['daemon', EXIT.daemonRuns, 'DAEMON_RUNS'],
    ['writer', EXIT.busy, 'STORE_BUSY'],
  ] as const) {
    const clock = testClock();
    const waiting = acquireLock({
      path,
      clock,
      as,
      waitMs: 300,
      sleep: async (ms) => clock.advance(ms),
    });
    await expect(waiting).rejects.toMatchObject({
      code,
      exitCode,
      message: expect.stringContaining(String(holder.pid)) as string,
    });
    expect(clock.mono()).toBe(as === 'daemon' ? 0 : 300);
  }
  holder.process.kill('SIGKILL');
  await holder.ended;
  expect(await lockHolder(path)).toBeNull();
  const lock = await acquireLock({ path, clock: testClock(), as: 'daemon' });
  const second = startChild('lock', [path, 'writer']);
  expect(await second.line((line) => line.startsWith('refused'))).toContain(String(process.pid));
  lock.release();
  (await acquireLock({ path, clock: testClock(), as: 'writer' })).release();
});

test('a daemon waits for a command that writes, and says so with exit 11 when it takes too long', async () => {
  const path = await lockPath();
  const holder = startChild('lock', [path, 'writer']);
  await holder.line((line) => line === 'locked');
  const asked: (number | null)[] = [];
  const clock = testClock();
  const isDaemon = (pid: number | null): boolean => asked.push(pid) < 0;
  const waiting = acquireLock({
    path,
    clock,
    as: 'daemon',
    isDaemon,
    waitMs: 300,
    sleep: async (ms) => clock.advance(ms),
  });
  await expect(waiting).rejects.toMatchObject({ code: 'STORE_BUSY', exitCode: EXIT.busy });
  expect(new Set(asked)).toEqual(new Set([holder.pid]));
  holder.send('go');
  await holder.ended;
  (await acquireLock({ path, clock, as: 'daemon', isDaemon })).release();
});
