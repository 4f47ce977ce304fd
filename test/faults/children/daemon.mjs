/**
 * The compiled daemon with a clock and beats that its parent owns: `daemon.mjs WALL_MS`. Time also
 * flows by itself, so that waits end. Message {wall, mono, beat}: both clocks jump by so many
 * milliseconds, beats up to `beat` strike; the answer comes when no job runs any more.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createApp } from '../../../dist/app.js';
import { runDaemon } from '../../../dist/daemon.js';

let wall = Number(process.argv[2]) - performance.now();
let mono = 0;
const clock = { now: () => new Date(Math.round(wall + performance.now())), mono: () => mono + performance.now() };
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());

const beats = [];
let told = 0;
const errors = [];
const app = await createApp({ env: { ...process.env }, clock, signal: stop.signal, access: 'write', lockAs: 'daemon', logTo: 'file', mode: 'daemon' });

const isWorking = () =>
  app.store.read(async (db) => (await db.all(`SELECT count(*) AS n FROM own.job_runs WHERE outcome = 'running'`))[0].n > 0).catch(() => false);

/** Nothing was told and nothing ran for a while. */
const settle = async () => {
  for (let still = 0, last = told; still < 3; last = told) {
    await pause(30);
    still = (await isWorking()) || told !== last ? 0 : still + 1;
  }
};

process.on('message', async (message) => {
  wall += message.wall;
  mono += message.mono;
  for (const { ms, beat } of beats) if (ms <= message.beat) beat();
  await settle();
  globalThis.gc?.();
  // What its own beat would do two seconds later: others may look now.
  await app.store.release();
  process.send({ now: clock.now().getTime(), rss: process.memoryUsage.rss(), told, errors: errors.splice(0) });
});

await runDaemon(app, {
  version: '0', pid: process.pid, ready: () => process.send({ ready: true }),
  timers: { every: (ms, beat) => (beats.push({ ms, beat }), { stop() {} }) },
  onJobDone: (job, outcome) => (told++, outcome instanceof Error && errors.push(`${job}: ${outcome.message}`)),
});
await app[Symbol.asyncDispose]();
process.disconnect();
