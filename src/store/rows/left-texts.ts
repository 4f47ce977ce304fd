/** Entries whose text is not in the database: it left by age or budget, or never came back. The tiers hold it. */
import { sessionKey, type PreparedEntry, type Role } from '../../types.js';
import type { Db } from '../db.js';
import type { TierKey } from './tiers.js';
import { WANTED_SESSIONS, sessionLists } from './sessions.js';

export interface LeftText {
  agent: string;
  session: string;
  n: number;
  id: string;
  hash: string;
  role: Role;
  /** Terms in the text. */
  length: number;
  /** Tiers that may hold it: that of its day, or for an entry without a time all of its session. */
  paths: string[];
}

const WITHOUT_TEXT = `NOT EXISTS (FROM own.superseded o WHERE o.n = e.n) AND NOT EXISTS (FROM own.texts x WHERE x.n = e.n)`;

/** Whether no text is missing, by the counts of two tables: cheap, and true in most homes. */
export async function isWhole(db: Db): Promise<boolean> {
  const [row] = await db.all<{ whole: boolean }>(
    'SELECT (SELECT count(*) FROM own.entries) <= (SELECT count(*) FROM own.texts) AS whole',
  );
  return row?.whole === true;
}

async function leftOf(db: Db, here: string, params: Record<string, string[]>): Promise<LeftText[]> {
  return (await isWhole(db))
    ? []
    : db
        .all(
          `SELECT h.agent, h.session, e.n, e.id, e.hash, e.role, e.length, list(DISTINCT t.path
            ORDER BY t.path) FILTER (WHERE t.path IS NOT NULL) AS paths
     FROM (${here}) h JOIN own.entries e ON e.id = h.id
     LEFT JOIN own.tiers t ON t.agent = e.agent AND t.session = e.session AND (e.time IS NULL
       OR t.day = strftime(e.time, '%Y-%m-%d'))
     WHERE ${WITHOUT_TEXT} GROUP BY ALL ORDER BY e.n`,
          params,
        )
        .then((rows) =>
          (rows as (Omit<LeftText, 'paths'> & { paths: string[] | null })[]).map((row) => ({ ...row, paths: row.paths ?? [] })),
        );
}

/** Texts that the entries of sessions lack, those that forks and resumes share with other sessions among them. */
export function leftOfSessions(db: Db, sessions: readonly { agent: string; session: string }[]): Promise<LeftText[]> {
  return leftOf(
    db,
    `SELECT w.agent, w.session, o.id FROM (SELECT id, agent, session FROM own.entries UNION ALL SELECT id, agent, session
      FROM own.copies) o
     JOIN ${WANTED_SESSIONS} ON w.agent = o.agent AND w.session = o.session
       GROUP BY ALL`,
    sessionLists(sessions),
  );
}

/**
 * Roles and lengths of all texts of sessions, by `agent\0session`, wherever they are: how much each keeps depends on all of them.
 */
export async function lengthsOf(
  db: Db,
  sessions: readonly { agent: string; session: string }[],
): Promise<Map<string, { role: Role; length: number }[]>> {
  const rows = await db.all<{ agent: string; session: string; role: Role; length: number }>(
    `SELECT w.agent, w.session, e.role, e.length FROM (SELECT id, agent, session FROM own.entries UNION SELECT id, agent, session
      FROM own.copies) o
     JOIN ${WANTED_SESSIONS} ON w.agent = o.agent AND w.session = o.session
     JOIN own.entries e ON e.id = o.id AND NOT EXISTS (FROM own.superseded s WHERE s.n = e.n)`,
    sessionLists(sessions),
  );
  const found = new Map<string, { role: Role; length: number }[]>();
  for (const { agent, session, role, length } of rows) {
    const key = sessionKey(agent, session);
    const list = found.get(key);
    if (list) list.push({ role, length });
    else found.set(key, [{ role, length }]);
  }
  return found;
}

/** The same of single entries. */
export function leftOfIds(db: Db, ids: readonly string[]): Promise<LeftText[]> {
  return leftOf(db, 'SELECT DISTINCT agent, session, id FROM own.entries WHERE id IN (SELECT unnest($ids))', { ids: [...ids] });
}

/** How many entries of projects (absent: of all) have no text in the database. */
export async function countLeft(db: Db, projects?: readonly string[]): Promise<number> {
  if (await isWhole(db)) return 0;
  const among = projects === undefined ? '' : `AND e.project_id IN (SELECT unnest($projects))`;
  const from = projects === undefined ? 'own.entries' : 'own.current_entries';
  const [row] = await db.all<{ n: number }>(
    `SELECT count(*) AS n FROM ${from} e WHERE ${WITHOUT_TEXT} ${among}`,
    projects === undefined ? {} : { projects: [...projects] },
  );
  return row?.n ?? 0;
}

/** Terms of all archive tiers, each entry taken for one of middle length: how much a search of the archive reads. */
export async function countArchivedTerms(db: Db): Promise<number> {
  const [row] = await db.all<{ n: number }>(
    `SELECT coalesce(sum(entries) * (SELECT avg(length) FROM own.entries), 0)::BIGINT AS n FROM own.tiers
     WHERE state = 'archive'`,
  );
  return row?.n ?? 0;
}

/** A tier that may give back texts which the database lacks. */
export interface LeftTier extends TierKey {
  path: string;
  sha256: string;
  /** Texts of it that the database lacks. */
  entries: number;
}

/** Tiers with more such entries than the file was found unable to give, newest first. */
export async function tiersOfLeft(db: Db, limit: number): Promise<LeftTier[]> {
  return (await isWhole(db))
    ? []
    : db.all(
        `SELECT t.agent, t.session, t.day, t.path, t.sha256, count(*) AS entries FROM own.entries e
     JOIN own.tiers t ON t.agent = e.agent AND t.session = e.session
       AND t.day = coalesce(strftime(e.time, '%Y-%m-%d'), t.day)
     LEFT JOIN own.tier_checks c ON c.agent = t.agent AND c.session = t.session AND c.day = t.day
     WHERE ${WITHOUT_TEXT} GROUP BY ALL HAVING count(*) > coalesce(any_value(c.texts), 0)
       ORDER BY t.day DESC, t.agent, t.session LIMIT $limit`,
        { limit },
      );
}

export interface LeftInTier {
  /** Of the tier in the list that was asked for. */
  place: number;
  n: number;
  id: string;
  hash: string;
}

/** Texts that the database lacks of each of these tiers, by its place in the list. One look at all entries. */
export function leftInTiers(db: Db, tiers: readonly TierKey[]): Promise<LeftInTier[]> {
  return db.all(
    `SELECT w.place, e.n, e.id, e.hash FROM own.entries e
     JOIN (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day, unnest($places) AS place) w
       ON w.agent = e.agent AND w.session = e.session AND w.day = coalesce(strftime(e.time, '%Y-%m-%d'), w.day)
     WHERE ${WITHOUT_TEXT}`,
    { ...sessionLists(tiers), days: tiers.map(({ day }) => day), places: tiers.map((_, place) => BigInt(place)) },
  );
}

/** Puts texts back, with their search terms; only for rows that have none. */
export async function putTextsBack(
  db: Db,
  rows: readonly { n: number; entry: Pick<PreparedEntry, 'text' | 'terms'> }[],
): Promise<number> {
  const held = await db.all<{ n: number }>('SELECT n FROM own.texts WHERE n IN (SELECT unnest($ns::BIGINT[]))', {
    ns: rows.map(({ n }) => BigInt(n)),
  });
  const known = new Set(held.map(({ n }) => n));
  const fresh = rows.filter(({ n }) => !known.has(n));
  await db.append('own.texts', { n: fresh.map(({ n }) => n), text: fresh.map(({ entry }) => entry.text) });
  const counts = fresh.flatMap(({ entry }) => [...entry.terms.counts]);
  await db.append('own.postings', {
    hash: BigInt64Array.from(fresh.flatMap(({ entry }) => [...entry.terms.hashes])),
    n: BigInt64Array.from(
      fresh.flatMap(({ n, entry }) => Array.from<bigint>({ length: entry.terms.counts.length }).fill(BigInt(n))),
    ),
    count: Int32Array.from(counts),
  });
  return fresh.length;
}
