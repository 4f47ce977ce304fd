/** A purge while the real daemon runs: the request, which names the text, is gone before the bytes are searched. */
import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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

const holding = (text: string): string[] =>
  readdirSync(stage.stone, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(stage.stone, name)).isFile() && readFileSync(join(stage.stone, name)).includes(text));

test('purge, export and import are served by the daemon', async () => {
  stage = setStage();
  const log = stage.put(`.claude/projects/-home-ann-kettle/${SESSION}.jsonl`, claudeLog(about, [says('Always begin with the phrase sapphire-plover, never without.'), says('Always use tabs, never spaces.')]));
  const daemon = run('start');
  await daemon.ready;
  expect((await run('run').ended).code).toBe(0);
  const purged = await run('purge', '--match', 'sapphire-plover', '--yes', '--json').ended;
  expect(purged).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(purged.out)).toMatchObject({ entries: 1, proof: { clean: true, hits: [], rows: [] } });
  expect(holding('sapphire-plover')).toEqual([]);
  // The daemon goes on as before.
  appendFileSync(log, claudeLog({ ...about, from: 5 }, [says('the copper spout drips')]));
  await expect.poll(async () => (await run('search', 'spout', '--mode', 'exact', '--json').ended).out, { timeout: 60_000, interval: 100 }).toContain('copper spout');
  const file = join(stage.home, 'memory.tar.gz');
  expect((await run('export', file).ended).code).toBe(0);
  const imported = await run('import', file, '--json').ended;
  expect(JSON.parse(imported.out)).toMatchObject({ lessons: 0, edits: 0 });
  daemon.child.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
  expect(holding('sapphire-plover')).toEqual([]);
}, 600_000);
