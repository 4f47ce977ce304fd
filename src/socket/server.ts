/**
 * The daemon's socket, in the home or a folder of this user's: one request a connection, which the
 * function for its kind answers. What has no answer is a connection that ends without a word.
 */
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '../errors.js';
import { parse, type Json } from '../text/fields.js';
import { shortHash } from '../text/fingerprint.js';
import { MOST_ASKED, PIPE, readLines, say } from '../wire.js';

/** The other side of a connection. */
export interface Asker {
  socket: Socket;
  /** @returns whether the asker was there to take the line */
  say(line: object): Promise<boolean>;
  /** Aborted when the connection ends. */
  signal: AbortSignal;
}

/** Answers one request; the connection ends when it resolves. */
export type Serve = (asked: Json, asker: Asker) => Promise<void>;

/** By `ask` of the request. */
export type Kinds = Readonly<Record<string, Serve>>;

interface Listening {
  path: string;
  close(): Promise<void>;
}

/** The kernel's limit is 104 bytes on macOS and 108 on Linux, the ending zero included. */
const MOST_BYTES = 103;
/** How long a connection may live without a request. */
const LIFE_MS = 1000;

/**
 * Listens at a path (mode 0600).
 * @throws when nothing can listen there
 */
export async function listen(
  path: string,
  kinds: Kinds,
  failed: (error: unknown) => void,
): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const gone = new AbortController();
    sockets.add(socket);
    socket.on('close', () => (sockets.delete(socket), gone.abort()));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(LIFE_MS, () => socket.destroy());
    const off = readLines(socket, MOST_ASKED, (line) => {
      off();
      const asked = parse(line);
      const kind = String(asked['ask']);
      if (asked['version'] !== 1 || !Object.hasOwn(kinds, kind)) return void socket.destroy();
      socket.setTimeout(0);
      const asker = { socket, say: (each: object) => say(socket, each), signal: gone.signal };
      void kinds[kind]!(asked, asker)
        .catch(failed)
        .finally(() => socket.setTimeout(LIFE_MS).end());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.removeAllListeners('error').on('error', failed);
  const isFile = process.platform !== 'win32';
  if (isFile) chmodSync(path, 0o600);
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          if (isFile) rmSync(path, { force: true });
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/**
 * Listens in the home, else in this user's folder for temporary files: the home's path may be too
 * long, or lie where no socket can be.
 * @throws why neither works
 */
export async function openSocket(
  home: string,
  kinds: Kinds,
  failed: (error: unknown) => void,
): Promise<Listening> {
  const reasons: string[] = [];
  for (const path of socketPaths(home, process.getuid?.() ?? userInfo().username))
    try {
      const why = path.startsWith(PIPE) ? null : prepareSocket(path);
      if (why === null) return await listen(path, kinds, failed);
      reasons.push(why);
    } catch (error) {
      reasons.push(messageOf(error));
    }
  throw new Error(reasons.join('; '));
}

/** Where a home's socket may be: always the same, the best place first. */
function socketPaths(home: string, user: number | string): string[] {
  const name = shortHash(`${user} ${home}`, 16);
  if (process.platform === 'win32') return [PIPE + name];
  return [join(home, 'daemon.sock'), join(tmpdir(), `dripstone-${user}`, `${name}.sock`)];
}

/**
 * Makes the folder if it is not there, and takes away the socket of a daemon that was killed: the
 * home's lock says that there is no other daemon.
 * @returns why no socket may lie there; null when it may
 */
export function prepareSocket(path: string): string | null {
  if (Buffer.byteLength(path) > MOST_BYTES) return `${path} is too long for a socket`;
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  // Others may write into the system's folder: a link or a folder of theirs would lead hooks to a
  // program of theirs.
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    return `${folder} is not a folder of this user`;
  chmodSync(folder, 0o700);
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (old !== undefined && !old.isSocket()) return `${path} is there and is no socket`;
  rmSync(path, { force: true });
  return null;
}
