/** `dripstone start`: keeps reading in the foreground until Ctrl-C. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, type App } from '../app.js';
import type { Timers } from '../daemon.js';
import { AppError, EXIT, messageOf } from '../errors.js';
import { isStoreLost } from '../store/index.js';
import { logFile } from '../log.js';
import type { Command } from '../command.js';
import { packageVersion } from '../config.js';
import type { Io } from '../io.js';

export const startCommand: Command = {
  name: 'start',
  summary: 'keep reading in the foreground until Ctrl-C',
  usage: '',
  options: {},
  exits: {
    [EXIT.done]: 'stopped by Ctrl-C or SIGTERM',
    [EXIT.daemonRuns]: 'another daemon runs in this home',
    [EXIT.notWritable]: 'the home cannot be written',
  },
  examples: ['dripstone start', 'make start'],
  async run(io) {
    // Each turn runs with one config and one database; `error` is set if the database was lost.
    const lost: number[] = [];
    for (let next = await oneTurn(io, null); next !== null; next = await oneTurn(io, next)) {
      if (next.error === undefined) continue;
      const now = io.clock.mono();
      lost.push(now);
      if (lost.filter((at) => now - at < LOST_MS).length > MOST_LOST)
        throw new AppError('STORE_LOST', messageOf(next.error), {
          hint: 'the database was lost or damaged several times: find out which program changes it',
          exitCode: EXIT.internal,
          cause: next.error,
        });
    }
    return EXIT.done;
  },
};

/** A database with this many losses within ten minutes is not booted again. */
const MOST_LOST = 3;
const LOST_MS = 600_000;

/** Why the daemon restarts its work: a new config.yaml, or an error of the database. */
interface Again {
  error?: unknown;
}

/**
 * Opens the home, which is free between two turns. If a waiting command has taken it, the daemon
 * waits instead of ending with exit 11.
 * @returns null if `signal` was aborted meanwhile
 */
export async function openPatiently<T>(
  open: () => Promise<T>,
  signal: AbortSignal,
  pauseMs = 1000,
): Promise<T | null> {
  while (!signal.aborted) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof AppError) || error.exitCode !== EXIT.busy) throw error;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

/**
 * @param again why this is not the first turn; null at first
 * @returns why another turn must follow; null if the daemon was stopped
 */
async function oneTurn(io: Io, again: Again | null): Promise<Again | null> {
  const turn = new AbortController();
  const stop = (): void => turn.abort();
  if (io.signal.aborted) stop();
  io.signal.addEventListener('abort', stop, { once: true });
  let next: Again | null = null;
  try {
    const open = (): Promise<App> =>
      createApp({
        ...io,
        signal: turn.signal,
        access: 'write',
        lockAs: 'daemon',
        logTo: 'file',
        mode: 'daemon',
        suspicion: again?.error,
      });
    await using app = again === null ? await open() : await openPatiently(open, io.signal);
    if (app === null) return null;
    const off = app.config.enabled
      ? ''
      : ', switched off (`enabled: false`): it waits for another config.yaml';
    const log = logFile(app.paths.logs);
    const known = `dripstone runs as process ${process.pid}${off}; its log is ${log}. Ctrl-C stops it.\n`;
    const ready = (): void =>
      io.err(
        again === null
          ? known
          : again.error === undefined
            ? `dripstone has loaded config.yaml again${off}\n`
            : 'dripstone has opened its database again\n',
      );
    const renew = (error?: unknown): void => {
      next = { error };
      stop();
    };
    const runFor = io.run && { runFor: io.run };
    // Three imports, since loading everything in one task blocks the event loop.
    await import('../types/shapes.js');
    const { runDaemon } = await import('../daemon.js');
    await runDaemon(app, {
      version: packageVersion(),
      pid: process.pid,
      timers: systemTimers,
      ready,
      renew,
      ...runFor,
    });
  } catch (error) {
    // Closing a lost database fails, too.
    if (!isStoreLost(error)) throw error;
    next ??= { error };
  } finally {
    io.signal.removeEventListener('abort', stop);
  }
  return io.signal.aborted ? null : next;
}

const systemTimers: Timers = {
  every(ms, run) {
    const timer = setInterval(run, ms);
    return { stop: () => clearInterval(timer) };
  },
};
