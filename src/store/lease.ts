/**
 * Holds the database file for short slices. DuckDB locks every other process out, even readers, so the file is open at most
 * `holdMs`, then free for at least `freeMs`, and given back when nothing happened for `idleMs`.
 */
import type { Clock } from '../types.js';
import type { Connection, Database } from './duckdb.js';

export interface LeaseOptions {
  clock: Clock;
  sleep: (ms: number) => Promise<void>;
  holdMs: number;
  freeMs: number;
  idleMs: number;
  /** Opens the file; waits for other holders by itself. */
  open: () => Promise<Database>;
}

/** What a user of the open file works with: one connection for writing, one for reading. */
export interface Leased {
  writer: Connection;
  reader: Connection;
}

export interface Lease {
  /** Runs `fn` while the file is open. Never call it inside `fn`: the slice could not end. */
  use<T>(fn: (leased: Leased) => Promise<T>): Promise<T>;
  /** Closes the file as soon as nobody uses it. */
  release(): Promise<void>;
  /** Runs `fn` while nobody in this process has the file open: the only time when it may be renamed or replaced. */
  withClosed<T>(fn: () => Promise<T>): Promise<T>;
  /** Closes the file when it was not used for `idleMs`; the caller's timer drives it. */
  idle(): Promise<void>;
  isOpen(): boolean;
}

export function createLease(options: LeaseOptions): Lease {
  const { clock, sleep, holdMs, freeMs, idleMs } = options;
  let held: { database: Database; leased: Leased; since: number } | null = null;
  let opening: Promise<void> | null = null;
  let closing: Promise<void> | null = null;
  let users = 0;
  let lastUse = 0;
  let freeUntil = 0;
  let onEmpty: (() => void) | null = null;

  const openNow = async (): Promise<void> => {
    const wait = freeUntil - clock.mono();
    if (wait > 0) await sleep(wait);
    const database = await options.open();
    try {
      held = { database, leased: { writer: await database.connect(), reader: await database.connect() }, since: clock.mono() };
    } catch (error) {
      database.close();
      throw error;
    }
  };

  /** Between two slices the WAL stays: replaying it costs a third of folding it in, which writes the ends of all tables anew. */
  const closeNow = async (fold: boolean): Promise<void> => {
    if (users > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
    onEmpty = null;
    try {
      if (fold) await held?.database.fold();
    } finally {
      held?.database.close();
      held = null;
      freeUntil = clock.mono() + freeMs;
    }
  };

  /** The same promise for everybody who asks meanwhile. */
  const close = (fold: boolean): Promise<void> => (closing ??= closeNow(fold).finally(() => (closing = null)));

  const enter = async (): Promise<Leased> => {
    for (;;) {
      if (closing) await closing;
      else if (!held) await (opening ??= openNow().finally(() => (opening = null)));
      else if (clock.mono() - held.since >= holdMs) await close(false);
      else {
        users++;
        return held.leased;
      }
    }
  };

  return {
    async use(fn) {
      const leased = await enter();
      try {
        return await fn(leased);
      } finally {
        users--;
        lastUse = clock.mono();
        if (users === 0) onEmpty?.();
      }
    },
    async release() {
      if (opening) await opening.catch(() => undefined);
      if (held || closing) await close(true);
    },
    async withClosed(fn) {
      for (;;) {
        if (opening) await opening.catch(() => undefined);
        else if (closing) await closing;
        else break;
      }
      const done = closeNow(true).then(fn);
      closing = done.then(() => undefined, () => undefined).finally(() => (closing = null));
      return done;
    },
    async idle() {
      if (held && users === 0 && !closing && clock.mono() - lastUse >= idleMs) await close(true);
    },
    isOpen: () => held !== null,
  };
}
