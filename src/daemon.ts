/**
 * The background process: watchers hint, a regular look finds what they missed, and one queue runs
 * the jobs. Idle, it opens nothing and writes only its heartbeat; the database is given back soon
 * after its last use.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from './errors.js';
import type { App } from './app.js';
import { packageVersion } from './config.js';
import { createAnswers } from './hooks/answers.js';
import { serveMoments } from './hooks/moments.js';
import { createBackground, type Background, type OnJobDone } from './jobs/daemon-work.js';
import { CONFIG_HELD } from './jobs/upkeep/status-rows.js';
import { writeDaemonNote, type DaemonNote } from './jobs/upkeep/daemon-note.js';
import { followConfig, type ConfigFollower } from './jobs/upkeep/follow-config.js';
import { isClockJump, startCron } from './jobs/schedule.js';
import { Commands, type RunFor } from './socket/commands.js';
import { openSocket, type Kinds, type Serve } from './socket/server.js';
import type { WorkSaid } from './wire.js';
import type { SearchedPlace } from './watchers/index.js';
import { watchLogs, type LogWatch } from './watchers/watch.js';

/** How often every known place is scanned, even if no watcher reports a change. */
const SCAN_MS = 30_000;

/** The daemon's timers; tests fire them by hand. */
export interface Timers {
  every(ms: number, beat: () => void): { stop(): void };
}

interface DaemonOptions {
  version: string;
  pid: number;
  timers: Timers;
  /** Called once, when everything runs. */
  ready?: () => void;
  /**
   * config.yaml has other options now, or the database is lost, as `error` says: this run should end
   * and the next begin.
   */
  renew?: (error?: unknown) => void;
  onJobDone?: OnJobDone;
  /** Runs reading commands for other processes. */
  runFor?: RunFor;
}

/**
 * One beat for all that only time brings, since each wake costs. A person who typed `config set`
 * waits for two.
 */
const TICK_MS = 1000;
const HEARTBEAT_MS = 60_000;
/** How often a command hears that its work waits or goes on. */
const ALIVE_MS = 2000;
/** How long another process may have the database before the daemon wants it back. */
const RELEASED_MS = 30_000;
/** Of the time that a hook waits: the rest is enough for an answer without the database. */
const FOR_DATABASE_MS = 100;
/** How long a clock that was set back is reported. */
const JUMP_TOLD_MS = 86_400_000;
/** Logs silent for a week get no watch of their own; the regular look sees when they grow. */
const SILENT_MS = 7 * 86_400_000;

/**
 * Runs until the app's signal is aborted; then stops within the time of one step of the running
 * job. Switched off, it only waits for another config.
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
      note.tell('CONFIG_REFUSED', `${problem}; ${CONFIG_HELD}`);
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
  const watch = startWatch(app, places, background, note);
  app.defer(() => watch.close());
  const nights = followNights(app, background, note);
  app.defer(() => nights.stop());
  every(SCAN_MS, async () => watch.follow(presentOf(await background.look())));
  background.tick();
  return () => {
    nights.check();
    background.tick();
    return Promise.resolve();
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
    note.tell('NO_SOCKET', `hooks and commands that write get no answer: ${why}`);
  }
}

/** Does what a command asks for, in the queue, unless the command has left. */
function workBy(background: Background): Serve {
  return async ({ program, id, request }, asker) => {
    const say = (message: WorkSaid): Promise<boolean> => asker.say(message);
    const isOurs = program === packageVersion() && typeof id === 'string';
    if (!isOurs || !(await say({ taken: true }))) return;
    const alive = setInterval(() => void say({ alive: true }), ALIVE_MS);
    try {
      await say({ answer: await background.take(id, request, () => !asker.signal.aborted) });
    } finally {
      clearInterval(alive);
    }
  };
}

/** Leaves the database to the asking process. */
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
  background: Background,
  note: DaemonNote,
): LogWatch {
  return watchLogs({
    places: presentOf(places),
    silentSince: app.clock.now().getTime() - SILENT_MS,
    onHint: (path) => background.hint(path),
    onDegraded: ({ code, text }) => {
      app.log.warn({ code }, text);
      note.tell(code.toUpperCase(), text);
    },
  });
}

/**
 * Cron calls at night. After a jump of the clock its timers are wrong, so they are made again and
 * the night is checked at once.
 */
function followNights(app: App, background: Background, note: DaemonNote) {
  const at = app.config.schedule.nightly_at;
  const read = () => ({ wall: app.clock.now().getTime(), mono: app.clock.mono() });
  let cron = startCron(at, () => background.night());
  let last = read();
  let toldAt: number | null = null;
  return {
    check() {
      const now = read();
      if (isClockJump(last, now)) {
        const seconds = Math.round((now.wall - last.wall) / 1000);
        app.log.warn({ seconds }, 'the clock jumped, or the machine slept');
        // A jump forward is how a sleep looks, so only a jump back is reported.
        if (now.wall < last.wall) {
          note.tell(
            'CLOCK_JUMPED',
            `the clock was set back by ${-seconds} seconds: times in this memory may be out of order, nothing is done twice`,
          );
          toldAt = now.mono;
        }
        void cron.stop();
        cron = startCron(at, () => background.night());
        background.night();
      }
      if (toldAt !== null && now.mono - toldAt > JUMP_TOLD_MS) {
        note.clear('CLOCK_JUMPED');
        toldAt = null;
      }
      last = now;
    },
    stop: () => cron.stop(),
  };
}
