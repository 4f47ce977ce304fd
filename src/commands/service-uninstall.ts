/** `dripstone service uninstall`: stops and forgets the service; what was remembered stays unless it is asked away. */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import { isLauncher, launcherName } from '../supervisor/launcher.js';
import { removeEmpty } from '../links/files.js';
import type { Arguments, Io } from './command.js';
import { daemonOf } from './delegate.js';
import { servicePlace } from './service-place.js';
import { everyRepo, unlink } from './unlink.js';

export const uninstallService = async (io: Io, args: Arguments): Promise<ExitCode> => {
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
};

const removeLauncher = (io: Io, path: string): void => {
  if (!existsSync(path) || !isLauncher(readFileSync(path, 'utf8'))) return;
  rmSync(path);
  io.out(`removed ${path}\n`);
};

/** What we make in a home, by name: `DRIPSTONE_HOME` may be a folder that holds other things too. */
const OURS =
  /^(?:config\.yaml|memory\.duckdb.*|daemon\.json|daemon\.lock\.duckdb.*|redact\.key|uses\.jsonl.*|purged\.txt|links\.json|logs|nudges|inbox|global|projects|llm|\..*\.tmp)$/;

const purgeHome = (io: Io, home: string, pid: number | null): void => {
  if (pid !== null)
    throw new AppError('DAEMON_RUNS', `nothing was deleted: process ${pid} works in ${home}`, {
      hint: `\`kill ${pid}\`, then uninstall again`,
      exitCode: EXIT.daemonRuns,
    });
  if (!existsSync(home)) return;
  for (const name of readdirSync(home).filter((each) => OURS.test(each))) rmSync(join(home, name), { recursive: true });
  removeEmpty([home]);
  io.out(existsSync(home) ? `deleted what was ours in ${home}; other files are left there\n` : `deleted ${home}\n`);
};
