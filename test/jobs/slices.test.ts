/**
 * The daemon works in slices, so that a line that was just written is read soon, whatever else
 * waits.
 */
import { utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApp, type App } from '../../src/app.js';
import { extractJob } from '../../src/jobs/learning/extract.js';
import { sliceOf } from '../../src/jobs/job.js';
import { ingestJob } from '../../src/jobs/reading/ingest.js';
import { type Stage, setStage } from '../stage.js';
import { says } from './made-log.js';

let stage: Stage;
let app: App;
/** What each look at the monotonic clock adds. */
let step = 0;

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

/** The job's clock alone: the store's own waits keep theirs. */
function sliced(): App {
  let mono = 0;
  const clock = { ...app.clock, mono: () => (mono += step) };
  return { ...app, clock, isOver: sliceOf(clock.mono) };
}

beforeEach(async () => {
  stage = setStage();
  app = await createApp({ ...stage.io(), access: 'write', mode: 'daemon' });
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
});

describe('a large history', () => {
  // A thread that is started anew for each slice takes its time.
  test('one log that takes long gives way in its middle, and nothing of it is lost or doubled', async () => {
    put(1, 2500);
    step = 3000;
    let slices = 0;
    for (let more = true; more && slices < 50; slices++) {
      let asked = 0;
      const context = { ...sliced(), isOver: () => asked++ > 0 };
      more = (await ingestJob.run(context, { job: 'ingest' })).more === true;
    }
    expect(slices).toBeGreaterThan(1);
    const all = await texts();
    expect([all.length, new Set(all).size]).toEqual([2500, 2500]);
  });

  test('a line that is written between two slices is read there; its session is learnt from to its end', async () => {
    // The thread takes fifty small sessions at once.
    for (let n = 1; n <= 60; n++) put(n);
    await ingestJob.run(app, { job: 'ingest' });
    stage.now = new Date('2026-11-21T12:00:00Z');
    step = 1000;
    expect(await extractJob.run(sliced(), { job: 'extract' })).toMatchObject({
      done: 50,
      more: true,
    });
    for (let n = 1; n <= 60; n++) put(n, 2);
    await ingestJob.run(app, { job: 'ingest' });
    stage.now = new Date('2026-11-22T12:00:00Z');
    for (let more = true; more;)
      more = (await extractJob.run(sliced(), { job: 'extract' })).more === true;
    expect(await texts()).toHaveLength(120);
    const left = 'SELECT session FROM own.sessions WHERE last_n > coalesce(extracted_n, 0)';
    expect(await app.store.read((db) => db.all(left))).toEqual([]);
  });
});
