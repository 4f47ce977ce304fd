/** What the server answers with: one reading app for its life, and who waits for whom. */
import { statSync } from 'node:fs';
import { type App, borrowed, createApp } from '../app.js';
import type { HomePaths } from '../config.js';
import { AppError, EXIT } from '../errors.js';
import { createMutex } from '../mutex.js';
import { collectSooner } from '../jobs/processor-time.js';
import { recallFrom } from '../recall/recall.js';
import type { Caller } from '../types.js';
import type { Io } from '../io.js';

/**
 * How long the database stays open after an answer: a page asks several things in a row, and
 * opening it takes 30 to 70 ms.
 */
const KEPT_MS = 250;

/** Many may read at once, who writes is alone; in the order of asking. */
class Turns {
  private readonly inTurn = createMutex();
  private readonly reading = new Set<Promise<void>>();

  /** It begins in its turn and is not waited for by the reader behind it. */
  async read<T>(run: () => Promise<T>): Promise<T> {
    const begun = await this.inTurn(() => Promise.resolve({ result: this.noted(run()) }));
    return begun.result;
  }

  write<T>(run: () => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      await Promise.all(this.reading);
      return run();
    });
  }

  private noted<T>(result: Promise<T>): Promise<T> {
    const ended: Promise<void> = result.then(
      () => void this.reading.delete(ended),
      () => void this.reading.delete(ended),
    );
    this.reading.add(ended);
    return result;
  }
}

/**
 * A server's side of the memory. It holds the database only while it answers: other programs wait a
 * quarter of a second for it, as for every command.
 */
export class Session implements AsyncDisposable {
  private readonly turns = new Turns();
  private app: Promise<App> | null = null;
  /** What config.yaml and the store were when the app was made. */
  private stamp = '';
  /** Null while there is no app. */
  private paths: HomePaths | null = null;
  private running = 0;
  private timer: NodeJS.Timeout | null = null;
  private isEnded = false;

  constructor(readonly io: Io) {}

  /** Something that only reads. */
  read<T>(run: (app: App) => Promise<T>): Promise<T> {
    this.refresh();
    return this.turns.read(() => this.holding(async () => run(await this.lend())));
  }

  /**
   * Something that changes files of the home: nobody reads meanwhile, since a process has the
   * database open once.
   */
  write<T>(run: (app: App) => Promise<T>): Promise<T> {
    this.refresh();
    return this.turns.write(() => this.holding(async () => run(await this.lend())));
  }

  /**
   * An answer for a caller, by the functions that the commands call.
   * @param how writes: something is changed; needsStore: there must be a memory, and a valid
   * config.yaml
   */
  answer<T>(
    caller: Caller,
    how: { writes: boolean; needsStore: boolean },
    run: (app: App, io: Io) => Promise<T>,
  ): Promise<T> {
    return this[how.writes ? 'write' : 'read']((app) => {
      // Who writes opens an app of its own, but neither starts threads nor loads the model again.
      const io: Io = {
        ...this.io,
        caller: () => caller,
        err: () => {},
        compute: app.compute,
        embedder: app.embedder,
      };
      const optional = !how.needsStore;
      return run(borrowed(app, { ...io, storeOptional: optional, configOptional: optional }), io);
    });
  }

  /** After all that was asked before has ended; what is asked later is refused. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.turns.write(async () => {
      this.isEnded = true;
      await this.drop();
    });
  }

  private async drop(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    const app = this.app;
    this.app = this.paths = null;
    await (await app?.catch(() => null))?.[Symbol.asyncDispose]();
  }

  private async holding<T>(run: () => Promise<T>): Promise<T> {
    this.running++;
    if (this.timer !== null) clearTimeout(this.timer);
    try {
      return await run();
    } finally {
      if (--this.running === 0)
        this.timer = setTimeout(() => void this.giveBack(), KEPT_MS).unref();
    }
  }

  /** Gives the database back at once, as it is a moment after the last answer. */
  async giveBack(): Promise<void> {
    // Whoever asks next opens it again and meets what keeps it from being opened.
    await this.app?.then((app) => app.store.release()).catch(() => undefined);
  }

  /** The app; two at once get the same. */
  private lend(): Promise<App> {
    if (this.isEnded)
      throw new AppError('ENDED', 'this server has ended', {
        hint: 'type `dripstone ui`',
        exitCode: EXIT.interrupted,
      });
    return (this.app ??= this.open());
  }

  /**
   * After config.yaml was changed, or when the first store appeared, a new app; the old one goes
   * when nobody reads from it.
   */
  private refresh(): void {
    if (this.isStale())
      void this.turns.write(async () => this.isStale() && this.drop()).catch(() => undefined);
  }

  private isStale(): boolean {
    return this.paths !== null && stampsOf(this.paths) !== this.stamp;
  }

  private async open(): Promise<App> {
    try {
      collectSooner();
      const app = await createApp({
        ...this.io,
        access: 'read',
        storeOptional: true,
        configOptional: true,
      });
      this.paths = app.paths;
      this.stamp = stampsOf(app.paths);
      app.recall = recallFrom(app);
      return app;
    } catch (error) {
      this.app = null;
      throw error;
    }
  }
}

function stampsOf({ config, store }: HomePaths): string {
  return [config, store].map(stampOf).join(' ');
}

/** Of a file whose content matters, its time; of the store only that it is there. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '-' : path.endsWith('.duckdb') ? '+' : String(found.mtimeMs);
}
