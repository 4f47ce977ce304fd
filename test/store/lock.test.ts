import { readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/errors.js';
import { acquireLock, lockHolder } from '../../src/store/index.js';
import { tempFolder, testClock } from './build.js';
import { startChild } from './children.js';

async function lockPath() {
  return join(await tempFolder(), 'home', 'daemon.lock.duckdb');
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

test('a stopped holder keeps the lock', async () => {
  const path = await lockPath();
  const holder = startChild('lock', [path, 'daemon']);
  await holder.line((line) => line === 'locked');
  holder.process.kill('SIGSTOP');
  await expect(acquireLock({ path, clock: testClock(), as: 'daemon' })).rejects.toMatchObject({
    code: 'DAEMON_RUNS',
  });
  holder.process.kill('SIGCONT');
  holder.send('go');
  await holder.line((line) => line === 'released');
});

test.each([
  ['without the file', null],
  ['on an empty file', ''],
  ['on junk', 'junk'.repeat(5000)],
])('of several that start together %s exactly one gets it', async (_, before) => {
  const path = join(await tempFolder(), 'daemon.lock.duckdb');
  if (before !== null) await writeFile(path, before);
  const children = Array.from({ length: 6 }, () => startChild('lock', [path, 'daemon']));
  const answers = await Promise.all(children.map((child) => child.line(() => true)));
  expect(answers.filter((line) => line === 'locked')).toHaveLength(1);
  expect(answers.filter((line) => line.startsWith('refused {"code":"DAEMON_RUNS"'))).toHaveLength(
    5,
  );
  expect(await readdir(dirname(path))).toEqual([basename(path)]);
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

test('junk in the lock file does not lock anybody out', async () => {
  const path = join(await tempFolder(), 'daemon.lock.duckdb');
  await writeFile(path, 'junk'.repeat(5000));
  (await acquireLock({ path, clock: testClock(), as: 'daemon' })).release();
});
