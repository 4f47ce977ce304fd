/** The one writer's store: opened with the ladder for damaged files, and what is done when damage shows while it is in use. */
import { isDamage, OPENED, reasonOf, type BootReport } from './opening.js';
import { faultKind } from './fault.js';
import { dropRebuild } from './rebuild.js';
import { setAside } from './set-aside.js';
import { openStore } from './store.js';
import type { Store, StoreOptions } from './store.js';
import { bringLog } from './true-file.js';

/**
 * Opens the store for the one writer of a home. From now on each opening heals: see `openHealing`.
 * @throws AppError for what is no damage: STORE_BUSY, STORE_NEWER, DISK_FULL, STORE_NOT_WRITABLE
 */
export async function bootStore(options: StoreOptions): Promise<{ store: Store; report: BootReport }> {
  bringLog(options.named ?? options.path, options.path);
  await dropRebuild(options.path);
  const store = openStore({ ...options, heals: true });
  try {
    return { store, report: (await store.settle()) ?? OPENED };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Sets the file aside after damage showed while it was in use, and makes a new one, to be rebuilt by the caller. */
export async function rescueStore(store: Store, now: Date, error: unknown): Promise<BootReport> {
  const moved = await store.withClosed(() => setAside([store.path, `${store.path}.wal`], now));
  await store.settle();
  return { action: 'set-aside', moved, reason: reasonOf(error) };
}

/** Reads every row of every table. @returns whether that shows damage: what DuckDB says of one statement may quote a text that only sounds like it */
export async function confirmDamage(store: Store): Promise<boolean> {
  try {
    await store.read(async (db) => {
      const tables = await db.all<{ name: string }>(`SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'own'`);
      for (const { name } of tables) await db.all(`SELECT bit_xor(hash(t)) FROM own."${name}" t`);
    });
    return false;
  } catch (error) {
    return isDamage(faultKind(error));
  }
}
