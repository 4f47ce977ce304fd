/**
 * `dripstone service install`: copies the program into a separate folder and lets a supervisor run
 * the daemon. Repeating it changes nothing.
 */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../config.js';
import { AppError, EXIT, type ExitCode } from '../../errors.js';
import { suggestModel } from '../../jobs/asking/llm-facts.js';
import { shippedFile } from '../../place.js';
import { publishFile, STORE_VERSION } from '../../store/index.js';
import {
  isLauncher,
  LAUNCHER,
  type Program,
  renderLauncher,
  shellWord,
} from '../../supervisor/program.js';
import { copyVersion, keepVersion, type Version } from '../../supervisor/versions.js';
import type { Arguments } from '../../command.js';
import type { Io } from '../../io.js';
import { daemonOf } from '../../jobs/upkeep/daemon-note.js';
import { offerAll } from './offers.js';
import { launcherFolder, servicePlace, type ServicePlace, stateOfService } from './status.js';

const POLL_MS = 100;
/** Long enough for the first start, which may migrate the store. */
const MOST_POLLS = 300;

export async function installService(io: Io, args: Arguments): Promise<ExitCode> {
  if (process.platform === 'win32')
    throw new AppError('NO_SERVICE', 'there is no service on Windows', {
      hint: 'type `dripstone start`, which reads as long as it runs',
    });
  const place = servicePlace(io);
  loadConfig(place.paths.config);
  const bin = args.text('bin');
  const launcher = bin === null ? null : freeLauncher(launcherFolder(io, bin));
  const isHere = place.supervisor.isHere();
  if (isHere) await refuseByHand(place);
  const version = copyVersion(shippedFile(''), place.programs, STORE_VERSION);
  if (isHere) {
    io.out(await startVersion(place, version, io.signal));
    keepVersion(place.programs, version);
    io.out(`program: ${join(place.programs, version.id)}\n`);
  } else await printStartLine(io, place, version);
  if (launcher !== null) await putLauncher(io, launcher, programOf(place, version));
  await offerAll(io, place.paths);
  for (const line of suggestModel({
    ...place,
    env: io.env,
    config: loadConfig(place.paths.config),
  }))
    io.out(`${line}\n`);
  return EXIT.done;
}

function programOf({ program }: ServicePlace, { cli }: Version): Program {
  return { ...program, cli };
}

/** @returns the text to print on success @throws AppError SERVICE_NOT_STARTED or SERVICE_FAILS */
async function startVersion(
  place: ServicePlace,
  version: Version,
  signal: AbortSignal,
): Promise<string> {
  const { path, text } = place.supervisor.file(programOf(place, version));
  await publishFile(path, text);
  const started = place.supervisor.start();
  if (started.code !== 0) {
    throw new AppError(
      'SERVICE_NOT_STARTED',
      `${place.supervisor.name} did not take the service: ${(started.err || started.out).trim() || 'it gave no reason'}`,
      { hint: `the service is described in ${path}; \`dripstone service status\` says more` },
    );
  }
  return await waitUntilRunning(place, path, signal);
}

/** Prints how to start the program without a service manager. */
async function printStartLine(io: Io, place: ServicePlace, version: Version): Promise<void> {
  const program = programOf(place, version);
  const line = `${startLine(program, ['nohup'])} > /dev/null 2>&1 &`;
  const pid = await daemonOf(place.paths);
  // A daemon from an earlier such line may still run an older version.
  if (pid !== null)
    return io.out(`process ${pid} runs; \`kill ${pid}\`, then start this version:\n  ${line}\n`);
  keepVersion(place.programs, version);
  io.out(
    `not running now: no service manager answers here (a container, or a system without user services)\n` +
      `  start it at once: ${line}\n` +
      `  at each start of the system, with cron: @reboot ${startLine(program)}\n`,
  );
}

/** @param by program before node, e.g. `nohup`; variables come first */
function startLine({ node, cli, env }: Program, by: readonly string[] = []): string {
  const variables = Object.entries(env).filter(([name]) => name !== 'PATH');
  const words = [...by, shellWord(node), shellWord(cli), 'start'];
  return [...variables.map(([name, value]) => `${name}=${shellWord(value)}`), ...words].join(' ');
}

/** The launcher's path. @throws AppError if a foreign file has this name */
function freeLauncher(folder: string): string {
  const path = join(folder, LAUNCHER);
  if (existsSync(path) && !isLauncher(readFileSync(path, 'utf8'))) {
    throw new AppError('LAUNCHER_TAKEN', `${path} exists and was not made by dripstone`, {
      hint: 'move it away, or name another folder: `--bin FOLDER`, `make install BINDIR=…`',
    });
  }
  return path;
}

async function putLauncher(io: Io, path: string, program: Program): Promise<void> {
  const folder = dirname(path);
  await publishFile(path, renderLauncher(program));
  chmodSync(path, 0o755);
  io.out(`${path}\n`);
  const onPath = (io.env['PATH'] ?? '')
    .split(delimiter)
    .map((each) => resolve(each))
    .includes(folder);
  if (!onPath)
    io.out(
      `  this folder is not on your PATH yet; add to your shell's profile: export PATH=${shellWord(folder)}:"$PATH"\n`,
    );
}

/** Refuses if a daemon runs in a terminal, since the service would repeatedly fail with exit 12. */
async function refuseByHand({ paths, supervisor }: ServicePlace): Promise<void> {
  const pid = await daemonOf(paths);
  const state = supervisor.state();
  if (pid === null || state.pid === pid || (state.installed && state.pid === null)) return;
  throw new AppError(
    'DAEMON_BY_HAND',
    `process ${pid}, a daemon that was not started by the service, uses ${paths.home}`,
    { hint: `stop it (Ctrl-C, or \`kill ${pid}\`), then install again`, exitCode: EXIT.daemonRuns },
  );
}

async function waitUntilRunning(
  place: ServicePlace,
  file: string,
  signal: AbortSignal,
): Promise<string> {
  let service = await stateOfService(place);
  for (
    let polls = 0;
    polls < MOST_POLLS && service.state === 'starting' && !signal.aborted;
    polls++
  ) {
    await sleep(POLL_MS);
    service = await stateOfService(place);
  }
  if (service.state !== 'running' && service.state !== 'starting') {
    throw new AppError(
      'SERVICE_FAILS',
      `the service is installed and does not run: ${service.why ?? service.state}`,
      { hint: 'cure that, then run `dripstone service install` again' },
    );
  }
  const advice = place.supervisor.advice();
  return (
    `service: ${file}\ndripstone ${service.state === 'running' ? `runs as process ${service.pid ?? '?'}` : 'is starting'}; ` +
    `\`dripstone service status\` says how it is\n${advice === null ? '' : `note: ${advice}\n`}`
  );
}
