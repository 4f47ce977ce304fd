/**
 * The daemon's socket, in the home or in a folder of this user. Each connection has one request;
 * the function for its kind answers it. Without an answer the connection ends without a line.
 */
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '../errors.js';
import { parse, type Json } from '../text/fields.js';
import { shortHash } from '../text/fingerprint.js';
import { MOST_ASKED, PIPE, readLines, say } from '../wire.js';

/** The other end of a connection. */
export interface Asker {
  socket: Socket;
  /** @returns whether the asker received the line */
  say(line: object): Promise<boolean>;
  /** Aborted when the connection ends. */
  signal: AbortSignal;
}

/** Answers one request. The connection ends when the promise resolves. */
export type Serve = (asked: Json, asker: Asker) => Promise<void>;

/** Functions by the `ask` of a request. */
export type Kinds = Readonly<Record<string, Serve>>;

interface Listening {
  path: string;
  close(): Promise<void>;
}

/** The kernel's limits are 104 bytes on macOS and 108 on Linux, with the final zero. */
const MOST_BYTES = 103;
/** How long a connection may live without a request. */
const LIFE_MS = 1000;

/**
 * Listens at a path (mode 0600).
 * @throws if nothing can listen there
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
 * Listens in the home, else in this user's temporary folder: the home's path may be too long, or
 * its file system may not allow sockets.
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

/** Possible paths of a home's socket, always the same; the best is first. */
function socketPaths(home: string, user: number | string): string[] {
  const name = shortHash(`${user} ${home}`, 16);
  if (process.platform === 'win32') return [PIPE + name];
  return [join(home, 'daemon.sock'), join(tmpdir(), `dripstone-${user}`, `${name}.sock`)];
}

/**
 * Makes the folder if it is missing, and removes the socket of a killed daemon. The home's lock
 * proves that no other daemon runs.
 * @returns why no socket can be there; null if it can
 */
export function prepareSocket(path: string): string | null {
  if (Buffer.byteLength(path) > MOST_BYTES) return `${path} is too long for a socket`;
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  // Others can write into the system's folder: their link or folder could lead hooks to their
  // program.
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    return `${folder} is not a folder of this user`;
  chmodSync(folder, 0o700);
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (old !== undefined && !old.isSocket()) return `${path} exists and is not a socket`;
  rmSync(path, { force: true });
  return null;
}
