/** The server's access to the memory: one reading app, one answer at a time. */
import { statSync } from 'node:fs';
import { type App, borrowed, createApp } from '../app.js';
import type { HomePaths } from '../config.js';
import { AppError, EXIT } from '../errors.js';
import { createMutex } from '../mutex.js';
import { collectSooner } from '../jobs/processor-time.js';
import type { Caller } from '../types.js';
import type { Io } from '../io.js';

/**
 * How long the database stays open after an answer, since a page sends several requests in a row.
 */
const KEPT_MS = 250;

/**
 * A server's access to the memory. It keeps the database open only for answers, since other
 * programs wait for it.
 */
export class Session implements AsyncDisposable {
  private readonly inTurn = createMutex();
  private app: App | null = null;
  /** State of config.yaml and the store when the app was made. */
  private stamp = '';
  private timer: NodeJS.Timeout | null = null;
  private isEnded = false;

  constructor(readonly io: Io) {}

  /** Runs after all earlier requests, because a process may open the database only once. */
  read<T>(run: (app: App) => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      if (this.timer !== null) clearTimeout(this.timer);
      try {
        return await run(await this.current());
      } finally {
        if (!this.isEnded) this.timer = setTimeout(() => void this.giveBack(), KEPT_MS).unref();
      }
    });
  }

  /**
   * Answers a caller with the functions of the commands.
   * @param optional what may be missing: the store, or a valid config.yaml
   */
  answer<T>(
    caller: Caller,
    optional: { storeOptional: boolean; configOptional: boolean },
    run: (app: App, io: Io) => Promise<T>,
  ): Promise<T> {
    return this.read((app) => {
      // An edit opens its own app, but shares threads and model.
      const io: Io = {
        ...this.io,
        caller: () => caller,
        err: () => {},
        compute: app.compute,
        embedder: app.embedder,
      };
      return run(borrowed(app, { ...io, ...optional }), io);
    });
  }

  /** Ends after all earlier requests; later ones are refused. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.inTurn(async () => {
      this.isEnded = true;
      await this.drop();
    });
  }

  /** Closes the database now, not a moment after the last answer. */
  giveBack(): Promise<void> {
    return this.inTurn(() => this.app?.store.release() ?? Promise.resolve());
  }

  private async drop(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    const app = this.app;
    this.app = null;
    await app?.[Symbol.asyncDispose]();
  }

  /** The app; a new one if config.yaml changed or the first store appeared. */
  private async current(): Promise<App> {
    if (this.isEnded)
      throw new AppError('ENDED', 'this server has ended', {
        hint: 'type `dripstone ui`',
        exitCode: EXIT.interrupted,
      });
    if (this.app !== null && stampsOf(this.app.paths) !== this.stamp) await this.drop();
    if (this.app === null) {
      collectSooner();
      const app = await createApp({
        ...this.io,
        access: 'read',
        storeOptional: true,
        configOptional: true,
      });
      this.stamp = stampsOf(app.paths);
      this.app = app;
    }
    return this.app;
  }
}

function stampsOf({ config, store }: HomePaths): string {
  return [config, store].map(fileStamp).join(' ');
}

/** Time of a file's last change; for the store only whether it exists. */
function fileStamp(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '-' : path.endsWith('.duckdb') ? '+' : String(found.mtimeMs);
}
