/** A long job gives way to others between its items; nothing of it is lost or done twice. */
import { utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApp, type App } from '../../src/app.js';
import { extractJob } from '../../src/jobs/learning/extract.js';
import { ingestJob } from '../../src/jobs/reading/ingest.js';
import { type Stage, setStage } from '../stage.js';
import { says } from './made-log.js';

let stage: Stage;
let app: App;

function idOf(n: number): string {
  return `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;
}
function put(n: number, turns = 1): void {
  const path = stage.log(
    { session: idOf(n), cwd: '/home/ann/kettle', day: '2026-11-20' },
    Array.from({ length: turns }, (_, i) => says(`sentence ${n} ${i}`)),
  );
  utimesSync(path, 1_700_000_000 + n, 1_700_000_000 + n);
}
async function texts(): Promise<string[]> {
  return (
    await app.store.read((db) => db.all<{ text: string }>('SELECT text FROM main.entries'))
  ).map(({ text }) => text);
}

/** A job that gives way after so many items. @param step what each look at the job's clock adds */
function givingWay(items: number, step = 0): App {
  let [mono, turns] = [0, 0];
  const clock = { ...app.clock, mono: () => (mono += step) };
  return { ...app, clock, turn: () => Promise.resolve(++turns <= items) };
}

beforeEach(async () => {
  stage = setStage();
  app = await createApp({ ...stage.io(), access: 'write', mode: 'daemon' });
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
});

describe('a large history', () => {
  // A thread that is started anew each time takes its time.
  test('one log that takes long gives way in its middle, and nothing of it is lost or doubled', async () => {
    put(1, 2500);
    let runs = 0;
    for (let more = true; more && runs < 50; runs++)
      more = (await ingestJob.run(givingWay(0, 3000), { job: 'ingest' })).more === true;
    expect(runs).toBeGreaterThan(1);
    const all = await texts();
    expect([all.length, new Set(all).size]).toEqual([2500, 2500]);
  });

  test('a line that is written meanwhile is read then; its session is learnt from to its end', async () => {
    // The thread takes fifty small sessions at once.
    for (let n = 1; n <= 60; n++) put(n);
    await ingestJob.run(app, { job: 'ingest' });
    stage.now = new Date('2026-11-21T12:00:00Z');
    expect(await extractJob.run(givingWay(1), { job: 'extract' })).toMatchObject({
      done: 50,
      more: true,
    });
    for (let n = 1; n <= 60; n++) put(n, 2);
    await ingestJob.run(app, { job: 'ingest' });
    stage.now = new Date('2026-11-22T12:00:00Z');
    for (let more = true; more;)
      more = (await extractJob.run(app, { job: 'extract' })).more === true;
    expect(await texts()).toHaveLength(120);
    const left = 'SELECT session FROM own.sessions WHERE last_n > coalesce(extracted_n, 0)';
    expect(await app.store.read((db) => db.all(left))).toEqual([]);
  });
});
