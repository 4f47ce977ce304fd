/** What the service commands share: this system's supervisor, and what it is to start. */
import { homeOf, pathsOf, userHomeOf, type HomePaths } from '../config.js';
import { compiledFile } from '../place.js';
import { callIn } from '../supervisor/call.js';
import { FEW_ARENAS, keptEnvironment, type Program } from '../supervisor/program.js';
import { nativeSupervisor, type Supervisor } from '../supervisor/supervisor.js';
import type { Io } from './command.js';

export interface ServicePlace {
  paths: HomePaths;
  supervisor: Supervisor;
  program: Program;
}

export const servicePlace = (io: Io): ServicePlace => {
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
};
