/**
 * The daemon's socket: takes one request a connection and answers it, or ends the connection
 * without a word.
 */
import { chmodSync, rmSync, lstatSync, mkdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import {
  MOST_ASKED,
  PATIENCE_MS,
  PRINTED,
  type CommandRequest,
  type Answer,
  type MomentAnswer,
  type Reply,
  readLines,
} from './wire.js';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { App } from '../app.js';
import { messageOf } from '../errors.js';
import { createAnswers } from './answers.js';
import type { Commands } from './commands.js';
import { shortHash } from '../text/fingerprint.js';
import { parseAny } from '../text/fields.js';

/** Questions of hooks: with an answer or silence in time, and those that nobody waited for. */
interface Counts {
  answered: number;
  skipped: number;
}

interface Serving {
  counts?: Counts;
  /** After so long nobody waits for an answer to a hook any more. */
  patienceMs?: number;
  /** Runs a command for another process; without it such a process does that itself. */
  command?: (socket: Socket, asked: CommandRequest) => Promise<void>;
}

interface Listening {
  close(): Promise<void>;
}

/**
 * Requests that are answered at once. More come only when answers take long, and those behind would
 * come too late.
 */
const MOST_AT_ONCE = 8;
/** How long a connection may live: the request, the answer, and the word that it was printed. */
const LIFE_MS = 1000;

/**
 * Listens at a path (mode 0600).
 * @throws when nothing can listen there
 */
export async function listen(
  path: string,
  answer: Answer,
  failed: (error: unknown) => void,
  { patienceMs = PATIENCE_MS, command, counts = { answered: 0, skipped: 0 } }: Serving = {},
): Promise<Listening> {
  const sockets = new Set<Socket>();
  let running = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(LIFE_MS, () => socket.destroy());
    const off = readLines(socket, MOST_ASKED, (line) => {
      off();
      const request = parseAny(line);
      if (isCommand(request))
        return command === undefined
          ? void socket.destroy()
          : void command(socket, request).catch(failed);
      if (request === null) return void socket.destroy();
      const count = (isAnswered: boolean): void => {
        counts[isAnswered ? 'answered' : 'skipped']++;
      };
      if (running >= MOST_AT_ONCE) return void (count(false), socket.destroy());
      running++;
      void serve(socket, request, answer, patienceMs)
        .then(count, (error: unknown) => (count(false), failed(error)))
        .finally(() => running--);
    });
  });
  server.on('error', failed);
  await opened(server, path);
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          rmSync(path, { force: true });
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function opened(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function isCommand(request: unknown): request is CommandRequest {
  const { version, ask } = (request ?? {}) as Partial<CommandRequest>;
  return version === 1 && ask === 'command';
}

/** @returns whether the hook had its answer in time, which may be silence */
async function serve(
  socket: Socket,
  request: unknown,
  answer: Answer,
  patienceMs: number,
): Promise<boolean> {
  const late = setTimeout(() => socket.destroy(), patienceMs);
  try {
    const reply = await answer(request, () => !socket.destroyed);
    clearTimeout(late);
    if (reply === null || socket.destroyed) {
      const isInTime = !socket.destroyed;
      reply?.ended(false);
      socket.end();
      return isInTime;
    }
    const printed = isPrinted(socket);
    socket.write(`${JSON.stringify(toldOf(reply))}\n`);
    const isInTime = await printed;
    reply.ended(isInTime);
    return isInTime;
  } catch (error) {
    clearTimeout(late);
    socket.destroy();
    throw error;
  }
}

function toldOf({ text, deny }: Reply): MomentAnswer {
  return { version: 1, text, ...(deny === true && { deny }) };
}

/** Whether the hook says that it printed the answer, before its connection ends. */
function isPrinted(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    let said = '';
    socket.on('data', (part: Buffer) => {
      said += part.toString('latin1').slice(0, PRINTED.length);
      if (said.startsWith(PRINTED)) resolve(true);
    });
    socket.on('close', () => resolve(false));
  });
}

// The daemon's socket, in the home or a folder of this user's: hooks and commands ask there.

/** Of the time that a hook waits: the rest is enough for an answer without the database. */
const FOR_DATABASE_MS = 100;

/**
 * @param counts counted up with each question of a hook
 * @returns the socket's path; null where there is none (Windows, or it cannot be made), which costs
 * hooks and speed alone
 */
export async function serveSocket(
  app: App,
  commands: Commands | null,
  counts?: Counts,
): Promise<string | null> {
  const uid = process.getuid?.();
  if (uid === undefined) return null;
  const path = socketPath(app.paths.home, tmpdir(), uid);
  const failed = (error: unknown): void =>
    app.log.warn({ error: messageOf(error) }, 'a request at the socket got no answer');
  try {
    const why = prepareSocket(path, dirname(path), uid);
    if (why !== null) throw new Error(why);
    const listening = await listen(path, createAnswers(app, FOR_DATABASE_MS), failed, {
      ...(counts && { counts }),
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
function socketPath(home: string, temp: string, uid: number): string {
  const own = join(home, 'daemon.sock');
  if (Buffer.byteLength(own) <= MOST_BYTES) return own;
  const name = shortHash(home, 16);
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
