/**
 * Entries whose text is not in the database. Older programs let texts go when the archive held them too; a tier that was made
 * again without some of them tells the same. `bringTextsBack` in jobs/ puts back what the tiers give.
 */
import { sessionKey, type PreparedEntry } from '../../types.js';
import { type Db, first } from '../db.js';
import { WANTED_SESSIONS, sessionLists } from './sessions.js';
import type { TierKey } from './tiers.js';

const WITHOUT_TEXT = `NOT EXISTS (FROM own.superseded o WHERE o.n = e.n) AND NOT EXISTS (FROM own.texts x WHERE x.n = e.n)`;

/** Whether no text is missing, by the counts of two tables: cheap, and true in most homes. */
export async function isWhole(db: Db): Promise<boolean> {
  const row = await first<{ whole: boolean }>(
    db,
    'SELECT (SELECT count(*) FROM own.entries) <= (SELECT count(*) FROM own.texts) AS whole',
  );
  return row?.whole === true;
}

/** Ids of the entries of sessions, forks and resumes included, that lack their text, by `agent\0session`. */
export async function textlessOf(
  db: Db,
  sessions: readonly { agent: string; session: string }[],
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  if (await isWhole(db)) return found;
  const rows = await db.all<{ agent: string; session: string; id: string }>(
    `SELECT h.agent, h.session, e.id FROM (SELECT w.agent, w.session, o.id FROM (SELECT id, agent, session FROM own.entries
       UNION ALL SELECT id, agent, session FROM own.copies) o
     JOIN ${WANTED_SESSIONS} ON w.agent = o.agent AND w.session = o.session GROUP BY ALL) h
     JOIN own.entries e ON e.id = h.id WHERE ${WITHOUT_TEXT}`,
    sessionLists(sessions),
  );
  for (const { agent, session, id } of rows) {
    const key = sessionKey(agent, session);
    found.set(key, (found.get(key) ?? new Set()).add(id));
  }
  return found;
}

/** Sessions (`agent\0session`) that lack texts. */
export async function textlessSessions(db: Db): Promise<Set<string>> {
  if (await isWhole(db)) return new Set();
  const rows = await db.all<{ agent: string; session: string }>(
    `SELECT DISTINCT agent, session FROM own.entries e WHERE ${WITHOUT_TEXT}`,
  );
  return new Set(rows.map(({ agent, session }) => sessionKey(agent, session)));
}

/** A tier that may give back texts which the database lacks. */
export interface GivingTier extends TierKey {
  path: string;
  sha256: string;
  /** Texts of it that the database lacks, and the terms in them. */
  texts: number;
  terms: number;
}

/** By tier; an entry without a time may stand in any of its session. */
const OF_TIERS = `own.entries e JOIN own.tiers t ON t.agent = e.agent AND t.session = e.session
     AND t.day = coalesce(strftime(e.time, '%Y-%m-%d'), t.day)
   LEFT JOIN own.tier_checks c ON c.agent = t.agent AND c.session = t.session AND c.day = t.day`;

/** Tiers with more such entries than the file was found unable to give, newest first. */
export async function givingTiers(db: Db): Promise<GivingTier[]> {
  return (await isWhole(db))
    ? []
    : db.all(
        `SELECT t.agent, t.session, t.day, t.path, t.sha256, count(*) AS texts, sum(e.length)::BIGINT AS terms FROM ${OF_TIERS}
     WHERE ${WITHOUT_TEXT} GROUP BY ALL HAVING count(*) > coalesce(any_value(c.texts), 0)
       ORDER BY t.day DESC, t.agent, t.session`,
      );
}

/** Texts that the database lacks, and of how many sessions. */
export async function countTextless(db: Db): Promise<{ texts: number; sessions: number }> {
  const none = { texts: 0, sessions: 0 };
  if (await isWhole(db)) return none;
  const row = await first<typeof none>(
    db,
    `SELECT count(*) AS texts, count(DISTINCT (agent, session)) AS sessions FROM own.entries e WHERE ${WITHOUT_TEXT}`,
  );
  return row ?? none;
}

/** An entry of one of the tiers that were asked for, by its place among them. */
export interface InTier {
  place: number;
  id: string;
}

/** Entries of tiers whose text the database lacks. One look at all entries. */
export async function textlessOfTiers(db: Db, tiers: readonly TierKey[]): Promise<InTier[]> {
  return (await isWhole(db))
    ? []
    : db.all(
        `SELECT w.place, e.id FROM own.entries e
     JOIN (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day, unnest($places) AS place) w
       ON w.agent = e.agent AND w.session = e.session AND w.day = coalesce(strftime(e.time, '%Y-%m-%d'), w.day)
     WHERE ${WITHOUT_TEXT}`,
        { ...sessionLists(tiers), days: tiers.map(({ day }) => day), places: tiers.map((_, place) => BigInt(place)) },
      );
}

/**
 * Puts texts back, with their search terms, into rows that have none; their sessions are learnt from again.
 * @param told by running number
 * @returns how many had none
 */
export async function putTextsBack(db: Db, told: ReadonlyMap<number, PreparedEntry>): Promise<number> {
  if (told.size === 0 || (await isWhole(db))) return 0;
  const held = await db.all<{ n: number }>('SELECT n FROM own.texts WHERE n IN (SELECT unnest($ns::BIGINT[]))', {
    ns: [...told.keys()].map(BigInt),
  });
  const known = new Set(held.map(({ n }) => n));
  const fresh = [...told].flatMap(([n, entry]) => (known.has(n) ? [] : [{ n, entry }]));
  if (fresh.length === 0) return 0;
  await db.append('own.texts', { n: fresh.map(({ n }) => n), text: fresh.map(({ entry }) => entry.text) });
  await db.append('own.postings', {
    hash: BigInt64Array.from(fresh.flatMap(({ entry }) => [...entry.terms.hashes])),
    n: BigInt64Array.from(
      fresh.flatMap(({ n, entry }) => Array.from<bigint>({ length: entry.terms.counts.length }).fill(BigInt(n))),
    ),
    count: Int32Array.from(fresh.flatMap(({ entry }) => [...entry.terms.counts])),
  });
  await db.run(
    `UPDATE own.sessions s SET extractor = 0 FROM ${WANTED_SESSIONS} WHERE s.agent = w.agent AND s.session = w.session
       AND s.extractor IS NOT NULL`,
    sessionLists(fresh.map(({ entry }) => entry)),
  );
  return fresh.length;
}
