/**
 * What the tools work with: one app for the server's life, the project that it serves, and who
 * asks.
 */
import { existsSync } from 'node:fs';
import type { App } from '../app.js';
import { AppError, EXIT } from '../errors.js';
import type { Mutex } from '../mutex.js';
import { chooseProject } from '../recall/projects.js';
import type { Project } from '../types.js';
import type { Io } from '../io.js';

export interface Memory {
  app: App;
  /** With the calling agent as its caller. */
  io: Io;
  /**
   * As typed after `--project`, else null: the project of the folder in which the client started
   * us.
   */
  spec: string | null;
  /** Calls come one after the other. */
  inTurn: Mutex;
}

/**
 * The project that the server serves now; null until one is known: its first session may be read
 * after the server started.
 */
export async function projectOf({ app, io, spec }: Memory): Promise<Project | null> {
  return existsSync(app.paths.store) ? chooseProject(app, spec, io.cwd) : null;
}

/**
 * Runs one call of the client and gives the database back: opening it takes 30 to 70 ms, while a
 * server that kept it open would keep the daemon from writing. Calls come one after the other, as a
 * client may make several at once: an edit opens the database for writing, and a process has it
 * open once.
 */
export function released<T>(memory: Memory, run: () => Promise<T>): Promise<T> {
  const { app, inTurn } = memory;
  return inTurn(() => run().finally(() => app.store.release()));
}

/** @throws AppError when nothing was read yet */
export function needStore({ app }: Memory): void {
  if (existsSync(app.paths.store)) return;
  throw new AppError('NO_STORE', 'there is no memory yet', {
    hint: 'it comes when `dripstone run` or the daemon has read the session logs',
    exitCode: EXIT.noStore,
  });
}
