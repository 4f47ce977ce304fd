/**
 * Messages over the daemon's socket, as lines of JSON: one request per connection, then the
 * daemon's answers. The hook program loads this file, so it imports only modules of Node.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { isAbsolute, join } from 'node:path';
import type { Caller, HookMoment } from './types.js';

export interface MomentRequest {
  version: 1;
  ask: 'recall';
  type: HookMoment;
  /**
   * The prompt, command, or path of a file; after a failure the failed command; at the end of a
   * turn the agent's last message.
   */
  text: string;
  /** Output of the failed command. */
  output: string | null;
  /** The session's working folder. */
  cwd: string | null;
  /** The agent's own id of the session. */
  session: string | null;
  agent: string;
}

/** An answer with text; without an answer the connection ends without a line. */
export interface MomentAnswer {
  version: 1;
  text: string;
  /** The person set a guard to deny: the command or edit is refused for this reason. */
  deny?: boolean;
}

/** The text to print, and a function to call when it is known whether the hook printed it. */
export interface Reply extends Omit<MomentAnswer, 'version'> {
  ended(isPrinted: boolean): void;
}

/** Null means no answer. */
export type Answer = (request: unknown) => Promise<Reply | null>;

/** Longest request, in bytes; a longer one gets no answer. */
export const MOST_ASKED = 1024 * 1024;
/** Longest line, in bytes, for a hook, and below for a command. */
const MOST_FOR_HOOK = 256 * 1024;
const MOST_FOR_COMMAND = 256 * 1024 * 1024;
/** How long a hook waits for an answer, in milliseconds. */
export const PATIENCE_MS = 150;
/** A hook sends this after it has printed the answer; only then the answer counts as shown. */
export const PRINTED = 'printed\n';

/** A reading command from another process, which the daemon runs with its loaded data. */
export interface CommandRequest {
  version: 1;
  ask: 'command';
  /** Version of the asking program; the daemon must have the same. */
  program: string;
  argv: string[];
  cwd: string;
  caller: Caller;
  /** The variables of {@link SENT} that are set. */
  env: Record<string, string>;
  screen: { columns: number; rows: number } | null;
  outIsTerminal: boolean;
}

/** Variables that change a command's output. Others may contain secrets, so they are not sent. */
export const SENT = ['NO_COLOR', 'TERM', 'HOME', 'USERPROFILE', 'TZ', 'CLAUDE_CONFIG_DIR'] as const;

/**
 * Messages of the daemon while it runs a command. `taken` is first; without it the asking process
 * runs the command itself.
 */
export type CommandMessage =
  | { taken: true }
  | { out: string }
  | { err: string }
  | { paint: string }
  /** The command reads standard input, so its lines must be sent. */
  | { lines: true }
  | { code: number };

/** A line of standard input, or its end. */
export type CommandInput = { line: string } | { end: true };

/** Work with changes, which the daemon does in its queue. */
export interface WorkRequest {
  version: 1;
  ask: 'work';
  /** As in `CommandRequest`. */
  program: string;
  /** Equal in a repeated request, so that the work is not done twice. */
  id: string;
  /** `Request` of src/jobs/requests.ts. */
  request: object;
}

/** `taken` is first, then signs of life until the answer. */
export type WorkMessage = { taken: true } | { alive: true } | { answer: object };

/** The daemon closes the database, says `free`, and opens it when this connection ends. */
export interface ReleaseRequest {
  version: 1;
  ask: 'release';
}

/**
 * Calls `take` with each whole line, in order.
 * @param most longest line in bytes; a longer one ends the connection
 * @returns a function that stops the reading
 */
export function readLines(socket: Socket, most: number, take: (line: string) => void): () => void {
  let [parts, size, isOff]: [Buffer[], number, boolean] = [[], 0, false];
  const read = (part: Buffer): void => {
    for (let rest = part; rest.length > 0 && !isOff;) {
      const end = rest.indexOf(0x0a);
      const piece = end < 0 ? rest : rest.subarray(0, end);
      size += piece.length;
      if (size > most) return void socket.destroy();
      parts.push(piece);
      if (end < 0) return;
      const line = Buffer.concat(parts).toString('utf8');
      [parts, size, rest] = [[], 0, rest.subarray(end + 1)];
      take(line);
    }
  };
  socket.on('data', read);
  return () => {
    isOff = true;
    socket.off('data', read);
  };
}

/** Start of a daemon's pipe on Windows, where a socket is no file and has no owner. */
export const PIPE = '\\\\.\\pipe\\dripstone-';

/** The socket in daemon.json, if this user owns it. */
export function socketIn(home: string): string | null {
  try {
    const { socket } = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')) as {
      socket?: unknown;
    };
    if (typeof socket !== 'string' || !isAbsolute(socket)) return null;
    if (process.platform === 'win32') return socket.startsWith(PIPE) ? socket : null;
    const found = lstatSync(socket);
    return found.isSocket() && found.uid === process.getuid?.() ? socket : null;
  } catch {
    return null;
  }
}

interface Talk<Message> {
  /** How long to wait for the first line, in milliseconds. */
  patienceMs: number;
  /** How long to wait for each further line; absent: until the connection ends. */
  laterMs?: number;
  /** Longest line, in bytes. */
  most?: number;
  /** Ends the connection. */
  signal?: AbortSignal;
  /** Called with each line; destroys the socket when no more lines are needed. */
  onMessage(message: Message, socket: Socket): void;
}

/**
 * Sends a request to the daemon in daemon.json. Never throws, and starts nothing.
 * @returns after the end of the connection, or without one: whether a line was too late
 */
export function talk<Message>(
  home: string,
  request: MomentRequest | CommandRequest | WorkRequest | ReleaseRequest,
  { patienceMs, laterMs, most = MOST_FOR_COMMAND, signal, onMessage }: Talk<Message>,
): Promise<'silent' | 'closed'> {
  const path = socketIn(home);
  if (path === null || signal?.aborted === true) return Promise.resolve('closed');
  return new Promise((resolve) => {
    const socket = connect(path);
    let [isSilent, timer]: [boolean, NodeJS.Timeout | undefined] = [false, undefined];
    const wait = (ms: number | undefined): void => {
      clearTimeout(timer);
      if (ms === undefined || socket.destroyed) return;
      timer = setTimeout(() => {
        isSilent = true;
        socket.destroy();
      }, ms);
    };
    const stop = (): void => void socket.destroy();
    signal?.addEventListener('abort', stop, { once: true });
    socket.on('error', stop).on('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(isSilent ? 'silent' : 'closed');
    });
    readLines(socket, most, (line) => {
      onMessage(JSON.parse(line) as Message, socket);
      wait(laterMs);
    });
    void say(socket, request);
    wait(patienceMs);
  });
}

/**
 * Asks the daemon to close the database file until `signal` is aborted. Resolves when it is closed,
 * or without an answer in time.
 */
export function askFree(home: string, signal: AbortSignal, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const how = { patienceMs, signal, onMessage: () => resolve() };
    void talk(home, { version: 1, ask: 'release' }, how).then(() => resolve());
  });
}

/** @returns whether the other end received the line */
export function say(socket: Socket, line: object): Promise<boolean> {
  return new Promise((resolve) =>
    socket.write(`${JSON.stringify(line)}\n`, (error) => resolve(error == null)),
  );
}

interface HookAnswer {
  text: string;
  /** The agent must not do this. */
  deny: boolean;
  /** Reports to the daemon that the text was printed, and ends the connection. */
  printed(): void;
}

/**
 * The daemon's answer at a moment. Null without a daemon or an answer in time, and for a socket
 * that is old or of another user.
 */
export function ask(
  home: string,
  asked: MomentRequest,
  patienceMs = PATIENCE_MS,
): Promise<HookAnswer | null> {
  return new Promise((resolve) => {
    const onMessage = (
      message: Partial<Record<keyof MomentAnswer, unknown>>,
      socket: Socket,
    ): void => {
      const { version, text, deny } = message;
      if (version !== 1 || typeof text !== 'string' || text === '') return void socket.destroy();
      resolve({ text, deny: deny === true, printed: () => socket.end(PRINTED) });
    };
    void talk(home, asked, { patienceMs, most: MOST_FOR_HOOK, onMessage: onMessage }).then(() =>
      resolve(null),
    );
  });
}
