/** `dripstone start`: keeps reading in the foreground until Ctrl-C. */
import { createApp } from '../app.js';
import { runDaemon, type Timers } from '../daemon.js';
import { EXIT } from '../errors.js';
import { logFile } from '../log.js';
import type { Command, Io } from './command.js';
import { packageVersion } from '../config.js';

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
    while (await oneTurn(io));
    return EXIT.done;
  },
};

/** @returns true when config.yaml was edited and the daemon is to begin anew */
async function oneTurn(io: Io): Promise<boolean> {
  const turn = new AbortController();
  const stop = (): void => turn.abort();
  if (io.signal.aborted) stop();
  io.signal.addEventListener('abort', stop, { once: true });
  let renewed = false;
  try {
    await using app = await createApp({
      ...io,
      signal: turn.signal,
      access: 'write',
      lockAs: 'daemon',
      logTo: 'file',
      mode: 'daemon',
    });
    const off = app.config.enabled ? '' : ', switched off (`enabled: false`): it waits for another config.yaml';
    const log = logFile(app.paths.logs);
    const ready = (): void => io.err(`dripstone runs as process ${process.pid}${off}; its log is ${log}. Ctrl-C stops it.\n`);
    const renew = (): void => {
      renewed = true;
      stop();
    };
    await runDaemon(app, { version: packageVersion(), pid: process.pid, timers: realBeats, ready, renew });
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
