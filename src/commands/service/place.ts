/** What the service commands share: this system's supervisor, and what it is to start. */
import { type HomePaths, homeOf, pathsOf, userHomeOf } from '../../config.js';
import { compiledFile } from '../../place.js';
import { callIn, type Supervisor } from '../../supervisor/supervisor.js';
import { nativeSupervisor } from '../../supervisor/native.js';
import { FEW_ARENAS, type Program, keptEnvironment } from '../../supervisor/program.js';
import type { Io } from '../command.js';

export interface ServicePlace {
  paths: HomePaths;
  supervisor: Supervisor;
  program: Program;
}

export function servicePlace(io: Io): ServicePlace {
  const paths = pathsOf(homeOf(io.env));
  return {
    paths,
    supervisor: nativeSupervisor({
      platform: process.platform,
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
