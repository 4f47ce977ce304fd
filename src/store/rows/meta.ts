import { first } from '../db.js';
import type { Db } from '../db.js';

/** One value of `main.meta`, or null. */
export async function metaValue(db: Db, key: string): Promise<string | null> {
  return (
    (await first<{ value: string }>(db, 'SELECT value FROM main.meta WHERE key = $key', { key }))
      ?.value ?? null
  );
}

export async function setMeta(db: Db, key: string, value: string): Promise<void> {
  const changed = await db.run('UPDATE main.meta SET value = $value WHERE key = $key', {
    key,
    value,
  });
  if (changed === 0) await db.run('INSERT INTO main.meta VALUES ($key, $value)', { key, value });
}

/**
 * Records a commit: counts transactions that stored entries, and sets the next free running number.
 */
export async function endCommit(db: Db, nextN: number): Promise<void> {
  await db.run(
    `UPDATE main.meta SET value = CASE key WHEN 'next_n' THEN $nextN::VARCHAR ELSE (value::BIGINT + 1)::VARCHAR END WHERE ` +
      `key IN ('next_n', 'commit_seq')`,
    { nextN },
  );
}
