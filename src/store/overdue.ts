/** Work that should have happened long ago, as the store shows it. */
import { first } from './db.js';
import type { Db } from './db.js';

export interface Unlearnt {
  /** Sessions with entries that were read before the given time and drawn from since by nobody. */
  sessions: number;
  /** When lessons were drawn from any session last. */
  last: string | null;
}

/** Sessions whose newest entries were read before `before` and wait for extraction. */
export async function unlearntSince(db: Db, before: string): Promise<Unlearnt> {
  const row = await first<Unlearnt>(
    db,
    `SELECT count(*) FILTER (WHERE last_n > coalesce(extracted_n, 0) AND touched < $before::TIMESTAMP) AS sessions, max(extracted) AS last FROM own.sessions`,
    { before },
  );
  return row!;
}

/** Which project each log belongs to, by slug; logs whose session has no project yet are left out. */
export const projectsOfLogs = (db: Db): Promise<{ path: string; slug: string }[]> =>
  db.all(
    `SELECT s.path, p.slug FROM own.sources s JOIN own.sessions e ON e.agent = s.agent AND e.session = s.session JOIN own.projects p ON p.id = e.project
     ORDER BY s.path`,
  );
