/**
 * Asks the daemon over its socket. Loaded by the hook program, so it imports nothing but what Node
 * brings.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { MOST_TOLD, PATIENCE_MS, PRINTED, type MomentRequest } from './wire.js';

export interface Heard {
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
