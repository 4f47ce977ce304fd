/**
 * The store: leases the one DuckDB file and runs work in transactions. Nothing in this process may
 * open, read, copy or hash the file or its WAL by other means: closing any descriptor of it drops
 * DuckDB's lock, and another process would overwrite commits.
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
   * A consistent snapshot of everything committed; several reads wait for each other, never for a
   * write.
   * @param how long: it may take seconds, and only other long ones wait for it
   */
  read<T>(fn: (db: Db) => Promise<T>, how?: { isLong?: boolean }): Promise<T>;
  /**
   * One transaction: everything that `fn` did is committed, or nothing when it throws. Await
   * nothing but the Db in it.
   * @param how lean: it adds rows and reads no text
   */
  write<T>(fn: (db: Db) => Promise<T>, how?: { isLean?: boolean }): Promise<T>;
  /**
   * Writes the file again, packed and without its freed pages, and swaps it in: half a minute a
   * gigabyte of logs, in which other processes may read it.
   */
  rebuild(): Promise<Rebuilt>;
  /**
   * Opens the file for the first time, and sets a damaged one aside. From then on a file that
   * another program deleted, replaced or changed throws STORE_RENEWED at every read and write: a
   * checkpoint of the old file stored in the new one would skip what only the old one has.
   */
  boot(): Promise<BootReport>;
  /** Whether another program deleted, replaced or changed the file since `boot`. By stat alone. */
  isTouched(): boolean;
  /**
   * The same number as before: lessons and projects are the same, too. Null: only a read shows it. By
   * stat alone.
   */
  revision(): number | null;
  /** Runs `fn` while the file is closed in this process, e.g. to rename it. */
  withClosed<T>(fn: () => Promise<T>): Promise<T>;
  /**
   * Closes the file as soon as running work has ended; the next read or write opens it again. After
   * a moment without work the file is closed anyway.
   */
  release(): Promise<void>;
  /** As release; afterwards every call throws. */
  close(): Promise<void>;
  isOpen(): boolean;
}

/**
 * What folding in needs beyond this spills. The engine does not count the texts that it packs again
 * meanwhile.
 */
const LEAN_MB = 160;

/** What `revision` is about: a statement that writes anything of them names it. */
const LESSONS_AND_PROJECTS = /\bown\.(?:lessons|evidence|projects|project_aliases|folders)\b/;

interface Running {
  of: LeasedStore;
  kind: 'read' | 'write';
  db: Db;
  /** Of another store. */
  around: Running | undefined;
}

/**
 * Which read or write the current call runs inside: nested calls join it, since waiting for it
 * would never end. One for all stores, since Node copies each into each promise.
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
  /** The last setting of the engine, and in which opening of the file: each has its own writer. */
  private limited: { opening: Connection; mb: number } | null = null;
  private isClosed = false;
  /**
   * Stamp (size, time) of the file when this process closed it last; null before, empty when it was
   * another than it opened.
   */
  private left: string | null = null;
  /** What `boot` found; null without it. */
  private booted: BootReport | null = null;
  /** Which file `boot` opened; null before. */
  private opened: string | null = null;
  /** While another process has closed the file for this one. */
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

  /** Asks once for a file that is in use; it is given back when this process closes it. */
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
    // A moment without work closes the file, but leaves its log.
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
          })
          .finally(() => void (kind === 'read' && this.reads--));
      });
    } catch (error) {
      if (isInvalidated(error)) await this.lease.release();
      if (!this.lease.isOpen()) this.giveBack();
      throw storeError(error, this.path);
    }
  }

  /** The engine has one limit for all: what is read meanwhile may need the whole. */
  private async limitMemory(
    opening: Connection,
    connection: Connection,
    isLean: boolean,
  ): Promise<void> {
    if (this.options.readOnly === true) return;
    // Set with each read and write it would slow down a run that finds nothing new.
    await this.limitTurn(async () => {
      const mb = isLean && this.reads === 0 ? LEAN_MB : WRITER_MB;
      if (this.limited?.opening === opening && this.limited.mb === mb) return;
      this.limited = null;
      // More is in use: it stays as it is, and the next read or write tries again.
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
      // Nobody may take the new file for another program's.
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

/** Tells when a statement may write lessons or projects. */
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
    // After a failed commit there is no transaction any more and ROLLBACK complains; the first
    // error is the one that counts.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
