/**
 * What a daemon meets in months: its own crash, a system without watches, an edit of its config.
 * The real program.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Stage, setStage } from '../stage.js';
import { claudeLog, says } from '../jobs/made-log.js';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const SESSION = '11111111-1111-4111-8111-111111111111';
const about = { session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-20' };

let stage: Stage;
let log: string;
let child: ChildProcess | null = null;
beforeEach(() => {
  stage = setStage();
  log = stage.log(about, [says('hello')]);
});
afterEach(() => {
  child?.kill('SIGKILL');
  child = null;
});

function start(command: string, ...args: string[]) {
  const made = spawn(command, args, {
    env: { PATH: process.env['PATH'], HOME: stage.home, DRIPSTONE_HOME: stage.stone },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child = made;
  let err = '';
  const ready = new Promise<void>((resolve) =>
    made.stderr.on('data', (data: Buffer) => {
      err += data.toString();
      if (err.includes('runs as process')) resolve();
    }),
  );
  const ended = new Promise<{ code: number | null; err: string }>((resolve) =>
    made.on('close', (code) => resolve({ code, err })),
  );
  return { ready, ended };
}
async function found(word: string): Promise<boolean> {
  return (await stage.type('search', word, '--mode', 'exact', '--json')).out.includes(word);
}
async function codes(): Promise<string[]> {
  return (await stage.degraded()).map(({ code }) => code);
}

test('a system without inotify watches is told, and every line is read all the same', async ({
  skip,
}) => {
  const limit = 'echo 2 > /proc/sys/user/max_inotify_watches';
  const isLimited = spawnSync('unshare', ['-Ur', 'sh', '-c', limit]).status === 0;
  skip(!isLimited, 'no namespace can be made');
  const { ready } = start(
    'unshare',
    '-Ur',
    'sh',
    '-c',
    `${limit}; exec "${process.execPath}" "${cli}" start`,
  );
  await ready;
  await expect.poll(codes, { interval: 200 }).toContain('WATCH_ENOSPC');
  appendFileSync(log, claudeLog({ ...about, from: 1 }, [says('the copper spout drips')]));
  // Without watchers the scan of every half minute finds it.
  await expect.poll(() => found('copper spout'), { interval: 500, timeout: 60_000 }).toBe(true);
}, 90_000);

test('another config is taken up by the running process; what nobody caught ends it with 70, so that a supervisor starts it again', async () => {
  const { ready, ended } = start(
    process.execPath,
    '--import',
    'data:text/javascript,process.on("SIGUSR2",()=>{throw new Error("a fault")})',
    cli,
    'start',
  );
  await ready;
  const { pid } = child!;
  writeFileSync(join(stage.stone, 'config.yaml'), 'enabled: false\nembed: {enabled: false}\n');
  await expect.poll(codes, { interval: 300 }).toContain('SWITCHED_OFF');
  await expect
    .poll(() => stage.read('logs/dripstone.log').includes('"enabled":false'), { interval: 100 })
    .toBe(true);
  writeFileSync(join(stage.stone, 'config.yaml'), 'embed: {enabled: false}\n');
  appendFileSync(log, claudeLog({ ...about, from: 1 }, [says('the copper spout drips')]));
  await expect.poll(() => found('copper spout'), { interval: 300 }).toBe(true);
  expect((JSON.parse(stage.read('daemon.json')) as { pid: number }).pid).toBe(pid);
  child!.kill('SIGUSR2');
  const { code, err } = await ended;
  expect([code, err]).toEqual([70, expect.stringContaining('internal fault: Error: a fault')]);
});
