/** `dripstone service status`: running, failing, and why. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig, type HomePaths, homeOf, pathsOf, userHomeOf } from '../../config.js';
import { logFile } from '../../log.js';
import { EXIT, type ExitCode, messageOf } from '../../errors.js';
import {
  explainExit,
  FEW_ARENAS,
  type Program,
  keptEnvironment,
} from '../../supervisor/program.js';
import { type SupervisorState, callIn, type Supervisor } from '../../supervisor/supervisor.js';
import { printJson, type Arguments } from '../../command.js';
import { daemonOf } from '../../jobs/upkeep/daemon-note.js';
import type { Io } from '../../io.js';
import { compiledFile } from '../../place.js';
import { launchd } from '../../supervisor/launchd.js';
import { systemd } from '../../supervisor/systemd.js';
import { programFolder } from '../../supervisor/versions.js';
import { parse } from '../../text/fields.js';

/** As in `service status --json`. */
interface ServiceFacts {
  supervisor: string | null;
  installed: boolean;
  state: SupervisorState['state'];
  pid: number | null;
  exit_code: number | null;
  /** One sentence if the service does not run, else null. */
  why: string | null;
  file: string | null;
}

export async function printServiceStatus(io: Io, args: Arguments): Promise<ExitCode> {
  const place = servicePlace(io);
  const facts = await stateOfService(place);
  if (args.flag('json')) printJson(io, { ...facts });
  else {
    const pid = facts.pid === null ? '' : `, process ${facts.pid}`;
    const by = facts.supervisor === null ? '' : ` (${facts.supervisor})`;
    io.out(`${facts.state}${pid}${by}\n${facts.why === null ? '' : `  ${facts.why}\n`}`);
  }
  return EXIT.done;
}

/** The supervisor's state, checked against the daemon's lock. */
export async function stateOfService({
  paths,
  supervisor,
  program,
}: ServicePlace): Promise<ServiceFacts> {
  const isHere = supervisor.isHere();
  const { path } = supervisor.file(program);
  const says: SupervisorState = isHere
    ? supervisor.state()
    : {
        installed: existsSync(path),
        state: existsSync(path) ? 'stopped' : 'not installed',
        pid: null,
        exitCode: null,
        detail: '',
      };
  const holder = await daemonOf(paths);
  const facts: ServiceFacts = {
    supervisor: isHere ? supervisor.name : null,
    installed: says.installed,
    state: says.state,
    pid: says.pid ?? (says.state === 'running' ? holder : null),
    exit_code: says.exitCode,
    why: null,
    file: says.installed ? path : null,
  };
  // The daemon is ready only when it has locked the home.
  if (says.state === 'running' && holder === null) facts.state = 'starting';
  facts.why = facts.state === 'running' ? null : reasonOf(facts, says, holder, isHere, paths);
  return facts;
}

function reasonOf(
  facts: ServiceFacts,
  says: SupervisorState,
  holder: number | null,
  isHere: boolean,
  paths: HomePaths,
): string | null {
  const byHand =
    holder !== null && holder !== says.pid
      ? `process ${holder} was started by hand and uses the home`
      : null;
  if (!isHere)
    return (
      byHand ??
      'no service manager answers here: `dripstone service install` prints the line to add'
    );
  if (facts.state === 'not installed')
    return byHand ?? '`make install` or `dripstone service install` sets it up';
  if (facts.state === 'starting') return 'it has not opened its home yet';
  if (facts.state === 'stopped')
    return byHand ?? `${says.detail}; \`dripstone service install\` starts it`;
  const code =
    says.exitCode === null || says.exitCode === 0
      ? null
      : `exit ${says.exitCode}: ${explainExit(says.exitCode)}`;
  const config = says.exitCode === EXIT.config ? configProblem(paths.config) : null;
  const last = lastError(logFile(paths.logs)) ?? lastError(join(paths.logs, 'launchd.log'));
  return [code ?? says.detail, config, last === null ? null : `last words in its log: ${last}`]
    .filter((part) => part !== null)
    .join('; ');
}

function configProblem(file: string): string | null {
  try {
    loadConfig(file);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

const TAIL = 64 * 1024;

/** The newest error in one of our logs, or null. */
function lastError(path: string): string | null {
  const lines = tailOf(path)
    .split('\n')
    .flatMap((line) => {
      const { level, msg, error, time } = parse(line) as Record<string, string>;
      return level === 'error' || level === 'fatal'
        ? [`${time} ${msg}${error ? `: ${error}` : ''}`]
        : [];
    });
  return lines.at(-1) ?? null;
}

function tailOf(path: string): string {
  if (!existsSync(path)) return '';
  const handle = openSync(path, 'r');
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(TAIL, size));
    readSync(handle, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8');
  } finally {
    closeSync(handle);
  }
}

// Shared by the service commands: this system's supervisor and its program.

export interface ServicePlace {
  paths: HomePaths;
  supervisor: Supervisor;
  program: Program;
  /** Folder of the installed versions. */
  programs: string;
}

export function servicePlace(io: Io): ServicePlace {
  const paths = pathsOf(homeOf(io.env));
  return {
    paths,
    programs: programFolder(process.platform, userHomeOf(io.env), io.env),
    // In a container, or under an init without user services, its `isHere` is false.
    supervisor: (process.platform === 'darwin' ? launchd : systemd)({
      userHome: userHomeOf(io.env),
      env: io.env,
      logs: paths.logs,
      uid: process.getuid?.() ?? 0,
      call: callIn(io.env),
    }),
    program: {
      node: process.execPath,
      cli: compiledFile('cli.js'),
      env: { ...(process.platform === 'linux' ? FEW_ARENAS : {}), ...keptEnvironment(io.env) },
    },
  };
}

/** The folder for the launcher. Expands `~`, since shells do not in `--bin=~/bin`. */
export function launcherFolder(io: Io, bin: string): string {
  return resolve(
    io.cwd,
    bin.replace(/^~(?=\/|$)/, () => userHomeOf(io.env)),
  );
}
