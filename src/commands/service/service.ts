/** `dripstone service`: the daemon as a service of the person's own, without root. */
import { EXIT, type ExitCode } from '../../errors.js';
import { usage, type Arguments, type Command, type Io } from '../command.js';
import { installService, uninstallService } from './install.js';
import { tellService } from './status.js';

const ACTIONS: Record<string, (io: Io, args: Arguments) => Promise<ExitCode>> = {
  install: installService,
  uninstall: uninstallService,
  status: tellService,
};

export const serviceCommand: Command = {
  name: 'service',
  summary: 'run the daemon as a service of yours: systemd, launchd, Task Scheduler',
  usage: 'install|uninstall|status [options]',
  options: {
    bin: { type: 'string', value: 'FOLDER', help: 'install: also put `dripstone` into this folder; uninstall: remove it there' },
    links: { type: 'boolean', help: 'uninstall: also take every line of `link` out again' },
    purge: { type: 'boolean', help: 'uninstall: also delete everything that was remembered' },
    json: {
      type: 'boolean',
      help: 'status: print {"version":1,"supervisor","installed","state","pid","exit_code","why","file"}',
    },
  },
  exits: { [EXIT.daemonRuns]: 'a daemon that was started by hand holds the home' },
  examples: ['dripstone service install', 'dripstone service status', 'make install', 'make uninstall PURGE=1'],
  async run(io, args) {
    const [name, ...more] = args.words;
    const action = name === undefined ? undefined : ACTIONS[name];
    if (!action || more.length > 0) throw usage('service takes install, uninstall or status', 'type `dripstone service status`');
    return await action(io, args);
  },
};
