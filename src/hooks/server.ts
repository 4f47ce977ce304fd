/** The daemon's socket: takes one request a connection and answers it, or ends the connection without a word. */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { MOST_ASKED, PATIENCE_MS, PRINTED, type Told } from './asked.js';

/** What is told, and what to do once it is known whether the hook printed it. */
export interface Reply {
  text: string;
  /** The command or edit is refused, for the reason that `text` gives. */
  deny?: boolean;
  ended(isPrinted: boolean): void;
}

/**
 * @param isWanted false once nobody waits any more: what is left to do is in vain
 * @returns null for silence
 */
export type Answer = (request: unknown, isWanted: () => boolean) => Promise<Reply | null>;

interface Listening {
  close(): Promise<void>;
}

/** Requests that are answered at once. More come only when answers take long, and those behind would come too late. */
const MOST_AT_ONCE = 8;
/** How long a connection may live: the request, the answer, and the word that it was printed. */
const LIFE_MS = 1000;

/**
 * Listens at a path (mode 0600).
 * @param patienceMs after which nobody waits for an answer any more
 * @throws when nothing can listen there
 */
export async function listen(
  path: string,
  answer: Answer,
  failed: (error: unknown) => void,
  patienceMs = PATIENCE_MS,
): Promise<Listening> {
  const sockets = new Set<Socket>();
  let running = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(LIFE_MS, () => socket.destroy());
    readLine(socket, (line) => {
      if (running >= MOST_AT_ONCE) return void socket.destroy();
      running++;
      void serve(socket, line, answer, patienceMs)
        .catch(failed)
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

/** The first line that a connection sends. A longer one than allowed ends it. */
function readLine(socket: Socket, take: (line: string) => void): void {
  let [parts, size]: [Buffer[], number] = [[], 0];
  const read = (part: Buffer): void => {
    const end = part.indexOf(0x0a);
    size += part.length;
    parts.push(end < 0 ? part : part.subarray(0, end));
    if (size > MOST_ASKED) return void socket.destroy();
    if (end < 0) return;
    socket.off('data', read);
    take(Buffer.concat(parts).toString('utf8'));
    parts = [];
  };
  socket.on('data', read);
}

async function serve(socket: Socket, line: string, answer: Answer, patienceMs: number): Promise<void> {
  const late = setTimeout(() => socket.destroy(), patienceMs);
  try {
    const reply = await answer(JSON.parse(line), () => !socket.destroyed);
    clearTimeout(late);
    if (reply === null || socket.destroyed) {
      reply?.ended(false);
      socket.end();
      return;
    }
    const printed = isPrinted(socket);
    socket.write(`${JSON.stringify(toldOf(reply))}\n`);
    reply.ended(await printed);
  } catch (error) {
    clearTimeout(late);
    socket.destroy();
    if (!(error instanceof SyntaxError)) throw error;
  }
}

function toldOf({ text, deny }: Reply): Told {
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
