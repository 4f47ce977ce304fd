/** What `status --check --fix` does: only what is safe while other processes use the home. */
import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import type { HomePaths } from '../../config.js';
import { counted } from '../../text/amounts.js';
import { namedDaemon, readDaemon } from './daemon-note.js';
import { openPaths } from './status-rows.js';
import { sweepHome } from './sweep.js';

/** @returns one sentence for each thing that was cured */
export async function cureHome(paths: HomePaths): Promise<string[]> {
  if (!existsSync(paths.home)) return [];
  const done = [...makeFolders(paths), ...shutModes(paths.home)];
  const swept = await sweepHome(paths);
  if (swept > 0)
    done.push(`removed ${counted(swept, 'temporary file')} of processes that are gone`);
  if (namedDaemon(paths) !== null && readDaemon(paths) === null) {
    rmSync(paths.daemon, { force: true });
    done.push(`removed ${paths.daemon}: the daemon that it named is gone`);
  }
  return done;
}

function makeFolders(paths: HomePaths): string[] {
  return [paths.logs, paths.inbox, paths.global, paths.projects]
    .filter((folder) => !existsSync(folder))
    .map((folder) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return `made ${folder}`;
    });
}

function shutModes(home: string): string[] {
  return openPaths(home).map((path) => {
    chmodSync(path, statSync(path).mode & 0o700);
    return `${path} is yours alone now`;
  });
}
