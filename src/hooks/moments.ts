/** Answers hooks at the daemon's socket in a short time, or not at all. */
import type { Asker, Serve } from '../socket/server.js';
import { PRINTED, readLines, type Answer, type MomentAnswer } from '../wire.js';

/** Numbers of requests that were answered in time, also without text, and that were not. */
interface Counts {
  answered: number;
  skipped: number;
}

/**
 * Most requests at once. There are more only if answers take long, and later answers would be too
 * late.
 */
const MOST_AT_ONCE = 8;
/** How long a hook may take to print the answer. */
const PRINTING_MS = 1000;

/** @param counts increased with each request */
export function serveMoments(answer: Answer, counts: Counts = { answered: 0, skipped: 0 }): Serve {
  let running = 0;
  return async (asked, asker) => {
    let isInTime = false;
    try {
      if (running++ < MOST_AT_ONCE) isInTime = await serve(asked, asker, answer);
    } finally {
      running--;
      counts[isInTime ? 'answered' : 'skipped']++;
    }
  };
}

/** @returns whether the hook got its answer in time, which may be empty */
async function serve(asked: unknown, { socket, say }: Asker, answer: Answer): Promise<boolean> {
  const reply = await answer(asked);
  if (reply === null || socket.destroyed) {
    reply?.ended(false);
    return !socket.destroyed;
  }
  socket.setTimeout(PRINTING_MS);
  const printed = isPrinted(socket);
  const { text, deny } = reply;
  void say({ version: 1, text, ...(deny === true && { deny }) } satisfies MomentAnswer);
  const isInTime = await printed;
  reply.ended(isInTime);
  return isInTime;
}

/** Whether the hook confirms that it printed the answer, before its connection ends. */
function isPrinted(socket: Asker['socket']): Promise<boolean> {
  return new Promise((resolve) => {
    readLines(socket, PRINTED.length, (line) => resolve(`${line}\n` === PRINTED));
    socket.on('close', () => resolve(false));
  });
}
