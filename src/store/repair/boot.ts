/** Opens the store for the home's one writer; quarantines a damaged file. */
import { isDamage, reasonOf, type BootReport, quarantine } from './opening.js';
import { faultKind } from './fault.js';
import { dropRebuild } from './rebuild.js';
import { openStore } from '../store.js';
import type { StoreOptions } from '../open-migrated.js';
import type { Store } from '../store.js';
import { bringLog } from './true-file.js';

/**
 * @param suspicion error that ended the last run. If its message suggests damage, every block is
 * read first, since a statement's error may quote a text with such words
 * @throws AppError for errors other than damage: STORE_BUSY, STORE_NEWER, DISK_FULL,
 * STORE_NOT_WRITABLE
 */
export async function bootStore(
  options: StoreOptions,
  suspicion?: unknown,
): Promise<{ store: Store; report: BootReport }> {
  bringLog(options.named ?? options.path, options.path);
  await dropRebuild(options.path);
  const store = openStore(options);
  try {
    const report = await store.boot();
    const isSuspected = suspicion !== undefined && faultKind(suspicion) === 'damaged';
    if (!isSuspected || !(await confirmDamage(store))) return { store, report };
    await store.close();
    const moved = await quarantine([store.path, `${store.path}.wal`], options.clock.now());
    const { store: fresh } = await bootStore(options);
    return { store: fresh, report: { action: 'quarantined', moved, reason: reasonOf(suspicion) } };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Rows per statement. Few enough that even rows of the maximum length block the file for well under
 * a second.
 */
const ROWS = { long: 16_384, short: 262_144 };
const LONG = new Set(['texts', 'vectors', 'candidates', 'episodes', 'lessons', 'evidence']);

/**
 * Reads every row of every table in slices, and so every block in use, since the engine then
 * compares its checksum. Other processes can use the file between slices.
 * @param report rows read, and all rows
 * @throws the engine's error about the first damaged block
 */
export async function readBlocks(
  store: Store,
  report: (done: number, total: number) => void = () => {},
): Promise<void> {
  const tables = await store.read((db) =>
    db.all<{ schema: string; name: string; rows: number }>(
      'SELECT schema_name AS "schema", table_name AS name, estimated_size::BIGINT AS rows FROM duckdb_tables() WHERE NOT ' +
        'internal ORDER BY 1, 2',
    ),
  );
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  for (const { schema, name, rows } of tables) {
    const table = `"${schema}"."${name.replaceAll('"', '""')}"`;
    const slice = LONG.has(name) ? ROWS.long : ROWS.short;
    // Numbers of deleted rows are not reused, so numbers may exceed the count.
    const [last] = await store.read((db) =>
      db.all<{ row: number | null }>(`SELECT max(rowid) AS row FROM ${table}`),
    );
    for (let at = 0; at <= (last?.row ?? -1); at += slice) {
      await store.read((db) =>
        db.all(
          `SELECT bit_xor(hash(t)) FROM ${table} t WHERE rowid >= ${at} AND rowid < ${at + slice}`,
        ),
      );
      report(done + Math.min(rows, at + slice), total);
    }
    done += rows;
  }
}

/** Whether reading every block shows damage. */
async function confirmDamage(store: Store): Promise<boolean> {
  try {
    await readBlocks(store);
    return false;
  } catch (error) {
    return isDamage(faultKind(error));
  }
}
