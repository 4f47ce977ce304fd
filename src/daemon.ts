/**
 * The background process. Watchers report changes, a regular scan finds missed ones, and one queue
 * runs the jobs. When idle it opens nothing and writes only its heartbeat; it closes the database
 * soon after its last use.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from './errors.js';
import type { App } from './app.js';
import { packageVersion } from './config.js';
import { createAnswers } from './hooks/answers.js';
import { serveMoments } from './hooks/moments.js';
import { createBackground, type Background, type OnJobDone } from './jobs/daemon-work.js';
import { UNTIL_CONFIG_IS_RIGHT } from './jobs/upkeep/status-rows.js';
import { writeDaemonNote, type DaemonNote } from './jobs/upkeep/daemon-note.js';
import { followConfig, type ConfigFollower } from './jobs/upkeep/follow-config.js';
import { isClockJump, startCron } from './jobs/schedule.js';
import { Commands, type RunFor } from './socket/commands.js';
import { openSocket, type Kinds, type Serve } from './socket/server.js';
import type { WorkMessage } from './wire.js';
import type { SearchedPlace } from './watchers/index.js';
import { watchLogs, type LogWatch, type WatchOptions } from './watchers/watch.js';

/** How often every known place is scanned, even if no watcher reports a change. */
const SCAN_MS = 30_000;

/** The daemon's timers; tests trigger them. */
export interface Timers {
  every(ms: number, beat: () => void): { stop(): void };
}

interface DaemonOptions {
  version: string;
  pid: number;
  timers: Timers;
  /** Called once, after everything has started. */
  ready?: () => void;
  /**
   * Called if config.yaml has other options now, or with `error` if the database is lost: this run
   * should end and a new one begin.
   */
  renew?: (error?: unknown) => void;
  onJobDone?: OnJobDone;
  /** Runs reading commands for other processes. */
  runFor?: RunFor;
}

/** One timer for all timed work, to save power. A person who typed `config set` waits two ticks. */
const TICK_MS = 1000;
const HEARTBEAT_MS = 60_000;
/** How often a waiting command receives a sign of life. */
const ALIVE_MS = 2000;
/** How long another process may use the database before the daemon opens it again. */
const RELEASED_MS = 30_000;
/** Part of a hook's wait for the database; the rest is enough for an answer without it. */
const FOR_DATABASE_MS = 100;
/** How long a backward jump of the clock is reported. */
const JUMP_SHOWN_MS = 86_400_000;
/** Older logs get no watcher of their own; the regular scan sees their growth. */
const SILENT_MS = 7 * 86_400_000;

/**
 * Runs until the app's signal is aborted, then stops after the current step of the job. If switched
 * off, it only waits for another config.
 */
export async function runDaemon(app: App, options: DaemonOptions): Promise<void> {
  const { clock, log } = app;
  const failed = (error: unknown): void =>
    log.error({ error: messageOf(error) }, 'a regular look failed');
  const note = writeDaemonNote(app.paths, {
    version: options.version,
    pid: options.pid,
    clock,
    failed,
  });
  await note.beat();
  app.defer(() => note.remove());
  const every = (ms: number, work: () => Promise<unknown> | void): void => {
    const beat = options.timers.every(ms, () => void (async () => work())().catch(failed));
    app.defer(() => beat.stop());
  };
  const config = followConfig(app.paths.config, app.config, {
    changed: () => {
      log.info({}, 'config.yaml was edited: its options are taken up');
      options.renew?.();
    },
    refused: (problem) => {
      log.warn(
        { problem },
        'config.yaml was edited and is refused: nothing is read until it is right',
      );
      note.report('CONFIG_REFUSED', `${problem}; ${UNTIL_CONFIG_IS_RIGHT}`);
    },
    good: () => note.clear('CONFIG_REFUSED'),
  });
  every(HEARTBEAT_MS, () => note.beat());
  const tick = await startWork(app, options, { note, config, every });
  every(TICK_MS, async () => void (await Promise.all([config.check(), tick()])));
  log.info({ version: options.version, pid: options.pid, enabled: app.config.enabled }, 'started');
  options.ready?.();
  await new Promise<void>((resolve) =>
    app.signal.aborted
      ? resolve()
      : app.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  log.info({}, 'stopping');
}

/** @returns what each tick does */
async function startWork(
  app: App,
  options: DaemonOptions,
  {
    note,
    config,
    every,
  }: {
    note: DaemonNote;
    config: ConfigFollower;
    every: (ms: number, work: () => Promise<unknown> | void) => void;
  },
): Promise<() => Promise<void>> {
  const background = createBackground(app, {
    ...(options.onJobDone && { onJobDone: options.onJobDone }),
    mayWork: () => config.isCurrent(),
    lost: (error) => options.renew?.(error),
  });
  app.defer(() => background.close());
  const commands = options.runFor
    ? new Commands(app, options.runFor, () => config.isCurrent())
    : null;
  await serveSocket(app, note, {
    work: workBy(background),
    release: releaseOf(app),
    ...(app.config.enabled && {
      recall: serveMoments(createAnswers(app, FOR_DATABASE_MS), note.hooks),
      ...(commands && { command: (asked, asker) => commands.serve(asked, asker) }),
    }),
  });
  if (!app.config.enabled) return () => Promise.resolve();
  const places = await background.look();
  let scansDue = 0;
  const watch = startWatch(app, places, note, {
    onHint: (path) => background.hint(path),
    // The first tick may come before the folder is watched.
    onFolder: () => (scansDue = 2),
  });
  app.defer(() => watch.close());
  await setImmediate(); // a long step is before and after this
  const nights = followNights(app, background, note);
  app.defer(() => nights.stop());
  const scan = async (): Promise<void> => watch.follow(presentOf(await background.look()));
  every(SCAN_MS, scan);
  background.tick();
  return async () => {
    nights.check();
    background.tick();
    if (scansDue > 0) {
      scansDue--;
      await scan();
    }
  };
}

async function serveSocket(app: App, note: DaemonNote, kinds: Kinds): Promise<void> {
  const failed = (error: unknown): void =>
    app.log.warn({ error: messageOf(error) }, 'a request at the socket got no answer');
  try {
    const socket = await openSocket(app.paths.home, kinds, failed);
    app.defer(() => socket.close());
    await note.serve(socket.path);
  } catch (error) {
    const why = messageOf(error);
    app.log.warn({ error: why }, 'the socket could not be opened: hooks get no answers');
    note.report('NO_SOCKET', `hooks and commands that write get no answer: ${why}`);
  }
}

/** Does a command's work in the queue, unless the command has ended. */
function workBy(background: Background): Serve {
  return async ({ program, id, request }, asker) => {
    const say = (message: WorkMessage): Promise<boolean> => asker.say(message);
    const isOurs = program === packageVersion() && typeof id === 'string';
    if (!isOurs || !(await say({ taken: true }))) return;
    const alive = setInterval(() => void say({ alive: true }), ALIVE_MS);
    // A stopped daemon never answers, and this timer would keep its process alive.
    asker.signal.addEventListener('abort', () => clearInterval(alive));
    await say({ answer: await background.take(id, request, () => !asker.signal.aborted) });
  };
}

/** Closes the database for the asking process. */
function releaseOf({ store }: App): Serve {
  return (_, { say, signal }) =>
    store.withClosed(async () => {
      await say({ free: true });
      await sleep(RELEASED_MS, undefined, { signal }).catch(() => {});
    });
}

function presentOf(places: readonly SearchedPlace[]): SearchedPlace[] {
  return places.filter(({ exists }) => exists);
}

function startWatch(
  app: App,
  places: readonly SearchedPlace[],
  note: DaemonNote,
  on: Pick<WatchOptions, 'onHint' | 'onFolder'>,
): LogWatch {
  return watchLogs({
    ...on,
    places: presentOf(places),
    silentSince: app.clock.now().getTime() - SILENT_MS,
    onDegraded: ({ code, text }) => {
      app.log.warn({ code }, text);
      note.report(code.toUpperCase(), text);
    },
  });
}

/**
 * Starts the nightly work. After a jump of the clock the timers of cron are wrong, so they are made
 * again and the night is checked at once.
 */
function followNights(app: App, background: Background, note: DaemonNote) {
  const at = app.config.schedule.nightly_at;
  const read = () => ({ wall: app.clock.now().getTime(), mono: app.clock.mono() });
  let cron = startCron(at, () => background.night());
  let last = read();
  let reportedAt: number | null = null;
  return {
    check() {
      const now = read();
      if (isClockJump(last, now)) {
        const seconds = Math.round((now.wall - last.wall) / 1000);
        app.log.warn({ seconds }, 'the clock jumped, or the machine slept');
        // After sleep the clock also jumps forward, so only a backward jump is reported.
        if (now.wall < last.wall) {
          note.report(
            'CLOCK_JUMPED',
            `the clock was set back by ${-seconds} seconds: times in this memory may be out of order, nothing is done twice`,
          );
          reportedAt = now.mono;
        }
        void cron.stop();
        cron = startCron(at, () => background.night());
        background.night();
      }
      if (reportedAt !== null && now.mono - reportedAt > JUMP_SHOWN_MS) {
        note.clear('CLOCK_JUMPED');
        reportedAt = null;
      }
      last = now;
    },
    stop: () => cron.stop(),
  };
}
