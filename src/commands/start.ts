/** `dripstone start`: keeps reading in the foreground until Ctrl-C. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, type App } from '../app.js';
import { runDaemon, type Timers } from '../daemon.js';
import { AppError, EXIT } from '../errors.js';
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
    // Each turn runs with one config: an edit of config.yaml ends it and begins the next.
    for (let isAgain = false; await oneTurn(io, isAgain); isAgain = true);
    return EXIT.done;
  },
};

/**
 * Opens the home, which is free between two turns. A command that waited for the daemon may take it
 * and do its work itself; the daemon then waits instead of ending with exit 11.
 * @returns null when `signal` was aborted in the meantime
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
 * @param isAgain config.yaml was edited: this daemon had the home before
 * @returns true when config.yaml was edited and the daemon must begin again
 */
async function oneTurn(io: Io, isAgain: boolean): Promise<boolean> {
  const turn = new AbortController();
  const stop = (): void => turn.abort();
  if (io.signal.aborted) stop();
  io.signal.addEventListener('abort', stop, { once: true });
  let renewed = false;
  try {
    const open = (): Promise<App> =>
      createApp({
        ...io,
        signal: turn.signal,
        access: 'write',
        lockAs: 'daemon',
        logTo: 'file',
        mode: 'daemon',
      });
    await using app = isAgain ? await openPatiently(open, io.signal) : await open();
    if (app === null) return false;
    const off = app.config.enabled
      ? ''
      : ', switched off (`enabled: false`): it waits for another config.yaml';
    const log = logFile(app.paths.logs);
    const known = `dripstone runs as process ${process.pid}${off}; its log is ${log}. Ctrl-C stops it.\n`;
    const ready = (): void =>
      io.err(isAgain ? `dripstone has loaded config.yaml again${off}\n` : known);
    const renew = (): void => {
      renewed = true;
      stop();
    };
    const runFor = io.run && { runFor: io.run };
    await runDaemon(app, {
      version: packageVersion(),
      pid: process.pid,
      timers: realBeats,
      ready,
      renew,
      ...runFor,
    });
  } finally {
    io.signal.removeEventListener('abort', stop);
  }
  return renewed && !io.signal.aborted;
}

const realBeats: Timers = {
  every(ms, beat) {
    const timer = setInterval(beat, ms);
    return { stop: () => clearInterval(timer) };
  },
};
