/**
 * The daemon's socket: takes one request a connection and answers it, or ends the connection
 * without a word.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import {
  MOST_ASKED,
  PATIENCE_MS,
  PRINTED,
  type CommandRequest,
  type MomentAnswer,
  readLines,
} from './wire.js';

/** What to print, and what to do once it is known whether the hook printed it. */
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

interface Serving {
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
  { patienceMs = PATIENCE_MS, command }: Serving = {},
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
      const request = parsed(line);
      if (isCommand(request))
        return command === undefined
          ? void socket.destroy()
          : void command(socket, request).catch(failed);
      if (running >= MOST_AT_ONCE || request === null) return void socket.destroy();
      running++;
      void serve(socket, request, answer, patienceMs)
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

/** Null for what is no JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isCommand(request: unknown): request is CommandRequest {
  const { version, ask } = (request ?? {}) as Partial<CommandRequest>;
  return version === 1 && ask === 'command';
}

async function serve(
  socket: Socket,
  request: unknown,
  answer: Answer,
  patienceMs: number,
): Promise<void> {
  const late = setTimeout(() => socket.destroy(), patienceMs);
  try {
    const reply = await answer(request, () => !socket.destroyed);
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
