/**
 * What goes over the daemon's socket, in lines of JSON: one request a connection, and what is said
 * to it.
 */
import { type Socket, connect } from 'node:net';
import type { Caller, HookMoment } from '../types.js';
import { lstatSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

export interface MomentRequest {
  version: 1;
  ask: 'recall';
  type: HookMoment;
  /**
   * The prompt; the command; the path of the file; of a failure the command that failed; at the end
   * of a turn the agent's last message.
   */
  text: string;
  /** What a failed command printed. */
  output: string | null;
  /** The folder that the session works in. */
  cwd: string | null;
  /** The agent's own id of the session. */
  session: string | null;
  agent: string;
}

/** An answer with text; silence is a connection that ends without a line. */
export interface MomentAnswer {
  version: 1;
  text: string;
  /** A guard that the person set to deny: what the agent is about to do is refused. */
  deny?: boolean;
}

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

/** Longest request, in bytes; a longer one gets no answer. */
export const MOST_ASKED = 1024 * 1024;
/** Longest answer that a hook reads, in bytes. */
const MOST_TOLD = 256 * 1024;
/** How long a hook waits for an answer, in milliseconds. */
export const PATIENCE_MS = 150;
/** What a hook sends back once it has printed the answer: only then it counts as told. */
export const PRINTED = 'printed\n';

/**
 * A command that only reads, typed in another process: the daemon runs it with what it keeps in
 * memory.
 */
export interface CommandRequest {
  version: 1;
  ask: 'command';
  /** Version of the program that asks; the daemon's own must be the same. */
  program: string;
  argv: string[];
  cwd: string;
  caller: Caller;
  /** {@link SENT}, as far as they are set. */
  env: Record<string, string>;
  screen: { columns: number; rows: number } | null;
  outIsTerminal: boolean;
}

/**
 * Variables that change what a command prints. The rest of the environment stays in its process: it
 * may hold secrets.
 */
export const SENT = ['NO_COLOR', 'TERM', 'HOME', 'USERPROFILE', 'TZ', 'CLAUDE_CONFIG_DIR'] as const;

/**
 * What the daemon says while it runs a command. `taken` comes first: a process that does not hear
 * it runs the command itself.
 */
export type CommandSaid =
  | { taken: true }
  | { out: string }
  | { err: string }
  | { paint: string }
  /** It reads standard input, whose lines are to be sent. */
  | { lines: true }
  | { code: number };

/** A line of standard input, or its end. */
export type CommandInput = { line: string } | { end: true };

/**
 * Calls `take` with each whole line, in order.
 * @param most longest line in bytes; a longer one ends the connection
 * @returns takes no more lines
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

// Asks the daemon over its socket. Loaded by the hook program, so it imports nothing but what Node
// brings.

interface Heard {
  text: string;
  /** The agent is not to do it. */
  deny: boolean;
  /** Tells the daemon that the text was printed, and ends the connection. */
  printed(): void;
}

/**
 * The answer of the daemon that daemon.json names, or null: no daemon, another user's socket, an
 * old socket, an answer that does not come within the patience, or nothing to tell. Never throws
 * and starts nothing.
 */
export function ask(
  home: string,
  asked: MomentRequest,
  patienceMs = PATIENCE_MS,
): Promise<Heard | null> {
  const path = socketIn(home);
  if (path === null) return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect(path);
    let bytes = Buffer.alloc(0);
    const giveUp = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(null);
    };
    const timer = setTimeout(giveUp, patienceMs);
    socket.on('error', giveUp);
    socket.on('close', giveUp);
    socket.on('connect', () => socket.write(`${JSON.stringify(asked)}\n`));
    socket.on('data', (part: Buffer) => {
      bytes = Buffer.concat([bytes, part]);
      if (bytes.length > MOST_TOLD) return giveUp();
      if (!bytes.includes(0x0a)) return;
      const told = toldIn(bytes.toString('utf8'));
      if (told === null) return giveUp();
      clearTimeout(timer);
      resolve({ ...told, printed: () => socket.end(PRINTED) });
    });
  });
}

/** The socket that daemon.json names, if it is one of this user. */
export function socketIn(home: string): string | null {
  try {
    const { socket } = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')) as {
      socket?: unknown;
    };
    if (typeof socket !== 'string' || !isAbsolute(socket)) return null;
    const found = lstatSync(socket);
    return found.isSocket() && found.uid === process.getuid?.() ? socket : null;
  } catch {
    return null;
  }
}

/** Null for what is no answer of a version that is known. */
function toldIn(line: string): Pick<Heard, 'text' | 'deny'> | null {
  try {
    const { version, text, deny } = JSON.parse(line) as Partial<
      Record<'version' | 'text' | 'deny', unknown>
    >;
    return version === 1 && typeof text === 'string' && text !== ''
      ? { text, deny: deny === true }
      : null;
  } catch {
    return null;
  }
}
