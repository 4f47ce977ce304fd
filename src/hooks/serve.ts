/** The daemon's side of the hooks: opens its socket and answers there. */
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { App } from '../app.js';
import { messageOf } from '../errors.js';
import { createAnswers } from './answers.js';
import { prepareSocket, socketPath } from './place.js';
import { listen } from './server.js';

/** @returns the socket's path; null where there is none: on Windows, or when it cannot be made, which costs the hooks alone */
export async function serveHooks(app: App): Promise<string | null> {
  const uid = process.getuid?.();
  if (uid === undefined) return null;
  const path = socketPath(app.paths.home, tmpdir(), uid);
  const failed = (error: unknown): void => app.log.warn({ error: messageOf(error) }, 'a hook got no answer');
  try {
    const why = prepareSocket(path, dirname(path), uid);
    if (why !== null) throw new Error(why);
    const listening = await listen(path, createAnswers(app), failed);
    app.defer(() => listening.close());
    return path;
  } catch (error) {
    app.log.warn({ error: messageOf(error) }, 'hooks get no answers: the socket could not be opened');
    return null;
  }
}
