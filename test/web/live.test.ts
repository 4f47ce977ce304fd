/** Sessions that run now: told once, and again only when something was written. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { answers, claudeLog, says } from '../jobs/made-log.js';
import { openWeb, type Known } from './stage.js';
import { testStage } from '../commands/test-stage.js';

const HOLD = fileURLToPath(new URL('../faults/children/hold.mjs', import.meta.url));

test('a session runs for ten minutes after its newest entry; who knows the state is told nothing again, with the database closed', async () => {
  const stage = testStage({
    now: '2026-11-10T09:05:00Z',
    config: 'embed: {enabled: false}\nstore: {lock_wait_ms: 0}\n',
  });
  const log = (session: string, day: string, turns: number): void =>
    void stage.put(
      `.claude/projects/-home-ann-kettle/${session}.jsonl`,
      claudeLog({ session, cwd: '/home/ann/kettle', day }, [
        says('Boil it'),
        ...Array.from({ length: turns }, (_, at) => answers(`${at}`)),
      ]),
    );
  log('old', '2026-11-09', 2);
  log('new', '2026-11-10', 2);
  expect((await stage.type('run')).code).toBe(0);
  const web = openWeb(stage);
  onTestFinished(() => web.close());
  const live = async (stamp = ''): Promise<Known> =>
    (await web.page('GET', `/view/live${stamp && `?stamp=${encodeURIComponent(stamp)}`}`)).body;
  const first = await live();
  expect((first['sessions'] as Known[]).map((each) => [each['session'], each['entries']])).toEqual([
    ['new', 3],
  ]);
  await web.rest();
  const child = spawn(process.execPath, [HOLD], { stdio: ['pipe', 'pipe', 'inherit'] });
  const held = once(child.stdout, 'data');
  child.stdin.write(`${join(stage.stone, 'memory.duckdb')}\tread-write\n`);
  await held;
  expect(await live(first['stamp'])).toMatchObject({ stamp: first['stamp'], sessions: null });
  child.kill();
  await once(child, 'exit');
  log('new', '2026-11-10', 4);
  expect((await stage.type('run')).code).toBe(0);
  const grown = await live(first['stamp']);
  expect((grown['sessions'] as Known[]).map((each) => each['entries'])).toEqual([5]);
  await web.rest();
  stage.now = new Date('2026-11-10T09:30:00Z');
  expect((await live())['sessions']).toEqual([]);
});
