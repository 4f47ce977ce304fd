/**
 * The database is deleted, cut or overwritten under a running daemon: it heals there, and whoever
 * asks gets an answer.
 */
import { mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type App } from '../../src/app.js';
import { createBackground, type Background } from '../../src/jobs/daemon-work.js';
import type { JobResult, Trigger } from '../../src/jobs/job.js';
import { fetchAnswer, hasAnswer, leaveRequest, type Answer } from '../../src/jobs/requests.js';
import { daemonApp, type Stage, setStage } from '../stage.js';
import { claudeLog, says } from '../jobs/made-log.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const LOG = `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`;

let open: { stage: Stage; app: App; background: Background } | null = null;
afterEach(async () => {
  await open?.background.close();
  await open?.app[Symbol.asyncDispose]();
  open = null;
});

/** A daemon that has read one log of this day, without beats of its own, and holds no file now. */
async function start(words: readonly ReturnType<typeof says>[] = []) {
  const stage = setStage({ now: '2026-11-20T12:00:00Z' });
  stage.put(
    LOG,
    claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-20' }, [
      says('Remember: always use tabs, never spaces.'),
      ...words,
    ]),
  );
  const app = await daemonApp(stage, 'once');
  const waiters: { job: Trigger['job']; resolve: () => void }[] = [];
  const told = (job: Trigger['job'], outcome: JobResult | Error): void => {
    if (outcome instanceof Error || outcome.done === 0) return;
    for (const each of waiters.filter((waiter) => waiter.job === job))
      waiters.splice(waiters.indexOf(each), 1)[0]!.resolve();
  };
  const background = createBackground(app, told);
  const next = (job: Trigger['job']): Promise<void> =>
    new Promise((resolve) => waiters.push({ job, resolve }));
  open = { stage, app, background };
  const learnt = next('context');
  await background.look();
  await learnt;
  await background.idle();
  await app.store.release();
  return { stage, app, background, next, path: app.paths.store };
}

function held({ store }: App): Promise<{ entries: number; lessons: number }> {
  return store.read(
    async (db) =>
      (
        await db.all<{ entries: number; lessons: number }>(
          'SELECT (SELECT count(*) FROM entries) AS entries, (SELECT count(*) FROM lessons) AS lessons',
        )
      )[0]!,
  );
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
  "%s while nothing is to do: the next beat reads today's logs again and learns",
  async (_, damage, kept) => {
    const { stage, app, background, next, path } = await start();
    const before = await held(app);
    expect(before).toEqual({ entries: 1, lessons: 1 });
    await app.store.release();
    const read = next('ingest');
    damage(path);
    background.tick();
    await read;
    await expect.poll(() => held(app)).toEqual(before);
    expect(aside(stage)).toHaveLength(kept);
  },
);

test('damage that comes back again and again is not rebuilt for ever: requests are refused with the cure, which status names', async () => {
  const { stage, app, background, path } = await start();
  for (let i = 0; i < 3; i++) writeFileSync(`${path}.damaged-20261120T11${i + 3}000Z`, 'x');
  half(path);
  const answer = await ask(stage, app, background);
  expect(answer).toMatchObject({
    kind: 'failed',
    exitCode: 1,
    message: expect.stringContaining('damaged again') as string,
    hint: expect.stringContaining('check the disk') as string,
  });
  await background.idle();
  expect(aside(stage)).toHaveLength(3);
  const codes = (await stage.degraded()).map(({ code }) => code);
  expect(codes).toContain('STORE_DAMAGED_AGAIN');
  const checked = await stage.type('status', '--check');
  expect([checked.code, checked.out]).toEqual([
    1,
    expect.stringMatching(/store damaged again: [^]*cure: check that disk/),
  ]);
  for (const name of aside(stage)) rmSync(join(stage.stone, name));
  expect(await ask(stage, app, background)).toMatchObject({
    kind: 'run',
    summary: { errors: [], entries: 1 },
  });
});

/** As a command that asks the daemon. */
async function ask(stage: Stage, app: App, background: Background): Promise<Answer> {
  const path = await leaveRequest(
    app.paths,
    { version: 1, kind: 'run', only: null, rebuild: false },
    stage.now,
  );
  background.tick();
  await expect.poll(() => hasAnswer(path)).toBe(true);
  return (await fetchAnswer(path))!;
}

test('a new database whose preparing fails is not forgotten: once it works, the logs of today are read again though nothing of them changed', async () => {
  const { stage, app, background, path } = await start();
  await app.store.release();
  rmSync(path);
  // Notes that cannot be read: the last step of preparing fails, the database itself is sound.
  mkdirSync(app.paths.uses);
  expect(await ask(stage, app, background)).toMatchObject({ kind: 'failed' });
  await background.idle();
  rmSync(`${app.paths.uses}.folding`, { recursive: true });
  stage.now = new Date('2026-11-20T13:00:00Z');
  background.tick();
  await background.idle();
  expect(await held(app)).toEqual({ entries: 1, lessons: 1 });
});
