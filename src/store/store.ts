/**
 * The store: opens the one DuckDB file when needed and runs work in transactions. No other code in
 * this process may open the file or its WAL: closing any descriptor drops DuckDB's lock, and
 * another process could then overwrite commits.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleepReal } from 'node:timers/promises';
import { WRITER_MB, type Connection, type Database, type Db } from './db.js';
import { openAndMigrate, openReady, openWaiting, type StoreOptions } from './open-migrated.js';
import {
  fileOf,
  OPENED,
  openHealing,
  renewed,
  stampOf,
  type BootReport,
} from './repair/opening.js';
import { faultKind, isInvalidated, storeError } from './repair/fault.js';
import { createMutex } from '../mutex.js';
import { createLease, type Lease } from './lease.js';
import { copyDatabase, swapDatabase, type Rebuilt } from './repair/rebuild.js';
import { findLackOfSpace, type ReserveOptions } from './repair/reserve.js';

export interface Store {
  readonly path: string;
  /**
   * Runs `fn` on a consistent snapshot of all commits. Reads wait for each other, never for a
   * write.
   * @param how isLong: may take seconds; only other long reads wait for it
   */
  read<T>(fn: (db: Db) => Promise<T>, how?: { isLong?: boolean }): Promise<T>;
  /**
   * Runs `fn` in one transaction; commits nothing if `fn` throws. Await only the Db in `fn`.
   * @param how isLean: only adds rows and reads no text
   */
  write<T>(fn: (db: Db) => Promise<T>, how?: { isLean?: boolean }): Promise<T>;
  /**
   * Replaces the file by a packed copy without free pages. Slow; other processes may read
   * meanwhile.
   */
  rebuild(): Promise<Rebuilt>;
  /**
   * Opens the file for the first time, and quarantines a damaged one. Afterwards every read and
   * write throws STORE_RENEWED if another program deleted, replaced or changed the file, since a
   * checkpoint of the old file would make the new one skip entries.
   */
  boot(): Promise<BootReport>;
  /** Whether another program deleted, replaced or changed the file since `boot`. By stat alone. */
  isTouched(): boolean;
  /**
   * If the number is unchanged, lessons and projects are unchanged, too. Null: unknown without a
   * read. By stat alone.
   */
  revision(): number | null;
  /** Runs `fn` while the file is closed in this process, e.g. to rename it. */
  withClosed<T>(fn: () => Promise<T>): Promise<T>;
  /**
   * Closes the file as soon as running work has ended; the next read or write opens it again. After
   * a moment without work the file is closed anyway.
   */
  release(): Promise<void>;
  /** As `release`; afterwards every call throws. */
  close(): Promise<void>;
  isOpen(): boolean;
}

/**
 * Memory for adding rows; folding in the WAL spills if it needs more. The engine does not count
 * texts that it packs again.
 */
const LEAN_MB = 160;

/** Tables that `revision` covers; a statement that writes one of them contains its name. */
const LESSONS_AND_PROJECTS = /\bown\.(?:lessons|evidence|projects|project_aliases|folders)\b/;

interface Running {
  of: LeasedStore;
  kind: 'read' | 'write';
  db: Db;
  /** The surrounding read or write of another store. */
  around: Running | undefined;
}

/**
 * The read or write around the current call. Nested calls join it, since they would wait for it
 * forever. One for all stores, since Node copies each AsyncLocalStorage into each promise.
 */
const running = new AsyncLocalStorage<Running>();

export function openStore(options: StoreOptions): Store {
  return new LeasedStore(options);
}

class LeasedStore implements Store {
  readonly path: string;
  private readonly lease: Lease;
  private readonly writeTurn = createMutex();
  private readonly readTurn = createMutex();
  private readonly longTurn = createMutex();
  private readonly limitTurn = createMutex();
  /**
   * The engine's last memory limit, and the writer for which it was set; each opening has a new
   * writer.
   */
  private limited: { opening: Connection; mb: number } | null = null;
  private isClosed = false;
  /**
   * Stamp (size, time) of the file at this process's last close; null before, empty if it was not
   * the file that `boot` opened.
   */
  private left: string | null = null;
  /** Report of `boot`; null before. */
  private booted: BootReport | null = null;
  /** Which file `boot` opened; null before. */
  private opened: string | null = null;
  /** Set while another process keeps the file closed for this one. */
  private asking: AbortController | null = null;
  private reads = 0;
  private changes = 0;

  constructor(private readonly options: StoreOptions) {
    const sleep = options.sleep ?? ((ms) => sleepReal(ms).then(() => undefined));
    this.path = options.path;
    this.lease = createLease({
      clock: options.clock,
      rest: (ms) => sleepReal(ms, undefined, { ref: false }),
      walBytes: () => statSync(`${options.path}.wal`, { throwIfNoEntry: false })?.size ?? 0,
      open: () => openWaiting(options, sleep, () => this.openFile()),
      closed: () => {
        this.giveBack();
        const stamp = stampOf(options.path);
        if (this.opened !== null) this.left = fileOf(stamp) === this.opened ? stamp : '';
      },
    });
  }

  async boot(): Promise<BootReport> {
    this.booted = { ...OPENED };
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    try {
      await this.lease.use(() => Promise.resolve());
    } catch (error) {
      throw storeError(error, this.path);
    }
    return this.booted;
  }

  isTouched(): boolean {
    if (this.isClosed || this.opened === null) return false;
    const stamp = stampOf(this.path);
    return this.lease.isOpen() ? fileOf(stamp) !== this.opened : stamp !== this.left;
  }

  revision(): number | null {
    return this.opened === null || this.isTouched() ? null : this.changes;
  }

  private async openFile(): Promise<Database> {
    const { options, path } = this;
    if (this.booted === null) return this.openAsReader();
    if (this.left !== null) {
      if (stampOf(path) !== this.left) throw renewed(path);
      return openAndMigrate(options);
    }
    const { database, report } = await openHealing(path, options.clock.now(), () =>
      openAndMigrate(options),
    );
    this.booted = report;
    this.opened = fileOf(stampOf(path));
    return database;
  }

  private giveBack(): void {
    this.asking?.abort();
    this.asking = null;
  }

  /**
   * Asks another process once to close the file; that process may use it again when this one closes
   * it.
   */
  private async openAsReader(): Promise<Database> {
    try {
      return await openReady(this.options);
    } catch (error) {
      const { askFree } = this.options;
      if (faultKind(error) !== 'busy' || askFree === undefined || this.asking !== null) throw error;
      this.asking = new AbortController();
      await askFree(this.asking.signal);
      return openReady(this.options);
    }
  }

  read<T>(fn: (db: Db) => Promise<T>, how: { isLong?: boolean } = {}): Promise<T> {
    return this.run('read', fn, how);
  }

  async write<T>(fn: (db: Db) => Promise<T>, how: { isLean?: boolean } = {}): Promise<T> {
    if (this.options.readOnly) throw new Error('the store is open read-only');
    return this.run('write', fn, how);
  }

  async rebuild(): Promise<Rebuilt> {
    if (this.options.readOnly || this.within() !== undefined)
      throw new Error('a rebuild needs the store for itself');
    try {
      return await this.writeTurn(() =>
        this.longTurn(() => this.readTurn(() => this.copyAndSwap())),
      );
    } catch (error) {
      throw storeError(error, this.path);
    }
  }

  withClosed<T>(fn: () => Promise<T>): Promise<T> {
    return this.lease.withClosed(fn);
  }

  release(): Promise<void> {
    return this.lease.release();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    // A close after idle time leaves the write-ahead log.
    const isLogLeft = !this.lease.isOpen() && existsSync(`${this.path}.wal`);
    if (isLogLeft && this.left !== null && stampOf(this.path) === this.left)
      await this.lease.use(() => Promise.resolve()).catch(() => undefined);
    await this.lease.release();
  }

  isOpen(): boolean {
    return this.lease.isOpen();
  }

  private within(): Running | undefined {
    let found = running.getStore();
    while (found !== undefined && found.of !== this) found = found.around;
    return found;
  }

  private async run<T>(
    kind: 'read' | 'write',
    fn: (db: Db) => Promise<T>,
    { isLean = false, isLong = false }: { isLean?: boolean; isLong?: boolean },
  ): Promise<T> {
    const outer = this.within();
    if (outer !== undefined) {
      if (kind === 'write' && outer.kind === 'read')
        throw new Error('a write inside a read would wait for itself');
      return fn(outer.db);
    }
    if (this.isClosed) throw new Error(`the store ${this.path} is closed`);
    try {
      const turn = isLong ? this.longTurn : this.readTurn;
      return await (kind === 'write' ? this.writeTurn : turn)(async () => {
        if (kind === 'write') await keepReserve(this.options);
        else this.reads++;
        return this.lease
          .use(async ({ writer, reader, longReader }) => {
            const connection = kind === 'write' ? writer : isLong ? await longReader() : reader;
            await this.limitMemory(writer, connection, isLean);
            let isChanged = false;
            const db =
              kind === 'write' ? noticing(connection, () => (isChanged = true)) : connection;
            return running
              .run({ of: this, kind, db, around: running.getStore() }, () =>
                transact(connection, kind, () => fn(db)),
              )
              .finally(() => void (isChanged && this.changes++));
          }, isLong)
          .finally(() => void (kind === 'read' && this.reads--));
      });
    } catch (error) {
      if (isInvalidated(error)) await this.lease.release();
      if (!this.lease.isOpen()) this.giveBack();
      throw storeError(error, this.path);
    }
  }

  /** The engine has one limit for all connections, so concurrent reads need the full limit. */
  private async limitMemory(
    opening: Connection,
    connection: Connection,
    isLean: boolean,
  ): Promise<void> {
    if (this.options.readOnly === true) return;
    // Sets the limit only if it changes, since each setting takes time.
    await this.limitTurn(async () => {
      const mb = isLean && this.reads === 0 ? LEAN_MB : WRITER_MB;
      if (this.limited?.opening === opening && this.limited.mb === mb) return;
      this.limited = null;
      // Fails if more memory is in use; the next read or write then tries again.
      await connection.run(`SET memory_limit = '${mb}MB'`).then(
        () => (this.limited = { opening, mb }),
        () => undefined,
      );
    });
  }

  private async copyAndSwap(): Promise<Rebuilt> {
    await keepReserve({
      ...this.options,
      aboutToWrite: await stat(this.path).then(({ size }) => size),
    });
    await this.lease.use(({ writer }) => writer.run('CHECKPOINT'));
    return this.lease.withClosed(async () => {
      const copied = await copyDatabase(this.path, this.options.lockWaitMs);
      const { opened } = this;
      // Otherwise the new file would count as another program's.
      this.opened = null;
      try {
        return await swapDatabase(this.path, copied);
      } finally {
        this.left = stampOf(this.path);
        this.opened = opened && fileOf(this.left);
      }
    });
  }
}

/** Throws DISK_FULL while some space is left, so that the log can still be folded in. */
async function keepReserve(options: ReserveOptions): Promise<void> {
  const fault = await findLackOfSpace(options);
  if (fault !== null) throw fault;
}

/** Calls `notice` when a statement may write lessons or projects. */
function noticing(db: Db, notice: () => void): Db {
  const look = (written: string): void => void (LESSONS_AND_PROJECTS.test(written) && notice());
  return {
    ...db,
    run: (sql, params) => (look(sql), db.run(sql, params)),
    append: (table, columns) => (look(table), db.append(table, columns)),
  };
}

/** One transaction on one connection. */
async function transact<T>(
  connection: Connection,
  kind: 'read' | 'write',
  fn: (db: Db) => Promise<T>,
): Promise<T> {
  await connection.run(kind === 'write' ? 'BEGIN TRANSACTION' : 'BEGIN TRANSACTION READ ONLY');
  try {
    const result = await fn(connection);
    await connection.run('COMMIT');
    return result;
  } catch (error) {
    // After a failed commit there is no transaction, and ROLLBACK fails; the first error counts.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
