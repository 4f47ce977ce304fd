/** What nights found of the tier files: which were as we wrote them, which were not, and what is lost with them. */
import { first, type Db } from './db.js';
import type { TierKey } from './tiers.js';

/** A tier's file as it was when its bytes were last compared with what we wrote. */
export interface TierCheck extends TierKey {
  size: number;
  mtimeMs: number;
  /** Texts that the database lacks and the file could not give. */
  texts: number;
}

export const loadTierChecks = (db: Db): Promise<TierCheck[]> =>
  db.all('SELECT agent, session, day, size, mtime_ms AS "mtimeMs", texts FROM own.tier_checks');

export async function saveTierChecks(db: Db, checks: readonly TierCheck[]): Promise<void> {
  const column = <K extends keyof TierCheck>(name: K): TierCheck[K][] => checks.map((check) => check[name]);
  await db.run(
    `DELETE FROM own.tier_checks t USING (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day) w
     WHERE t.agent = w.agent AND t.session = w.session AND t.day = w.day`,
    { agents: column('agent'), sessions: column('session'), days: column('day') },
  );
  await db.append('own.tier_checks', {
    agent: column('agent'),
    session: column('session'),
    day: column('day'),
    size: column('size'),
    mtime_ms: column('mtimeMs'),
    texts: column('texts'),
  });
}

export interface TierFault {
  path: string;
  what: 'missing' | 'damaged';
  /** ISO 8601 UTC. */
  time: string;
  /** Texts that are neither in the database nor in the tier since then. */
  texts: number;
}

export const loadTierFaults = (db: Db): Promise<TierFault[]> =>
  db.all('SELECT path, what, time, texts FROM own.tier_faults ORDER BY time DESC, path');

/** The newest fault of a file counts. */
export async function saveTierFaults(db: Db, faults: readonly TierFault[]): Promise<void> {
  await db.run('DELETE FROM own.tier_faults WHERE path IN (SELECT unnest($paths))', { paths: faults.map(({ path }) => path) });
  await db.append('own.tier_faults', {
    path: faults.map(({ path }) => path),
    what: faults.map(({ what }) => what),
    time: faults.map(({ time }) => time),
    texts: faults.map(({ texts }) => texts),
  });
}

/** Forgets faults before `time` (ISO), so that the table does not grow for ever. */
export const trimTierFaults = (db: Db, time: string): Promise<number> =>
  db.run('DELETE FROM own.tier_faults WHERE time < $time::TIMESTAMP', { time });

/** Sessions that were extracted while some of their texts were nowhere. */
export async function countHoles(db: Db): Promise<{ sessions: number; texts: number; since: string | null }> {
  const row = await first<{ sessions: number; texts: number; since: string | null }>(
    db,
    'SELECT count(*) AS sessions, coalesce(sum(texts), 0)::BIGINT AS texts, min(time) AS since FROM own.holes',
  );
  return row ?? { sessions: 0, texts: 0, since: null };
}

/** Their texts may be there again: they are extracted anew. */
export const learnHolesAnew = (db: Db, sessions: readonly { agent: string; session: string }[]): Promise<number> =>
  db.run(
    `UPDATE own.sessions s SET extractor = 0 WHERE (s.agent, s.session) IN (SELECT (agent, session) FROM own.holes)
       AND (s.agent, s.session) IN (SELECT unnest($agents::VARCHAR[]), unnest($sessions::VARCHAR[]))`,
    { agents: sessions.map(({ agent }) => agent), sessions: sessions.map(({ session }) => session) },
  );
