/** The folder of a dataset, which other writers' datasets may share. */
import {
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { AppError, EXIT, messageOf } from '../../errors.js';
import { faultKind } from '../../store/index.js';
import { manifestPath } from './plan.js';

/** Mode of new folders: the same as the dataset's own, so that a team may share one. */
export function modeOf(folder: string): number {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory())
    throw new AppError('NO_FOLDER', `${folder} is a file`, {
      hint: 'name a folder',
      exitCode: EXIT.usage,
    });
  return stat ? stat.mode & 0o7777 : 0o700;
}

export function interrupted(folder: string): AppError {
  return new AppError(
    'INTERRUPTED',
    `interrupted: ${folder} can be read, but part of the data is not written yet`,
    { hint: 'the same command continues', exitCode: EXIT.interrupted },
  );
}

/** Turns an error of the disk into one that names the file; errors of the store pass unchanged. */
export function notWritten(path: string, error: unknown): unknown {
  const kind = faultKind(error);
  if (kind === 'disk-full')
    return new AppError('DISK_FULL', `no space left on the disk of ${path}`, {
      hint: 'free some space and run the same command again: it continues; what was written stays',
      cause: error,
    });
  // A folder that cannot take files, such as one below /proc or a stale mount, answers ENOENT.
  if (kind !== 'not-writable' && (error as NodeJS.ErrnoException).syscall !== 'mkdir') return error;
  return new AppError('NOT_WRITTEN', `${path} cannot be written: ${messageOf(error)}`, {
    hint: 'name a folder that is writable',
    cause: error,
  });
}

/**
 * Checks the path of a file: others may write to a shared folder, and a link in place of one of our
 * folders would redirect our writes and removals.
 * @returns the file's absolute path
 * @throws AppError naming a link between the dataset and the file
 */
export function placeOf(dataset: string, path: string): string {
  const parts = path.split('/');
  for (let at = 1; at <= parts.length; at++) {
    const each = join(dataset, ...parts.slice(0, at));
    if (lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new AppError('DATASET_LINK', `${each} is a link, which is not followed`, {
        hint: 'find out which program created it, remove it, and run the same command again',
      });
  }
  return join(dataset, ...parts);
}

/**
 * The text of a file that others may write; null if there is none. @throws AppError if it is not a
 * regular file: a pipe never ends
 */
export function textOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile() || found.size > MOST_MANIFEST)
    throw new AppError('NO_MANIFEST', `${path} is no manifest of a dataset`, {
      hint: 'find out which program created it, remove it, and run the same command again: it writes everything again',
    });
  return readFileSync(path, 'utf8');
}

/** A manifest of 100,000 files is 30 MB. */
const MOST_MANIFEST = 256 * 1024 * 1024;

/** Files of one writer on disk, whatever a manifest says. */
export function ownFiles(dataset: string, writer: string): string[] {
  const below = (folder: string, start: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.startsWith(start))
          .map((name) => placeOf(folder, name))
      : [];
  return below(dataset, 'table=')
    .flatMap((table) => below(table, 'month='))
    .flatMap((month) => below(month, 'project='))
    .flatMap((project) => below(placeOf(project, `writer=${writer}`), 'part-'))
    .map((path) => relative(dataset, path).split(sep).join('/'));
}

/** Removes a file and the folders that become empty. @returns whether the file existed */
export function removeFile(dataset: string, path: string): boolean {
  const file = placeOf(dataset, path);
  const wasThere = existsSync(file);
  rmSync(file, { force: true });
  for (let each = dirname(file); each.length > dataset.length; each = dirname(each)) {
    try {
      rmdirSync(each);
    } catch {
      break; // The folder contains another writer's files.
    }
  }
  return wasThere;
}

/**
 * Removes temporary files of ours from a killed run: while we hold the lock nobody else writes any.
 */
export function sweepTemps(dataset: string, writer: string, pending: readonly string[]): void {
  const folders = new Set(
    [...pending, manifestPath(writer)].map((path) => dirname(placeOf(dataset, path))),
  );
  for (const folder of folders)
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (name.endsWith('.tmp') && (name.startsWith('.part-') || name.startsWith(`.${writer}.`)))
        rmSync(join(folder, name));
}
