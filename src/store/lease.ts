/**
 * Opens and closes the database file. DuckDB locks out all other processes, even readers, so the
 * file is closed after `IDLE_MS` without use, or on request.
 */
import type { Clock } from '../types.js';
import type { Connection, Database } from './db.js';

const IDLE_MS = 300;

interface LeaseOptions {
  clock: Clock;
  /** A wait that does not keep the process alive. */
  rest: (ms: number) => Promise<void>;
  /** Opens the file; waits if another process uses it. */
  open: () => Promise<Database>;
  /** Bytes of the write-ahead log. */
  walBytes: () => number;
  /** Called after each close, before the file can be opened again. */
  closed?: () => void;
}

/** The connections to the open file. */
interface Leased {
  writer: Connection;
  reader: Connection;
  /** A second connection for reading, opened at its first use. */
  longReader(): Promise<Connection>;
}

export interface Lease {
  /**
   * Runs `fn` while the file is open. Never call `withClosed` inside `fn`: each would wait for the
   * other.
   * @param isLong `fn` may take seconds: the next close waits for it, without stopping other uses
   */
  use<T>(fn: (leased: Leased) => Promise<T>, isLong?: boolean): Promise<T>;
  /** Folds in the write-ahead log and closes the file as soon as it is unused. */
  release(): Promise<void>;
  /**
   * Runs `fn` while the file is closed in this process: the only time when it may be renamed,
   * replaced or used by another process.
   */
  withClosed<T>(fn: () => Promise<T>): Promise<T>;
  isOpen(): boolean;
}

export function createLease(options: LeaseOptions): Lease {
  return new FileLease(options);
}

/**
 * Replaying the write-ahead log at opening is cheaper than folding it in. So a close after idle
 * time leaves the log, until this many bytes were replayed since the last fold.
 */
const MOST_REPLAYED = 8 * 2 ** 20;

class FileLease implements Lease {
  private file: { database: Database; leased: Leased } | null = null;
  private opening: Promise<void> | null = null;
  private closing: Promise<void> | null = null;
  private users = 0;
  /** Long uses among `users`. */
  private longUsers = 0;
  private lastUse = 0;
  private isWatched = false;
  /** Bytes of write-ahead logs that closes have left since the last fold. */
  private replayed = 0;
  private onEmpty: (() => void) | null = null;
  /** Set while a close waits for long uses. */
  private onNoneLong: (() => void) | null = null;

  constructor(private readonly options: LeaseOptions) {}

  async use<T>(fn: (leased: Leased) => Promise<T>, isLong = false): Promise<T> {
    const leased = await this.enter(isLong);
    try {
      return await fn(leased);
    } finally {
      this.users--;
      if (isLong && --this.longUsers === 0) this.onNoneLong?.();
      this.lastUse = this.options.clock.mono();
      if (this.users === 0) this.onEmpty?.();
      if (!this.isWatched) void this.closeWhenIdle();
    }
  }

  async release(): Promise<void> {
    if (this.opening) await this.opening.catch(() => undefined);
    if (this.file || this.closing) await this.close(true);
  }

  async withClosed<T>(fn: () => Promise<T>): Promise<T> {
    for (;;) {
      if (this.opening) await this.opening.catch(() => undefined);
      else if (this.closing) await this.closing;
      else break;
    }
    const done = this.closeNow(true).then(fn);
    this.closing = done
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => (this.closing = null));
    return done;
  }

  isOpen(): boolean {
    return this.file !== null || this.closing !== null;
  }

  private async closeWhenIdle(): Promise<void> {
    this.isWatched = true;
    const { clock, rest } = this.options;
    for (let left = IDLE_MS; this.file !== null && left > 0;) {
      await rest(left);
      left = this.users > 0 ? IDLE_MS : this.lastUse + IDLE_MS - clock.mono();
    }
    this.isWatched = false;
    // The next use of the file throws the error.
    if (this.file !== null && !this.closing) await this.close(false).catch(() => undefined);
  }

  /** Waits until the file is open, and counts a new user of it. */
  private async enter(isLong: boolean): Promise<Leased> {
    for (;;) {
      if (this.closing && (isLong || !this.onNoneLong)) await this.closing;
      else if (!this.file)
        await (this.opening ??= this.openNow().finally(() => (this.opening = null)));
      else {
        this.users++;
        if (isLong) this.longUsers++;
        return this.file.leased;
      }
    }
  }

  private async openNow(): Promise<void> {
    const database = await this.options.open();
    try {
      const [writer, reader] = [await database.connect(), await database.connect()];
      let made: Promise<Connection> | null = null;
      const longReader = (): Promise<Connection> => (made ??= database.connect());
      this.file = { database, leased: { writer, reader, longReader } };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Calls during a close get the same promise. */
  private close(fold: boolean): Promise<void> {
    return (this.closing ??= this.closeNow(fold).finally(() => (this.closing = null)));
  }

  private async closeNow(fold: boolean): Promise<void> {
    if (this.longUsers > 0) await new Promise<void>((resolve) => (this.onNoneLong = resolve));
    this.onNoneLong = null;
    if (this.users > 0) await new Promise<void>((resolve) => (this.onEmpty = resolve));
    this.onEmpty = null;
    try {
      this.replayed += this.options.walBytes();
      if (fold || this.replayed > MOST_REPLAYED) {
        await this.file?.database.fold();
        this.replayed = 0;
      }
      await this.file?.database.dropCache();
    } finally {
      if (this.file) {
        this.file.database.close();
        this.options.closed?.();
      }
      this.file = null;
    }
  }
}
