/** `dripstone start`: keeps reading in the foreground until Ctrl-C. */
import { createApp } from '../app.js';
import { daemonLog, runDaemon, type Beats } from '../daemon.js';
import { EXIT } from '../errors.js';
import type { Command } from './command.js';
import { packageVersion } from './version.js';

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
    await using app = await createApp({ ...io, access: 'write', lockAs: 'daemon', logTo: 'file', hurry: false });
    if (!app.config.enabled) {
      io.err('dripstone is switched off (`enabled: false` in config.yaml): there is nothing to do\n');
      return EXIT.done;
    }
    const ready = () => io.err(`dripstone runs as process ${process.pid}; its log is ${daemonLog(app.paths.logs)}. Ctrl-C stops it.\n`);
    await runDaemon(app, { version: packageVersion(), pid: process.pid, beats: realBeats, ready });
    return EXIT.done;
  },
};

const realBeats: Beats = {
  every(ms, beat) {
    const timer = setInterval(beat, ms);
    return { stop: () => clearInterval(timer) };
  },
};
