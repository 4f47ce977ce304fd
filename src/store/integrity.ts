import { first } from './db.js';
import type { Db } from './db.js';

/** Entries stored more than once under the same rev: always 0 unless something is wrong. */
export async function doubledEntries(db: Db): Promise<number> {
  const row = await first<{ doubled: number }>(db, 'SELECT count(*) - count(DISTINCT (id, rev)) AS doubled FROM own.entries');
  return row?.doubled ?? 0;
}
