/** `dripstone service install`: puts the program on PATH, and a supervisor in charge of the daemon. Twice is once. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../config.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import { publishFile } from '../store/index.js';
import { isLauncher, launcherName, renderLauncher } from '../supervisor/launcher.js';
import { shellWord, type Program } from '../supervisor/program.js';
import type { Arguments, Io } from './command.js';
import { daemonOf } from './delegate.js';
import { servicePlace, type ServicePlace } from './service-place.js';
import { stateOfService } from './service-status.js';

const LOOK_MS = 100;
/** A first start opens the store, and may migrate it. */
const LOOKS = 300;

export const installService = async (io: Io, args: Arguments): Promise<ExitCode> => {
  const place = servicePlace(io);
  loadConfig(place.paths.config);
  const bin = args.text('bin');
  if (bin !== null) await putLauncher(io, resolve(io.cwd, bin), place.program);
  if (!place.supervisor.isHere()) {
    io.out(
      `no service manager answers here. To keep dripstone running, let your system start this line:\n  ${startLine(place.program)}\n  with cron: @reboot ${startLine(place.program)}\n`,
    );
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
  return await tellStarted(io, place, path);
};

const startLine = ({ node, cli, env }: Program): string =>
  [
    ...Object.entries(env)
      .filter(([name]) => name !== 'PATH')
      .map(([name, value]) => `${name}=${shellWord(value)}`),
    shellWord(node),
    shellWord(cli),
    'start',
  ].join(' ');

/** A file of that name that is not ours stays. */
const putLauncher = async (io: Io, folder: string, program: Program): Promise<void> => {
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
};

/** A daemon in a terminal would make the service fail with exit 12 again and again. */
const refuseByHand = async ({ paths, supervisor }: ServicePlace): Promise<void> => {
  const pid = await daemonOf(paths);
  const state = supervisor.state();
  if (pid === null || state.pid === pid || (state.installed && state.pid === null)) return;
  throw new AppError('DAEMON_BY_HAND', `process ${pid}, a daemon that was not started by the service, holds ${paths.home}`, {
    hint: `stop it (Ctrl-C, or \`kill ${pid}\`), then install again`,
    exitCode: EXIT.daemonRuns,
  });
};

const tellStarted = async (io: Io, place: ServicePlace, file: string): Promise<ExitCode> => {
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
    `dripstone ${service.state === 'running' ? `runs as process ${service.pid ?? '?'}` : 'is starting'}; \`dripstone service status\` tells how it is\n${advice === null ? '' : `note: ${advice}\n`}`,
  );
  return EXIT.done;
};
