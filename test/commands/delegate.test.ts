import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askDaemon } from '../../src/jobs/delegate.js';
import { EXIT } from '../../src/errors.js';
import type { Request } from '../../src/jobs/requests.js';
import { testFolder } from '../folder.js';
import { startChild } from '../store/children.js';
import type { Io } from '../../src/io.js';

const REQUEST: Request = { version: 1, kind: 'run', only: ['ingest'], rebuild: false };

/** A process that holds the home as a daemon does and serves nothing, as one that was stopped. */
async function stopped(heartbeat: string): Promise<{ io: Io; nudges: string; pid: number }> {
  const home = join(testFolder(), 'home');
  const holder = startChild('lock', [join(home, 'daemon.lock.duckdb'), 'daemon']);
  onTestFinished(() => void holder.process.kill('SIGKILL'));
  await holder.line((line) => line === 'locked');
  const nudges = join(home, 'nudges');
  mkdirSync(nudges, { recursive: true });
  const daemon = { version: '0.1.0', pid: holder.pid, started: heartbeat, heartbeat };
  writeFileSync(join(dirname(nudges), 'daemon.json'), JSON.stringify(daemon));
  const clock = { now: () => new Date('2026-11-20T12:00:00Z'), mono: () => performance.now() };
  const io = {
    env: { DRIPSTONE_HOME: home },
    clock,
    signal: new AbortController().signal,
  } as unknown as Io;
  return { io, nudges, pid: holder.pid };
}

test('a daemon that gave no sign of life for minutes is told, and the request is taken back', async () => {
  const { io, nudges, pid } = await stopped('2026-11-20T11:50:00.000Z');
  await expect(askDaemon(io, REQUEST, 0)).rejects.toMatchObject({
    code: 'DAEMON_SILENT',
    exitCode: EXIT.busy,
    message: `the daemon, process ${pid}, gave no sign of life since 2026-11-20T11:50:00.000Z`,
  });
  expect(readdirSync(nudges)).toEqual([]);
});

test('one that gave a sign a minute ago is waited for', async () => {
  const { io, nudges } = await stopped('2026-11-20T11:59:00.000Z');
  const stop = new AbortController();
  const waiting = askDaemon({ ...io, signal: stop.signal }, REQUEST, 0);
  const outcome = await Promise.race([
    waiting.catch(() => 'refused'),
    new Promise((resolve) => setTimeout(resolve, 1500, 'waits')),
  ]);
  expect([outcome, readdirSync(nudges).length]).toEqual(['waits', 1]);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
});
