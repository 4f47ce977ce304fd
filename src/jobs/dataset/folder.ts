/** The folder that a dataset lies in, and perhaps other writers' datasets with it. */
import { existsSync, lstatSync, readFileSync, readdirSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { AppError, EXIT, messageOf } from '../../errors.js';
import { faultKind } from '../../store/index.js';
import { manifestPath } from './plan.js';

/** Mode of new folders: as open as the dataset's own, so that a team may share one. */
export function modeOf(folder: string): number {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory())
    throw new AppError('NO_FOLDER', `${folder} is a file`, { hint: 'name a folder', exitCode: EXIT.usage });
  return stat ? stat.mode & 0o7777 : 0o700;
}

export function interrupted(folder: string): AppError {
  return new AppError('INTERRUPTED', `interrupted: ${folder} can be read, and misses what was not written yet`, {
    hint: 'the same command goes on',
    exitCode: EXIT.interrupted,
  });
}

/** What the disk refused, by the file it was about; what the store says is told by the store. */
export function notWritten(path: string, error: unknown): unknown {
  const kind = faultKind(error);
  if (kind === 'disk-full')
    return new AppError('DISK_FULL', `no space left on the disk of ${path}`, {
      hint: 'free some space and run the same command again: it goes on; what was written stays',
      cause: error,
    });
  // A folder that takes none, such as one below /proc or a stale mount, answers that it is not there.
  if (kind !== 'not-writable' && (error as NodeJS.ErrnoException).syscall !== 'mkdir') return error;
  return new AppError('NOT_WRITTEN', `${path} cannot be written: ${messageOf(error)}`, {
    hint: 'name a folder that is writable',
    cause: error,
  });
}

/**
 * Others may write to a shared folder: a link that was laid in the place of one of our folders would lead what we write, and what
 * we remove, elsewhere.
 * @returns where the file lies
 * @throws AppError naming a link between the dataset and the file
 */
export function placeOf(dataset: string, path: string): string {
  const parts = path.split('/');
  for (let at = 1; at <= parts.length; at++) {
    const each = join(dataset, ...parts.slice(0, at));
    if (lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new AppError('DATASET_LINK', `${each} is a link, which is not followed`, {
        hint: 'see who laid it there, remove it, and run the same command again',
      });
  }
  return join(dataset, ...parts);
}

/** The text of a file that others can write; null where there is none. @throws AppError for what is no file: a pipe never ends */
export function textOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile() || found.size > MOST_MANIFEST)
    throw new AppError('NO_MANIFEST', `${path} is no manifest of a dataset`, {
      hint: 'see who laid it there, remove it and run the same command again: everything is written anew',
    });
  return readFileSync(path, 'utf8');
}

/** One of 100,000 files is 30 MB. */
const MOST_MANIFEST = 256 * 1024 * 1024;

/** Files of one writer, whatever a manifest says. */
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

/** @returns whether there was such a file; folders that are empty then go too */
export function removeFile(dataset: string, path: string): boolean {
  const file = placeOf(dataset, path);
  const wasThere = existsSync(file);
  rmSync(file, { force: true });
  for (let each = dirname(file); each.length > dataset.length; each = dirname(each)) {
    try {
      rmdirSync(each);
    } catch {
      break; // Another writer's files are in it.
    }
  }
  return wasThere;
}

/** Takes away temporary files of ours that a killed run left: while we hold the lock nobody writes any. */
export function sweepTemps(dataset: string, writer: string, pending: readonly string[]): void {
  const folders = new Set([...pending, manifestPath(writer)].map((path) => dirname(placeOf(dataset, path))));
  for (const folder of folders)
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (name.endsWith('.tmp') && (name.startsWith('.part-') || name.startsWith(`.${writer}.`))) rmSync(join(folder, name));
}
