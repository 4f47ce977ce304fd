/**
 * Reading commands that the daemon runs for another process: the same answers, and nobody is left
 * without one.
 */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { App } from '../../src/app.js';
import { runsInDaemon } from '../../src/commands/index.js';
import { runFor } from '../../src/commands/main.js';
import { runInDaemon } from '../../src/socket/in-daemon.js';
import { Commands, type RunFor } from '../../src/socket/commands.js';
import { openSocket } from '../../src/socket/server.js';
import { writeDaemonNote } from '../../src/jobs/upkeep/daemon-note.js';
import { CURE, ERROR, curedHome } from '../hooks/home.js';
import { type Said, type Stage, daemonApp } from '../stage.js';
import type { Io } from '../../src/io.js';

let stage: Stage;
let app: App | null;
let ran: string[][];
let isCurrent: boolean;
beforeEach(async () => {
  stage = await curedHome();
  app = null;
  [ran, isCurrent] = [[], true];
});
afterEach(() => app?.[Symbol.asyncDispose]());

/** The daemon's socket; `ran` says what it ran. This process has the store open from here on. */
async function serve(run: RunFor = runFor): Promise<void> {
  app = await daemonApp(stage);
  const noted: RunFor = (argv, io) => {
    ran.push([...argv]);
    return run(argv, io);
  };
  const commands = new Commands(app, noted, () => Promise.resolve(isCurrent));
  const socket = await openSocket(
    app.paths.home,
    { command: (asked, asker) => commands.serve(asked, asker) },
    () => {},
  );
  app.defer(() => socket.close());
  const facts = { version: '0.1.0', pid: process.pid, clock: app.clock, failed: () => {} };
  const note = writeDaemonNote(app.paths, facts);
  await note.serve(socket.path);
}

/** @returns null where the command is left to the process that asks */
const asked = (env: Record<string, string> = {}): Promise<number | null> => {
  const io: Io = { ...stage.io(), env: { ...stage.io().env, ...env } };
  return runInDaemon(['search', 'rabbit'], io);
};

test('every reading command prints and returns what its own process would', async () => {
  const typed = [
    ['search', 'rabbit', '--project', 'all'],
    ['search', 'rabbit', '--project', 'all', '--json'],
    ['search', 'rabbit', '--mode', 'wrong'],
    ['show', 'zzzz'],
    [
      'recall',
      '--type',
      'failure',
      '--output',
      ERROR,
      'pnpm test:broker',
      '--json',
      '--project',
      stage.slug(),
    ],
    ['context', '--project', stage.slug()],
    ['context', '--project', 'nowhere'],
    ['lessons', 'list', '--project', 'all', '--json'],
    ['usage', '--since', 'all', '--json'],
    ['sessions', '--project', 'all'],
    ['sessions', 'show', 'zzzz'],
    ['rules', '--json'],
    ['search', '--help'],
  ];
  const own: Said[] = [];
  for (const argv of typed) own.push(await stage.type(...argv));
  await serve();
  for (const [n, argv] of typed.entries()) {
    const { code, out, err } = await stage.type(...argv);
    expect([argv, code, out, err]).toEqual([argv, own[n]!.code, own[n]!.out, own[n]!.err]);
  }
  expect(ran).toEqual(typed);
});

test('standard input reaches the command line by line', async () => {
  await serve();
  stage.stdin = ['a line before', ERROR];
  expect((await stage.type('fix', '--project', stage.slug())).out).toContain(CURE);
  stage.stdin = ['rabbit', '', 'container'];
  const { out } = await stage.type('search', '-', '--project', 'all');
  expect(out.trim().split('\n')).toHaveLength(3);
  expect(ran.map(([name]) => name)).toEqual(['fix', 'search']);
});

test.each([
  ['lessons', 'add', 'Use pnpm'],
  ['lessons', '--json', 'add', 'Use pnpm'],
  ['rules', 'guard', 'x'],
  ['status'],
  ['sql', 'SELECT 1'],
  ['run'],
])('what writes, tells of the daemon or is free SQL stays in its own process: %s %s', (...argv) =>
  expect(runsInDaemon(argv)).toBe(false),
);

test('a process with another home folder or time zone runs the command itself, and so it does after an edit of config.yaml', async () => {
  await serve();
  expect(await asked({ HOME: '/home/other' })).toBeNull();
  expect(await asked({ TZ: 'Asia/Tokyo' })).toBeNull();
  isCurrent = false;
  expect(await asked()).toBeNull();
  isCurrent = true;
  expect(await asked()).toBe(0);
  expect(ran).toHaveLength(1);
});

test('a daemon that does not answer, or fails before the first word, costs a moment and no answer', async () => {
  await serve(() => {
    throw new Error('it fails');
  });
  expect(await asked()).toBeNull();
  const path = join(stage.stone, 'daemon.sock');
  rmSync(path, { force: true });
  expect(await asked()).toBeNull();
  const mute = createServer(() => {}).listen(path);
  await new Promise((resolve) => mute.once('listening', resolve));
  expect(await asked()).toBeNull();
  mute.close();
});

test('a daemon that ends in the middle is an error with a next step, and nothing is printed twice', async () => {
  await serve((_, io) => {
    io.out('half of ');
    throw new Error('it fails');
  });
  const { code, out, err } = await stage.type('search', 'rabbit');
  expect([code, out]).toEqual([1, 'half of ']);
  expect(err).toContain('run the same command again');
});

test('Ctrl-C ends the command, and the daemon hears of it', async () => {
  let aborted = false;
  await serve(async (_, io) => {
    stage.stop.abort();
    await new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve()));
    aborted = true;
    return 0;
  });
  const { code } = await stage.type('search', 'rabbit');
  await expect.poll(() => aborted).toBe(true);
  expect(code).toBe(130);
});
