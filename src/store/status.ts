import { stat } from 'node:fs/promises';
import { first } from './db.js';
import type { Db } from './db.js';

export interface StoreCounts {
  entries: number;
  sessions: number;
  machineSessions: number;
  projects: number;
  /** Live lessons, conflicts included. */
  lessons: number;
  episodes: number;
  vectors: number;
  /** Number of transactions that stored entries. */
  commits: number;
}

/** What the store holds. */
export async function storeCounts(db: Db): Promise<StoreCounts> {
  const row = await first<StoreCounts>(
    db,
    `SELECT (SELECT count(*) FROM own.entries WHERE rev = 1) AS entries, (SELECT count(*) FROM own.sessions) AS sessions,
       (SELECT count(*) FROM own.session_facts WHERE is_machine) AS "machineSessions", (SELECT count(*) FROM own.projects) AS projects,
       (SELECT count(*) FROM own.lessons WHERE status IN ('live', 'conflict')) AS lessons, (SELECT count(*) FROM main.episodes) AS episodes,
       (SELECT count(*) FROM own.vectors WHERE vector IS NOT NULL) AS vectors,
       (SELECT value::BIGINT FROM main.meta WHERE key = 'commit_seq') AS commits`,
  );
  return row as StoreCounts;
}

/** Bytes of the database file and its WAL, by stat alone: opening them in this process would drop DuckDB's lock. */
export async function storeBytes(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}.wal`].map((file) =>
      stat(file).then(
        (info) => info.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
