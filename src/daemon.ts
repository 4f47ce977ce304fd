/**
 * The background process: watchers give hints, a regular look is the truth, one lane works. When nothing happens nothing is opened and
 * nothing written but the sign of life; the database is given back two seconds after its last use.
 */
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from './app.js';
import { createBackground, type Background, type Told } from './jobs/background.js';
import { sweepAnswers } from './jobs/requests.js';
import { isClockJump, startCron } from './jobs/schedule.js';
import { publishFile } from './store/index.js';
import type { SearchedPlace } from './watchers/discover.js';
import { watchLogs, type LogWatch } from './watchers/watch.js';

/** Regular beats; tests strike them by hand. */
export interface Beats {
  every(ms: number, beat: () => void): { stop(): void };
}

export interface DaemonOptions {
  version: string;
  pid: number;
  beats: Beats;
  /** Called once, when everything runs. */
  ready?: () => void;
  told?: Told;
}

const TICK_MS = 500;
const HEARTBEAT_MS = 60_000;
/** Logs silent for a week get no watch of their own; the look sees them wake up. */
const SILENT_MS = 7 * 86_400_000;

/** Runs until the app's signal is aborted; then stops within the time of one step of the running job. */
export const runDaemon = async (app: App, options: DaemonOptions): Promise<void> => {
  const { clock, config, log } = app;
  const started = clock.now().toISOString();
  const background = createBackground(app, options.told);
  app.defer(() => background.close());
  const beat = () => publishFile(app.paths.daemon, `${JSON.stringify({ version: options.version, pid: options.pid, started, heartbeat: clock.now().toISOString() })}\n`);
  await beat();
  app.defer(() => unlink(app.paths.daemon).catch(() => {}));

  const places = await background.look();
  const watch = startWatch(app, places, background);
  app.defer(() => watch.close());
  const nights = followNights(app, background);
  app.defer(() => nights.stop());

  const quiet = (work: () => Promise<unknown>) => () => void work().catch((error: unknown) => log.error({ error: (error as Error).message }, 'a regular look failed'));
  const beats = [
    options.beats.every(TICK_MS, () => {
      nights.check();
      background.tick();
      void app.store.idle();
    }),
    options.beats.every(config.ingest.scan_seconds * 1000, quiet(async () => watch.add(rootsOf(await background.look())))),
    options.beats.every(HEARTBEAT_MS, quiet(async () => {
      await beat();
      await sweepAnswers(app.paths, clock.now());
    })),
  ];
  app.defer(() => beats.forEach((each) => each.stop()));
  background.tick();
  log.info({ version: options.version, pid: options.pid, places: rootsOf(places) }, 'started');
  options.ready?.();
  await new Promise<void>((resolve) => (app.signal.aborted ? resolve() : app.signal.addEventListener('abort', () => resolve(), { once: true })));
  log.info({}, 'stopping');
};

const rootsOf = (places: readonly SearchedPlace[]): string[] => places.filter(({ exists }) => exists).map(({ path }) => path);

const startWatch = (app: App, places: readonly SearchedPlace[], background: Background): LogWatch =>
  watchLogs({
    roots: rootsOf(places),
    // The globs of a place decide at the look; here the name's end is enough.
    isLog: (path) => /\.jsonl(\.zst)?$/.test(path),
    silentSince: app.clock.now().getTime() - SILENT_MS,
    onHint: (path) => background.hint(path),
    onDegraded: ({ code, text }) => app.log.warn({ code }, text),
  });

/** Cron strikes at night; a clock that jumped makes its timers worthless, so they are made anew and the night is asked for. */
const followNights = (app: App, background: Background) => {
  const at = app.config.schedule.nightly_at;
  const read = () => ({ wall: app.clock.now().getTime(), mono: app.clock.mono() });
  let cron = startCron(at, () => background.night());
  let last = read();
  return {
    check() {
      const now = read();
      if (isClockJump(last, now)) {
        app.log.warn({ seconds: Math.round((now.wall - last.wall) / 1000) }, 'the clock jumped, or the machine slept');
        void cron.stop();
        cron = startCron(at, () => background.night());
        background.night();
      }
      last = now;
    },
    stop: () => cron.stop(),
  };
};

/** Where the daemon's log lies. */
export const daemonLog = (logs: string): string => join(logs, 'dripstone.log');
