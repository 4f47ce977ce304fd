/** What `status --check --fix` does: only what is safe while other processes use the home. */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../../config.js';
import { counted } from '../../text/amounts.js';
import { namedDaemon, readDaemon } from './daemon-note.js';
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

/**
 * Links are left as they are, since what they lead to is not ours, and config.yaml is the person's.
 */
function shutModes(home: string): string[] {
  if (process.platform === 'win32') return [];
  return [
    home,
    ...readdirSync(home)
      .filter((name) => name !== 'config.yaml')
      .map((name) => join(home, name)),
  ].flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat || stat.isSymbolicLink() || (stat.mode & 0o077) === 0) return [];
    chmodSync(path, stat.mode & 0o700);
    return [`${path} is yours alone now`];
  });
}
