/** `dripstone service`: the daemon as a user service, without root. */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, type ExitCode, AppError, usage } from '../../errors.js';
import { refuseAgents } from '../../caller.js';
import { isYes, type Arguments, type Command, value, flag } from '../../command.js';
import type { Io } from '../../io.js';
import { type HomePaths, userHomeOf } from '../../config.js';
import { installService } from './install.js';
import { printServiceStatus, launcherFolder, servicePlace } from './status.js';
import { removeEmpty } from '../../links/files.js';
import { isLauncher, LAUNCHER } from '../../supervisor/program.js';
import { removeTask, callIn } from '../../supervisor/supervisor.js';
import { removeEmptyAbove, removeProgram } from '../../supervisor/versions.js';
import { daemonOf } from '../../jobs/upkeep/daemon-note.js';
import { unlinkAll } from '../linking/unlink.js';

const ACTIONS: Record<string, (io: Io, args: Arguments) => Promise<ExitCode>> = {
  install: installService,
  uninstall: uninstallService,
  status: printServiceStatus,
};

export const serviceCommand: Command = {
  name: 'service',
  summary: 'run the daemon as your own service: systemd or launchd',
  usage: 'install|uninstall|status [options]',
  options: {
    bin: value(
      'FOLDER',
      'install: also put `dripstone` into this folder; uninstall: where it is (default ~/.local/bin)',
    ),
    purge: flag(
      'uninstall: also delete the whole memory; without --purge you are asked at a terminal',
    ),
    yes: flag('uninstall --purge: without the question'),
    json: flag(
      'status: print {"version":1,"supervisor","installed","state","pid","exit_code","why","file"}',
    ),
  },
  exits: { [EXIT.daemonRuns]: 'a daemon that was started by hand uses the home' },
  examples: [
    'dripstone service install',
    'dripstone service status',
    'make install',
    'make uninstall PURGE=1',
  ],
  async run(io, args) {
    const [name, ...more] = args.words;
    const action = name === undefined ? undefined : ACTIONS[name];
    if (!action || more.length > 0)
      throw usage('service takes install, uninstall or status', 'type `dripstone service status`');
    return await action(io, args);
  },
};

/**
 * `dripstone service uninstall`: removes the service, the program, and what `link` added. The
 * memory stays unless the person agrees to remove it.
 */
async function uninstallService(io: Io, args: Arguments): Promise<ExitCode> {
  refuseAgents(io.caller(), 'an uninstallation');
  const { supervisor, program, paths, programs } = servicePlace(io);
  const isPurged = await wantsPurge(io, args, paths.home);
  const { path } = supervisor.file(program);
  if (existsSync(path)) {
    const stopped = supervisor.isHere() ? supervisor.stop() : { code: 0, out: '', err: '' };
    if (stopped.code !== 0)
      throw new AppError(
        'SERVICE_NOT_STOPPED',
        `${supervisor.name} did not stop the service: ${(stopped.err || stopped.out).trim()}`,
        { hint: 'stop it by hand, then uninstall again' },
      );
    rmSync(path);
    removeEmptyAbove(path, userHomeOf(io.env));
    io.out(`removed ${path}\n`);
  } else io.out('no service was installed\n');
  const task = removeTask({ logs: paths.logs, call: callIn(io.env) });
  if (task !== null) io.out(`removed ${task}\n`);
  for (const file of await unlinkAll(io)) io.out(`unlinked ${file}\n`);
  removeLauncher(io, join(launcherFolder(io, args.text('bin') ?? '~/.local/bin'), LAUNCHER));
  const pid = await daemonOf(paths);
  if (pid !== null)
    io.err(
      `note: process ${pid}, a daemon that the service did not start, still runs; \`kill ${pid}\`, then uninstall again\n`,
    );
  // Last, since this may be the running program, which loads its parts on demand.
  else if (removeProgram(programs, userHomeOf(io.env))) io.out(`removed ${programs}\n`);
  if (isPurged) purgeHome(io, paths, pid);
  else if (existsSync(paths.home)) io.out(`what was remembered stays in ${paths.home}\n`);
  return EXIT.done;
}

function removeLauncher(io: Io, path: string): void {
  if (!existsSync(path) || !isLauncher(readFileSync(path, 'utf8'))) return;
  rmSync(path);
  io.out(`removed ${path}\n`);
}

/**
 * Names in a home that this program or an earlier version writes. `DRIPSTONE_HOME` may be a folder
 * with other files.
 */
const OURS = new RegExp(
  '^(?:' +
    [
      String.raw`(?:memory|config\.lock|daemon\.lock|dataset\.lock)\.duckdb.*|vectors\.bin.*|uses\.jsonl.*|\..*\.tmp`,
      String.raw`config\.(?:last\.)?yaml|daemon\.(?:json|sock)|redact\.key|ui\.sock|ui-open\.html|links\.json`,
      String.raw`receipts\.jsonl|guards-off\.jsonl|(?:reviewed|synced|purged)\.txt`,
      'logs|nudges|inbox|llm|global|projects',
    ].join('|') +
    ')$',
);

/** @throws AppError exit 2 if `--purge` is not confirmed; then nothing is removed */
async function wantsPurge(io: Io, args: Arguments, home: string): Promise<boolean> {
  const isNamed = args.flag('purge');
  if (isNamed && args.flag('yes')) return true;
  if (!io.terminal) {
    if (!isNamed) return false;
    throw usage('nothing was deleted: this is not a terminal, so nobody can confirm', 'add --yes');
  }
  if (!existsSync(home)) return isNamed;
  if (await isYes(io, `Delete the whole memory in ${home}? This cannot be undone. [y/N] `))
    return true;
  if (isNamed) throw usage('nothing was deleted', 'answer y, or add --yes');
  return false;
}

function purgeHome(io: Io, paths: HomePaths, pid: number | null): void {
  const { home } = paths;
  if (pid !== null)
    throw new AppError('DAEMON_RUNS', `nothing was deleted: process ${pid} works in ${home}`, {
      hint: `\`kill ${pid}\`, then uninstall again`,
      exitCode: EXIT.daemonRuns,
    });
  if (!existsSync(home)) return;
  for (const name of readdirSync(home).filter((each) => OURS.test(each)))
    rmSync(join(home, name), { recursive: true });
  removeEmpty([home]);
  io.out(
    existsSync(home)
      ? `deleted what was ours in ${home}; other files are left there\n`
      : `deleted ${home}\n`,
  );
}
