/** Work that does not succeed is named by status with a cure. */
import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { pathsOf } from '../../src/config.js';
import { runJob } from '../../src/jobs/run-job.js';
import { closeKilledRuns, loadTiers, startRun } from '../../src/store/index.js';
import type { Db } from '../../src/store/index.js';
import { says } from '../jobs/made-log.js';
import { type Stage, begunStage } from '../stage.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const NOW = '2026-11-20T12:00:00Z';

interface Check {
  name: string;
  ok: boolean;
  text: string;
  cure: string | null;
  details: string[];
}

/** One log of the day before, read, learnt and rolled up. */
const worked = begunStage({ now: NOW }, async (first) => {
  const log = first.log({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-19' }, [
    says('Remember: always use tabs, never spaces.'),
  ]);
  utimesSync(log, new Date(NOW), new Date(NOW));
  expect((await first.type('run')).code).toBe(0);
});

let stage: Stage;
beforeEach(async () => {
  stage = await worked();
});

async function write<T>(fn: (db: Db) => Promise<T>): Promise<T> {
  await using app = await createApp({ ...stage.io(), access: 'write' });
  return await app.store.write(fn);
}
function later(hours: number): void {
  return void (stage.now = new Date(stage.now.getTime() + hours * 3_600_000));
}
async function checked(): Promise<{ code: number | null; failed: Check[] }> {
  const said = await stage.type('status', '--check', '--json');
  return {
    code: said.code,
    failed: said.json<{ checks: Check[] }>().checks.filter(({ ok }) => !ok),
  };
}

/** Both doors tell it, with a cure. */
async function told(code: string) {
  const found = (await stage.degraded()).find((each) => each.code === code);
  expect(found, code).toBeDefined();
  const { code: exit, failed } = await checked();
  const check = failed.find(({ name }) => name === code.toLowerCase().replaceAll('_', ' '));
  expect([exit, check?.text]).toEqual([1, found!.text]);
  expect(check!.cure).toMatch(/dripstone|some space/);
  return found!;
}

async function failOnce(message = 'Out of Memory Error: could not allocate'): Promise<void> {
  await using app = await createApp({ ...stage.io(), access: 'write' });
  await expect(
    runJob(app, { name: 'decay', run: () => Promise.reject(new Error(message)) }, { job: 'decay' }),
  ).rejects.toThrow(message);
  later(1);
}

test('a job that failed once is tried again and is no news; twice it is told, until it succeeds', async () => {
  await failOnce();
  expect(await stage.degraded()).toEqual([]);
  await failOnce();
  const { since, text } = await told('JOB_FAILS');
  expect([since, text]).toEqual([
    '2026-11-20T12:00:00.000Z',
    'decay did not succeed 2 times in a row, last with: Out of Memory Error: could not allocate',
  ]);
  expect((await stage.type('run', '--only', 'decay')).code).toBe(0);
  expect(await stage.degraded()).toEqual([]);
});

test('a job in which the process dies counts; one that a person interrupts does not', async () => {
  const begin = (): Promise<number> =>
    write((db) => startRun(db, { job: 'extract', now: stage.now.toISOString() }));
  await begin();
  await begin();
  await write((db) => closeKilledRuns(db, stage.now.toISOString()));
  expect((await told('JOB_FAILS')).text).toContain(
    'extract did not succeed 2 times in a row, last with: the process ended',
  );
  await stage.type('run', '--only', 'extract');
  for (let i = 0; i < 3; i++) {
    stage.stop = new AbortController();
    await using app = await createApp({ ...stage.io(), access: 'write' });
    const stopped = {
      name: 'extract' as const,
      run: () => (stage.stop.abort(), Promise.reject(new Error('aborted'))),
    };
    await expect(runJob(app, stopped, { job: 'extract' })).rejects.toThrow('aborted');
  }
  stage.stop = new AbortController();
  expect(await stage.degraded()).toEqual([]);
});

test('a session that extractions pass over', async () => {
  await write((db) => db.run('UPDATE own.sessions SET extracted_n = NULL'));
  later(25);
  const run = async (): Promise<unknown> => {
    await using app = await createApp({ ...stage.io(), access: 'write' });
    return await runJob(
      app,
      { name: 'extract', run: () => Promise.resolve({ done: 0 }) },
      { job: 'extract' },
    );
  };
  await run();
  expect(await stage.degraded()).toEqual([]);
  later(2);
  expect((await told('UNLEARNT')).text).toContain(
    `1 session could not be learnt from: ${SESSION} (claude-code)`,
  );
});

test('tiers that are missing, empty or changed', async () => {
  const [tier] = await (async () => {
    await using app = await createApp({ ...stage.io(), access: 'read' });
    return await app.store.read((db) => loadTiers(db));
  })();
  const bytes = readFileSync(tier!.path);
  rmSync(tier!.path);
  expect((await told('TIERS_MISSING')).text).toContain(tier!.path);
  writeFileSync(tier!.path, '');
  expect((await told('TIERS_MISSING')).text).toContain('1 tier is missing or empty');
  writeFileSync(tier!.path, bytes);
  expect(await stage.degraded()).toEqual([]);
  truncateSync(tier!.path, bytes.length - 3);
  expect((await checked()).failed).toMatchObject([
    { name: 'tiers', text: '1 of 1 are not as they were written', details: [tier!.path] },
  ]);
});

/** As the engine lays out a file: three headers, then blocks of one size. */
const [HEADERS, BLOCK] = [3 * 4096, 262_144];

test('a page of the database that went bad is found though nothing else reads it; the cure that is named brings all back', async () => {
  const path = pathsOf(stage.stone).store;
  const words = Array.from({ length: 150 }, (_, i) =>
    says(
      `the kettle of the third shelf whistles in batch ${i} ${((i * 7919) % 1_000_003).toString(36)}`,
    ),
  );
  const log = stage.log({ session: OTHER, cwd: '/home/ann/kettle', day: '2026-11-19' }, words);
  utimesSync(log, new Date(NOW), new Date(NOW));
  expect((await stage.type('run')).code).toBe(0);
  const block = await (async (): Promise<number> => {
    await using app = await createApp({ ...stage.io(), access: 'write' });
    await app.store.release();
    const [row] = await app.store.read((db) =>
      db.all<{ block: number }>(
        `SELECT max(block_id) AS block FROM pragma_storage_info('own.texts') WHERE column_name = 'text' AND block_id >= 0`,
      ),
    );
    return row!.block;
  })();
  const whole = await stage.type('status', '--check');
  expect(whole.out).toMatch(
    /ok {3}blocks: \d+\.\d MiB of the database were read, each block as it was written/,
  );
  const count = async (): Promise<string> =>
    (await stage.type('sql', `SELECT count(*) AS n FROM entries WHERE contains(text, 'whistles')`))
      .out;
  const before = await count();
  // In the middle of a block of texts; neither opening the file nor a run without a new line reads
  // it.
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.from('flipped'), 0, 7, HEADERS + block * BLOCK + 5000);
  closeSync(file);
  expect((await stage.type('status')).code).toBe(0);
  const { code, failed } = await checked();
  expect([code, failed.map(({ name }) => name)]).toEqual([1, ['blocks']]);
  expect(failed[0]!.cure).toContain(`move ${path} and ${path}.wal away`);
  for (const end of ['', '.wal']) rmSync(path + end, { force: true });
  expect((await stage.type('run')).code).toBe(0);
  expect((await stage.type('status', '--check')).code).toBe(0);
  expect(await count()).toBe(before);
});
