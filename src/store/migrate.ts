import { dirname } from 'node:path';
import { AppError, EXIT, messageOf } from '../errors.js';
import type { Db } from './db.js';
import { archiveRoot, ensureEmptyTier } from './search/archive.js';
import { ADD_COLUMNS, CREATE, PREVIOUS_VERSION, STORE_VERSION, UPGRADE_FROM_8 } from './schema.js';
import { viewStatements } from './views.js';
import { shortHash } from '../text/fingerprint.js';

/** Contents of `main.meta`; empty for a file without tables. */
type Meta = Record<string, string>;

export async function readMeta(db: Db): Promise<Meta> {
  const rows = await db
    .all<{ key: string; value: string }>('SELECT key, value FROM main.meta')
    .catch((error: unknown) => {
      // Every opening reads the table; looking it up in the catalogue first would be slower.
      if (/^Catalog Error: Table with name meta does not exist/.test(messageOf(error))) return [];
      throw error;
    });
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

/** Version of the store: 0 for an empty file. */
export function versionOf(meta: Meta): number {
  return Number(meta.store_version ?? 0);
}

/**
 * @throws AppError STORE_NEWER (exit 13) if a newer program wrote the file, which stays untouched;
 * STORE_TOO_OLD, which a writer treats as damage: it quarantines the file and rebuilds the store
 * from tiers and logs
 */
export function checkVersion(meta: Meta, path: string): void {
  const version = versionOf(meta);
  if (version > STORE_VERSION) {
    throw new AppError(
      'STORE_NEWER',
      `${path} has store version ${version}; this program knows ${STORE_VERSION}`,
      {
        hint: 'update dripstone, or move the file away to start again from the logs',
        exitCode: EXIT.config,
      },
    );
  }
  if (version > 0 && version < PREVIOUS_VERSION)
    throw new AppError(
      'STORE_TOO_OLD',
      `${path} has store version ${version}; this program reads ${PREVIOUS_VERSION} and later`,
      {
        hint: 'run `dripstone run`: the file is quarantined, and a new one is made from tiers, crystals and logs',
      },
    );
}

/** Whether a writer must update the file before a read-only opener can use it. */
export function isOutdated(meta: Meta, path: string): boolean {
  return (
    versionOf(meta) < STORE_VERSION ||
    meta.views !== hashOf(viewStatements(archiveRoot(dirname(path))))
  );
}

/**
 * Updates the file to STORE_VERSION in one transaction. A CHECKPOINT follows, so that no DDL stays
 * in a WAL. Creates the views again if their text changed or the home moved.
 */
export async function migrate(db: Db, meta: Meta, path: string): Promise<void> {
  const version = versionOf(meta);
  if (version === 0) await inTransaction(db, BIRTH);
  else if (version < STORE_VERSION)
    await inTransaction(db, [
      ...UPGRADE_FROM_8,
      `UPDATE main.meta SET value = '${STORE_VERSION}' WHERE key = 'store_version'`,
    ]);
  const views = viewStatements(archiveRoot(dirname(path)));
  const hash = hashOf(views);
  if (meta.views === hash) return;
  await ensureEmptyTier(archiveRoot(dirname(path)));
  await inTransaction(db, [
    ...(version === 0 ? [] : ADD_COLUMNS),
    ...views,
    `DELETE FROM main.meta WHERE key = 'views'`,
    `INSERT INTO main.meta VALUES ('views', '${hash}')`,
  ]);
}

const BIRTH: readonly string[] = [
  `CREATE TABLE main.meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL)`,
  ...CREATE,
  `INSERT INTO main.meta VALUES ('commit_seq', '0'), ('next_n', '1'), ('store_version', '${STORE_VERSION}')`,
];

/** Sends all statements in one call, since a new store takes a hundred. */
async function inTransaction(db: Db, statements: readonly string[]): Promise<void> {
  try {
    await db.run(['BEGIN TRANSACTION', ...statements, 'COMMIT'].join('\n;\n'));
  } catch (error) {
    await db.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
  await db.run('CHECKPOINT');
}

function hashOf(views: readonly string[]): string {
  return shortHash(views.join('\n'), 16);
}
