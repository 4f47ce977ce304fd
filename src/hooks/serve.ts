/** The daemon's socket, in the home or a folder of this user's: hooks and commands ask there. */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { App } from '../app.js';
import { messageOf } from '../errors.js';
import { createAnswers } from './answers.js';
import type { Commands } from './commands.js';
import { listen } from './server.js';

/** Of the time that a hook waits: the rest is enough for an answer without the database. */
const FOR_DATABASE_MS = 100;

/**
 * @returns the socket's path; null where there is none (Windows, or it cannot be made), which costs
 * hooks and speed alone
 */
export async function serveSocket(app: App, commands: Commands | null): Promise<string | null> {
  const uid = process.getuid?.();
  if (uid === undefined) return null;
  const path = socketPath(app.paths.home, tmpdir(), uid);
  const failed = (error: unknown): void =>
    app.log.warn({ error: messageOf(error) }, 'a request at the socket got no answer');
  try {
    const why = prepareSocket(path, dirname(path), uid);
    if (why !== null) throw new Error(why);
    const listening = await listen(path, createAnswers(app, FOR_DATABASE_MS), failed, {
      ...(commands !== null && { command: (socket, asked) => commands.serve(socket, asked) }),
    });
    app.defer(() => listening.close());
    return path;
  } catch (error) {
    app.log.warn(
      { error: messageOf(error) },
      'hooks get no answers and commands run in their own process: the socket could not be opened',
    );
    return null;
  }
}

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
