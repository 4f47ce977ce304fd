/**
 * The database is deleted, cut or overwritten under a running daemon: it boots again, and whoever
 * asks gets an answer.
 */
import { mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBackground } from '../../src/jobs/daemon-work.js';
import type { JobResult, Trigger } from '../../src/jobs/job.js';
import { daemonApp, setStage, startDaemon, type Stage } from '../stage.js';
import { claudeLog, says } from '../jobs/made-log.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const LOG = `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`;

function stageWithLog(isLive: boolean): Stage {
  const stage = setStage({ isLive, now: '2026-11-20T12:00:00Z' });
  stage.put(
    LOG,
    claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-20' }, [
      says('Remember: always use tabs, never spaces.'),
    ]),
  );
  return stage;
}

async function counts(stage: Stage): Promise<unknown> {
  const both =
    'SELECT (SELECT count(*) FROM entries)::INTEGER AS entries, (SELECT count(*) FROM lessons)::INTEGER AS lessons';
  return stage.rows(both).catch((error: unknown) => error);
}
function aside(stage: Stage): string[] {
  return readdirSync(stage.stone).filter((name) => name.includes('.damaged-'));
}
function half(path: string): void {
  return truncateSync(path, Math.floor(statSync(path).size / 2));
}

const DAMAGES: [string, (path: string) => void, number][] = [
  ['deleted', (path) => ['', '.wal'].forEach((end) => rmSync(path + end, { force: true })), 0],
  ['cut in half', half, 1],
  ['overwritten', (path) => writeFileSync(path, 'no database at all '.repeat(1000)), 1],
];

test.each(DAMAGES)(
  '%s while nothing is to do: the daemon boots again, reads the logs and learns; it never ended',
  async (_, damage, kept) => {
    const stage = stageWithLog(true);
    const { child } = await startDaemon(stage);
    const poll = { timeout: 30_000, interval: 200 };
    await expect.poll(() => counts(stage), poll).toEqual([{ entries: 1, lessons: 1 }]);
    damage(join(stage.stone, 'memory.duckdb'));
    await expect
      .poll(() => stage.read('logs/dripstone.log'), poll)
      .toContain('the database is lost or damaged');
    await expect.poll(() => counts(stage), poll).toEqual([{ entries: 1, lessons: 1 }]);
    expect(aside(stage).filter((name) => !name.includes('.wal'))).toHaveLength(kept);
    expect(child.exitCode).toBeNull();
  },
);

test('damage that comes back again and again is not rebuilt for ever: a run and the daemon are refused with the cure, which status names', async () => {
  const stage = stageWithLog(false);
  await stage.type('run');
  for (let i = 0; i < 3; i++)
    writeFileSync(join(stage.stone, `memory.duckdb.damaged-20261120T11${i + 3}000Z`), 'x');
  half(join(stage.stone, 'memory.duckdb'));
  for (const command of ['run', 'start'])
    expect(await stage.type(command)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/damaged again[^]*check the disk/) as string,
    });
  expect(aside(stage)).toHaveLength(3);
  expect((await stage.degraded()).map(({ code }) => code)).toContain('STORE_DAMAGED_AGAIN');
  expect(await stage.type('status', '--check')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/store damaged again: [^]*cure: check that disk/) as string,
  });
  for (const name of aside(stage)) rmSync(join(stage.stone, name));
  expect((await stage.type('run')).code).toBe(0);
  expect(await counts(stage)).toEqual([{ entries: 1, lessons: 1 }]);
});

test('a database whose preparing fails is not used; once it works, the logs are read', async () => {
  const stage = stageWithLog(false);
  const app = await daemonApp(stage, 'once');
  const done: [Trigger['job'], JobResult | Error][] = [];
  const background = createBackground(app, {
    onJobDone: (job, outcome) => void done.push([job, outcome]),
  });
  try {
    // Notes that cannot be read: the last step of preparing fails, the database itself is sound.
    mkdirSync(app.paths.uses);
    await background.look();
    await background.idle();
    expect(done).toEqual([['ingest', expect.any(Error)]]);
    rmSync(`${app.paths.uses}.folding`, { recursive: true });
    stage.now = new Date('2026-11-20T13:00:00Z');
    background.tick();
    await background.idle();
    const all = 'SELECT count(*)::INTEGER AS entries FROM entries';
    expect(await app.store.read((db) => db.all(all))).toEqual([{ entries: 1 }]);
  } finally {
    await background.close();
    await app[Symbol.asyncDispose]();
  }
});
