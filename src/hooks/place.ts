/**
 * Where the daemon's socket lies: in the home, or in a folder of this user's when the home's path
 * is too long for one.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The kernel's limit is 104 bytes on macOS and 108 on Linux, the ending zero included. */
const MOST_BYTES = 103;

/**
 * The socket's path; the same home always has the same. Pure.
 * @param temp the system's folder for temporary files
 */
export function socketPath(home: string, temp: string, uid: number): string {
  const own = join(home, 'daemon.sock');
  if (Buffer.byteLength(own) <= MOST_BYTES) return own;
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  return join(temp, `dripstone-${uid}`, `${name}.sock`);
}

/**
 * Makes the folder if it is not there, and takes away the socket of a daemon that was killed: the
 * home's lock says that there is no other daemon.
 * @returns why no socket may lie in this folder; null when it may
 */
export function prepareSocket(path: string, folder: string, uid: number): string | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  // Others may write into the system's folder: a link or a folder of theirs would lead hooks to a
  // program of theirs.
  if (!found.isDirectory() || found.uid !== uid) return `${folder} is not a folder of this user`;
  chmodSync(folder, 0o700);
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (old !== undefined && !old.isSocket()) return `${path} is there and is no socket`;
  rmSync(path, { force: true });
  return null;
}
