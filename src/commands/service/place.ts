/** Shared by the service commands: this system's supervisor, and the program that it starts. */
import { resolve } from 'node:path';
import { type HomePaths, homeOf, pathsOf, userHomeOf } from '../../config.js';
import { compiledFile } from '../../place.js';
import { launchd } from '../../supervisor/launchd.js';
import { FEW_ARENAS, type Program, keptEnvironment } from '../../supervisor/program.js';
import { callIn, type Supervisor } from '../../supervisor/supervisor.js';
import { systemd } from '../../supervisor/systemd.js';
import { programFolder } from '../../supervisor/versions.js';
import type { Io } from '../../io.js';

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

/** The folder for the launcher; `--bin=~/bin` is expanded by no shell. */
export function launcherFolder(io: Io, bin: string): string {
  return resolve(
    io.cwd,
    bin.replace(/^~(?=\/|$)/, () => userHomeOf(io.env)),
  );
}
