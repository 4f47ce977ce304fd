/**
 * Holds the database file for short slices. DuckDB locks every other process out, even readers, so
 * the file is open at most `holdMs`, then free for at least `FREE_MS`, and given back when nothing
 * happened for `IDLE_MS`.
 */
import type { Clock } from '../types.js';
import type { Connection, Database } from './db.js';

const FREE_MS = 100;
const IDLE_MS = 2000;

interface LeaseOptions {
  clock: Clock;
  sleep: (ms: number) => Promise<void>;
  holdMs: number;
  /** Opens the file; waits for other holders by itself. */
  open: () => Promise<Database>;
  /** How long the write-ahead log is. */
  walBytes: () => number;
  /** Called each time when the file was closed, before anybody can open it again. */
  closed?: () => void;
}

/** What a user of the open file works with: one connection for writing, one for reading. */
interface Leased {
  writer: Connection;
  reader: Connection;
}

export interface Lease {
  /** Runs `fn` while the file is open. Never call it inside `fn`: the slice could not end. */
  use<T>(fn: (leased: Leased) => Promise<T>): Promise<T>;
  /** Closes the file as soon as nobody uses it. */
  release(): Promise<void>;
  /**
   * Runs `fn` while nobody in this process has the file open: the only time when it may be renamed
   * or replaced.
   */
  withClosed<T>(fn: () => Promise<T>): Promise<T>;
  /** Closes the file when it was not used for `IDLE_MS`; the caller's timer drives it. */
  idle(): Promise<void>;
  isOpen(): boolean;
}

export function createLease(options: LeaseOptions): Lease {
  return new SlicedLease(options);
}

/** The file while it is open. */
interface Slice {
  database: Database;
  leased: Leased;
  since: number;
}

/**
 * Between two slices the WAL stays: replaying it costs a third of folding it in, which writes the
 * ends of all tables again. But each slice replays the whole. It is folded in when so much was
 * replayed since the last fold: of 2,500 logs of one line the WAL grew to 10 MB, which took 0.8 s
 * of processor time in each slice of one second.
 */
const MOST_REPLAYED = 8 * 2 ** 20;

class SlicedLease implements Lease {
  private slice: Slice | null = null;
  private opening: Promise<void> | null = null;
  private closing: Promise<void> | null = null;
  private users = 0;
  private lastUse = 0;
  private freeUntil = 0;
  /** Bytes of WAL that the slices since the last fold left to the next one. */
  private replayed = 0;
  private onEmpty: (() => void) | null = null;

  constructor(private readonly options: LeaseOptions) {}

  async use<T>(fn: (leased: Leased) => Promise<T>): Promise<T> {
    const leased = await this.enter();
    try {
      return await fn(leased);
    } finally {
      this.users--;
      this.lastUse = this.options.clock.mono();
      if (this.users === 0) this.onEmpty?.();
    }
  }

  async release(): Promise<void> {
    if (this.opening) await this.opening.catch(() => undefined);
    if (this.slice || this.closing) await this.close(true);
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

  async idle(): Promise<void> {
    const { clock } = this.options;
    if (this.slice && this.users === 0 && !this.closing && clock.mono() - this.lastUse >= IDLE_MS)
      await this.close(true);
  }

  isOpen(): boolean {
    return this.slice !== null || this.closing !== null;
  }

  /** Waits for a slice that has time left, and counts as its user. */
  private async enter(): Promise<Leased> {
    const { clock, holdMs } = this.options;
    for (;;) {
      if (this.closing) await this.closing;
      else if (!this.slice)
        await (this.opening ??= this.openNow().finally(() => (this.opening = null)));
      else if (clock.mono() - this.slice.since >= holdMs) await this.close(false);
      else {
        this.users++;
        return this.slice.leased;
      }
    }
  }

  private async openNow(): Promise<void> {
    const { clock, sleep, open } = this.options;
    const wait = this.freeUntil - clock.mono();
    if (wait > 0) await sleep(wait);
    const database = await open();
    try {
      this.slice = {
        database,
        leased: { writer: await database.connect(), reader: await database.connect() },
        since: clock.mono(),
      };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Callers that ask while the file is being closed get the same promise. */
  private close(fold: boolean): Promise<void> {
    return (this.closing ??= this.closeNow(fold).finally(() => (this.closing = null)));
  }

  private async closeNow(fold: boolean): Promise<void> {
    if (this.users > 0) await new Promise<void>((resolve) => (this.onEmpty = resolve));
    this.onEmpty = null;
    try {
      this.replayed += this.options.walBytes();
      if (fold || this.replayed > MOST_REPLAYED) {
        await this.slice?.database.fold();
        this.replayed = 0;
      }
    } finally {
      if (this.slice) {
        this.slice.database.close();
        this.options.closed?.();
      }
      this.slice = null;
      this.freeUntil = this.options.clock.mono() + FREE_MS;
    }
  }
}
