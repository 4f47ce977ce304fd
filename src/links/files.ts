/**
 * Changes files of other programs: replaces them whole, keeps their permissions and links, and
 * changes all of them or none.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError, messageOf } from '../errors.js';

export interface OtherFile {
  /** The path that agents open. */
  path: string;
  /** The path behind symbolic links. */
  real: string;
  /** Null when there is no such file. */
  bytes: Buffer | null;
}

export interface Change {
  file: OtherFile;
  /** Null removes the file. */
  after: Buffer | null;
}

/** A larger file is no instruction file, since agents read instruction files into every session. */
const READ_CAP = 4 * 1024 * 1024;
const NEW_MODE = 0o644;

/** An error about a file of another program; nothing was changed. */
export function refuse(path: string, problem: string, hint: string): AppError {
  return new AppError('FILE_REFUSED', `${path} ${problem}`, {
    hint: `${hint}; nothing was changed`,
  });
}

/** @throws AppError that names the file, if it exists but cannot be read or is no text file */
export function lookAtOther(path: string): OtherFile {
  if (!isThere(path)) return { path, real: path, bytes: null };
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    throw refuse(path, 'is a broken link', 'remove the link or restore its target');
  }
  const stat = statSync(real);
  if (!stat.isFile()) throw refuse(path, 'is not a file', 'move it away');
  if (stat.size > READ_CAP)
    throw refuse(
      path,
      `is larger than ${READ_CAP / 1048576} MiB`,
      'add the line by hand (`dripstone link --print`)',
    );
  const bytes = readOrRefuse(path, real);
  if (bytes.includes(0))
    throw refuse(
      path,
      'is not UTF-8 text',
      'save it as UTF-8, or add the line by hand (`dripstone link --print`)',
    );
  return { path, real, bytes };
}

/** Like `lookAtOther`, but null for a folder, a dangling link or a binary file. */
export function lookIfFit(path: string): OtherFile | null {
  try {
    return lookAtOther(path);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The file's text; undefined if there is no file, null if its bytes are not UTF-8. */
export function utf8Of({ bytes }: OtherFile): string | null | undefined {
  if (bytes === null) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

/** Whether the path exists. False if a file is in place of a folder: writing reports this. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw error;
  }
}

function readOrRefuse(path: string, real: string): Buffer {
  try {
    return readFileSync(real);
  } catch (cause) {
    throw refuse(
      path,
      `cannot be read: ${messageOf(cause)}`,
      'give yourself permission to read it',
    );
  }
}

/**
 * Checks all changes before it writes, and takes all of them back if one fails. @returns folders
 * that were made
 */
export function changeAll(changes: readonly Change[]): string[] {
  for (const change of changes) assertWritable(change);
  const done: Change[] = [];
  const made: string[] = [];
  try {
    for (const change of changes) {
      made.push(...replace(change));
      done.push(change);
    }
    return made;
  } catch (cause) {
    for (const { file, after } of done.reverse())
      replace({ file: { ...file, bytes: after }, after: file.bytes });
    removeEmpty(made);
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'FILE_NOT_WRITTEN',
      `an instruction file could not be written: ${messageOf(cause)}`,
      { hint: 'free some space or give yourself permission; nothing was changed', cause },
    );
  }
}

function assertWritable({ file: { path, real, bytes } }: Change): void {
  const folder = nearestFolder(dirname(real));
  try {
    if (bytes !== null) accessSync(real, constants.W_OK);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    throw refuse(path, 'cannot be written', 'make it and its folder writable');
  }
  // Root may write everything, so check whether the owner protected the file.
  if (bytes !== null && (statSync(real).mode & 0o222) === 0)
    throw refuse(path, 'is read-only', `\`chmod u+w ${real}\` if you want it changed`);
}

function nearestFolder(folder: string): string {
  if (!isThere(folder) && dirname(folder) !== folder) return nearestFolder(dirname(folder));
  if (!statSync(folder).isDirectory()) throw refuse(folder, 'is not a folder', 'move it away');
  return folder;
}

/** @returns folders that were made for the file, outermost first */
function replace({ file: { path, real, bytes }, after }: Change): string[] {
  const now = lookAtOther(path);
  if (now.bytes === null ? bytes !== null : bytes === null || !now.bytes.equals(bytes))
    throw refuse(path, 'was changed by somebody else just now', 'try again');
  if (after === null) {
    unlinkSync(real);
    return [];
  }
  const made = makeFolders(dirname(real));
  const old = statSync(real, { throwIfNoEntry: false });
  const temp = join(
    dirname(real),
    `.${basename(real)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`,
  );
  try {
    writeTemp(temp, after, old);
    renameSync(temp, real);
  } catch (error) {
    rmSync(temp, { force: true });
    removeEmpty(made);
    throw error;
  }
  syncFolder(dirname(real));
  return made;
}

function writeTemp(
  temp: string,
  bytes: Buffer,
  old: { mode: number; uid: number; gid: number } | undefined,
): void {
  const handle = openSync(temp, 'wx', 0o600);
  try {
    writeFileSync(handle, bytes);
    const mine = statSync(temp);
    if (old && (old.uid !== mine.uid || old.gid !== mine.gid)) fchownSync(handle, old.uid, old.gid);
    fchmodSync(handle, old ? old.mode & 0o7777 : NEW_MODE);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function makeFolders(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })) return [];
  const above = makeFolders(dirname(folder));
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  return [...above, folder];
}

/** A rename is durable only after a sync of the folder; some systems cannot open a folder. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    fsyncSync(handle);
    closeSync(handle);
  } catch {
    // this file system cannot sync folders
  }
}

/** Removes empty folders, innermost first. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch {
      // not empty or already gone
    }
  }
}
