/** The real program as a background process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { setStage, type Stage } from '../commands/stage.js';
import { claudeLog, says } from '../jobs/made-log.js';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const SESSION = '11111111-1111-4111-8111-111111111111';
const about = { session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-20' };

let stage: Stage;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  stage.remove();
});

const run = (...argv: string[]): { child: ChildProcess; ended: Promise<{ code: number | null; out: string; err: string }>; ready: Promise<void> } => {
  const child = spawn(process.execPath, [cli, ...argv], { env: { PATH: process.env['PATH'], HOME: stage.home, DRIPSTONE_HOME: stage.stone }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let [out, err] = ['', ''];
  const ready = new Promise<void>((resolve) => {
    child.stderr!.on('data', (data: Buffer) => {
      err += data.toString();
      if (err.includes('runs as process')) resolve();
    });
  });
  child.stdout!.on('data', (data: Buffer) => (out += data.toString()));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  return { child, ended, ready };
};

test('one daemon per home serves commands, stops on SIGTERM with 0, and leaves nothing behind after kill -9', async () => {
  stage = setStage();
  const log = stage.put(`.claude/projects/-home-ann-kettle/${SESSION}.jsonl`, claudeLog(about, [says('Always use tabs, never spaces.')]));
  const first = run('start');
  await first.ready;

  const second = await run('start').ended;
  expect(second.code).toBe(12);
  expect(second.err).toContain(`process ${first.child.pid}`);

  const served = await run('run', '--json').ended;
  expect(served).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(served.out)).toMatchObject({ version: 1, files: 1, entries: 1, errors: [] });

  const added = await run('lessons', 'add', 'Kettles are steel', '--kind', 'fact', '--project', 'kettle', '--json').ended;
  expect(added).toMatchObject({ code: 0, err: '' });
  const { project } = (JSON.parse(added.out) as { lesson: { project: string } }).lesson;
  expect(stage.read(`projects/${project}/context.md`)).toContain('Kettles are steel');

  const night = await run('crystallize', '--json').ended;
  expect(night).toMatchObject({ code: 0, err: '' });
  expect(stage.read(`projects/${project}/crystal.json`)).toContain('Kettles are steel');

  const status = await run('status', '--json').ended;
  expect(JSON.parse(status.out)).toMatchObject({ daemon: { pid: first.child.pid } });

  appendFileSync(log, claudeLog({ ...about, from: 5 }, [says('the copper spout drips')]));
  await expect.poll(async () => (await run('search', 'spout', '--mode', 'exact', '--json').ended).out, { timeout: 20_000, interval: 100 }).toContain('copper spout');

  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(0);
  expect(stage.has('daemon.json')).toBe(false);

  const third = run('start');
  await third.ready;
  third.child.kill('SIGKILL');
  await third.ended;
  expect(stage.has('daemon.json')).toBe(true);
  expect((await run('run', '--json').ended).code).toBe(0);
});

test('Ctrl-C while it reads, thinks and embeds ends it within five seconds; the next one goes on where it stopped', async () => {
  stage = setStage({ config: '' });
  const turns = Array.from({ length: 400 }, (_, n) => says(`Always run step ${n} of the kettle before you pour the water of cup ${n * 7}.`));
  for (let n = 0; n < 30; n++) {
    const session = `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;
    stage.put(`.claude/projects/-home-ann-kettle/${session}.jsonl`, claudeLog({ ...about, session }, turns));
  }
  let begun = 0;
  for (const waitFor of ['ingest', 'extract']) {
    const daemon = run('start');
    await daemon.ready;
    await expect.poll(() => stage.has('logs/dripstone.log') && stage.read('logs/dripstone.log').includes(waitFor === 'ingest' ? 'started' : '"job":"ingest"'), { timeout: 100_000, interval: 20 }).toBe(true);
    begun = performance.now();
    daemon.child.kill('SIGINT');
    expect((await daemon.ended).code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(5000);
  }
  const last = await run('run', '--only', 'ingest', '--json').ended;
  expect(JSON.parse(last.out)).toMatchObject({ files: 30, entries: 12_000, errors: [] });
});
