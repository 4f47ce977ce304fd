/** The daemon's socket: opens it, and answers hooks and commands there. */
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { App } from '../app.js';
import { messageOf } from '../errors.js';
import { createAnswers } from './answers.js';
import type { Commands } from './commands.js';
import { prepareSocket, socketPath } from './place.js';
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
