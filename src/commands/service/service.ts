/** `dripstone service`: the daemon as a service of the person's own, without root. */
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, type ExitCode, AppError } from '../../errors.js';
import { usage, type Arguments, type Command, type Io } from '../command.js';
import { tellService, stateOfService } from './status.js';
import { loadConfig } from '../../config.js';
import { removeEmpty } from '../../links/files.js';
import { publishFile } from '../../store/index.js';
import { isLauncher, launcherName, renderLauncher, type Program, shellWord } from '../../supervisor/program.js';
import { daemonOf } from '../delegate.js';
import { servicePlace, type ServicePlace } from './place.js';
import { offerModel } from '../model/consent.js';
import { look, useModel } from '../model/use.js';
import { everyRepo, unlink } from '../unlink.js';

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

// `dripstone service install`: puts the program on PATH, and a supervisor in charge of the daemon. Installing twice changes
// nothing more.

const LOOK_MS = 100;
/** A first start opens the store, and may migrate it. */
const LOOKS = 300;

async function installService(io: Io, args: Arguments): Promise<ExitCode> {
  const place = servicePlace(io);
  loadConfig(place.paths.config);
  const bin = args.text('bin');
  if (bin !== null) await putLauncher(io, resolve(io.cwd, bin), place.program);
  if (!place.supervisor.isHere()) {
    io.out(
      `no service manager answers here. To keep dripstone running, let your system start this line:\n  ` +
        `${startLine(place.program)}\n  with cron: @reboot ${startLine(place.program)}\n`,
    );
    await offer(io, place);
    return EXIT.done;
  }
  await refuseByHand(place);
  const { path, text, encoding } = place.supervisor.file(place.program);
  await publishFile(path, encoding === 'utf16le' ? Buffer.from(`\uFEFF${text}`, 'utf16le') : text);
  const started = place.supervisor.start();
  if (started.code !== 0) {
    throw new AppError(
      'SERVICE_NOT_STARTED',
      `${place.supervisor.name} did not take the service: ${(started.err || started.out).trim() || 'it gave no reason'}`,
      { hint: `the service is described in ${path}; \`dripstone service status\` tells more` },
    );
  }
  const code = await tellStarted(io, place, path);
  await offer(io, place);
  return code;
}

/** One step from an installation to better lessons; whatever comes of it, the service runs. */
async function offer(io: Io, { paths }: ServicePlace): Promise<void> {
  const config = loadConfig(paths.config);
  if (config.llm.provider !== 'off') return;
  const { programs, servers } = await look(io);
  const names = [...programs.filter(({ refused }) => refused === null), ...servers.filter(({ models }) => models.length > 0)].map(
    ({ name }) => name,
  );
  const name = await offerModel(io, config, names);
  if (name === null) return;
  try {
    await useModel(io, paths, config, { name, model: null, isAgreed: true });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.err(`${name} was not switched on: ${error.message}\n`);
  }
}

function startLine({ node, cli, env }: Program): string {
  return [
    ...Object.entries(env)
      .filter(([name]) => name !== 'PATH')
      .map(([name, value]) => `${name}=${shellWord(value)}`),
    shellWord(node),
    shellWord(cli),
    'start',
  ].join(' ');
}

/** A file of that name that is not ours stays. */
async function putLauncher(io: Io, folder: string, program: Program): Promise<void> {
  const path = join(folder, launcherName(process.platform));
  if (existsSync(path) && !isLauncher(readFileSync(path, 'utf8'))) {
    throw new AppError('LAUNCHER_TAKEN', `${path} is there and was not made by dripstone`, {
      hint: 'move it away, or name another folder: `make install BINDIR=…`',
    });
  }
  await publishFile(path, renderLauncher(program, process.platform));
  chmodSync(path, 0o755);
  io.out(`${path}\n`);
  const onPath = (io.env['PATH'] ?? '')
    .split(delimiter)
    .map((each) => resolve(each))
    .includes(folder);
  if (!onPath)
    io.out(`  this folder is not on your PATH yet; add to your shell's profile: export PATH=${shellWord(folder)}:"$PATH"\n`);
}

/** A daemon in a terminal would make the service fail with exit 12 again and again. */
async function refuseByHand({ paths, supervisor }: ServicePlace): Promise<void> {
  const pid = await daemonOf(paths);
  const state = supervisor.state();
  if (pid === null || state.pid === pid || (state.installed && state.pid === null)) return;
  throw new AppError('DAEMON_BY_HAND', `process ${pid}, a daemon that was not started by the service, holds ${paths.home}`, {
    hint: `stop it (Ctrl-C, or \`kill ${pid}\`), then install again`,
    exitCode: EXIT.daemonRuns,
  });
}

async function tellStarted(io: Io, place: ServicePlace, file: string): Promise<ExitCode> {
  let service = await stateOfService(place);
  for (let looks = 0; looks < LOOKS && service.state === 'starting' && !io.signal.aborted; looks++) {
    await sleep(LOOK_MS);
    service = await stateOfService(place);
  }
  io.out(`service: ${file}\n`);
  if (service.state !== 'running' && service.state !== 'starting') {
    throw new AppError('SERVICE_FAILS', `the service is installed and does not run: ${service.why ?? service.state}`, {
      hint: 'cure that, then run `make install` again',
    });
  }
  const advice = place.supervisor.advice();
  io.out(
    `dripstone ${service.state === 'running' ? `runs as process ${service.pid ?? '?'}` : 'is starting'}; \`dripstone ` +
      `service status\` tells how it is\n${advice === null ? '' : `note: ${advice}\n`}`,
  );
  return EXIT.done;
}

/** `dripstone service uninstall`: stops and forgets the service; what was remembered stays unless it is asked away. */
async function uninstallService(io: Io, args: Arguments): Promise<ExitCode> {
  const { supervisor, program, paths } = servicePlace(io);
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
    io.out(`removed ${path}\n`);
  } else io.out('no service was installed\n');
  if (args.flag('links')) {
    for (const repo of everyRepo(io)) for (const line of await unlink(io, repo)) io.out(`unlinked ${line.path}\n`);
  }
  const bin = args.text('bin');
  if (bin !== null) removeLauncher(io, join(resolve(io.cwd, bin), launcherName(process.platform)));
  const pid = await daemonOf(paths);
  if (pid !== null)
    io.err(`note: process ${pid}, a daemon that the service did not start, still runs; \`kill ${pid}\` stops it\n`);
  if (args.flag('purge')) purgeHome(io, paths.home, pid);
  else if (existsSync(paths.home)) io.out(`what was remembered stays in ${paths.home}\n`);
  return EXIT.done;
}

function removeLauncher(io: Io, path: string): void {
  if (!existsSync(path) || !isLauncher(readFileSync(path, 'utf8'))) return;
  rmSync(path);
  io.out(`removed ${path}\n`);
}

/** What we make in a home, by name: `DRIPSTONE_HOME` may be a folder that holds other things too. */
const OURS =
  /^(?:config\.yaml|memory\.duckdb.*|vectors\.bin.*|daemon\.json|daemon\.lock\.duckdb.*|redact\.key|uses\.jsonl.*|purged\.txt|links\.json|logs|nudges|inbox|global|projects|llm|\..*\.tmp)$/;

function purgeHome(io: Io, home: string, pid: number | null): void {
  if (pid !== null)
    throw new AppError('DAEMON_RUNS', `nothing was deleted: process ${pid} works in ${home}`, {
      hint: `\`kill ${pid}\`, then uninstall again`,
      exitCode: EXIT.daemonRuns,
    });
  if (!existsSync(home)) return;
  for (const name of readdirSync(home).filter((each) => OURS.test(each))) rmSync(join(home, name), { recursive: true });
  removeEmpty([home]);
  io.out(existsSync(home) ? `deleted what was ours in ${home}; other files are left there\n` : `deleted ${home}\n`);
}
