/**
 * Tier files: one per session and UTC day of the entry, first in `recent/`, later in `archive/`.
 */
import { TIER_COLUMNS } from '../search/archive.js';
import { isAmong } from '../search/numbers.js';
import { columnsOf, type Db } from '../db.js';
import { textsOf, type TextKey } from './texts.js';
import { sessionLists } from './sessions.js';
import { TABLES } from '../tables.js';

export interface TierKey {
  agent: string;
  session: string;
  /** UTC day of its entries, `YYYY-MM-DD`. */
  day: string;
}

export interface Tier extends TierKey {
  /** Project id. */
  project: string;
  path: string;
  state: 'recent' | 'archive';
  entries: number;
  /** The highest running number in the tier; a day with a higher one is written again. */
  last_n: number;
  sha256: string;
  written: string;
}

/** Keys as lists that a statement unnests. */
function listsOf(keys: readonly TierKey[]): Record<'agents' | 'sessions' | 'days', string[]> {
  return { ...sessionLists(keys), days: keys.map(({ day }) => day) };
}

/**
 * An entry without a time belongs to the day of its session's newest entry, else to the day on
 * which it was read.
 */
const DAY = `strftime(coalesce(e.time, s.newest, s.touched), '%Y-%m-%d')`;

/**
 * Earlier versions of entries that moved to another tier: a fork's log has more of a call, so the
 * entry now belongs to the fork. The new version's number makes the old tier due: it is written without.
 */
const MOVED = `
  SELECT o.agent, o.session, o.day, o.id, c.n
  FROM (SELECT e.agent, e.session, ${DAY} AS day, e.id FROM own.superseded x JOIN own.entries e ON e.n = x.n
    LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session) o
  JOIN (SELECT e.agent, e.session, ${DAY} AS day, e.id, e.n FROM own.entries e
    LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
    WHERE e.rev > 1 AND NOT EXISTS (FROM own.superseded x WHERE x.n = e.n)) c ON c.id = o.id
  WHERE (o.agent, o.session, o.day) <> (c.agent, c.session, c.day)`;

/** Projects are joined to days of sessions; joining them to entries would take longer. */
const DAYS = `
  SELECT d.* REPLACE (strftime(d.day, '%Y-%m-%d') AS day, coalesce(f.project_id, d.project) AS project)
  FROM (
    SELECT agent, session, day, any_value(project) AS project, max(n) AS last_n, count(length) AS entries,
      coalesce(sum(length), 0)::BIGINT AS terms
    FROM (SELECT e.agent, e.session, coalesce(e.time, s.newest, s.touched)::DATE AS day, o.project, e.n, e.length
      FROM own.entries e LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
      LEFT JOIN own.folders o ON o.cwd = e.cwd
      WHERE NOT EXISTS (FROM own.superseded x WHERE x.n = e.n)
      UNION ALL SELECT agent, session, day::DATE, NULL, n, NULL FROM (${MOVED})) GROUP BY 1, 2, 3) d
  LEFT JOIN own.session_facts f ON f.agent = d.agent AND f.session = d.session`;

/** A past day of a session: its entries in the database, and the record of its tier. */
export interface TierDay extends TierKey {
  project: string | null;
  /** Highest running number; 0 if the database has no entry of the day. */
  last_n: number;
  entries: number;
  /** Terms in its texts. */
  terms: number;
  /** Null without a tier. */
  path: string | null;
  state: Tier['state'] | null;
  sha256: string | null;
  /** The day has entries and no tier, got a late entry, or lost one to another tier. */
  is_due: boolean;
}

/** Days before `today` (UTC) that have entries or a tier, oldest first. */
export function tierDays(db: Db, today: string): Promise<TierDay[]> {
  return db.all(
    `SELECT agent, session, day, coalesce(d.project, t.project) AS project, coalesce(d.last_n, 0) AS last_n,
       coalesce(d.entries, 0) AS entries, coalesce(d.terms, 0) AS terms, t.path, t.state, t.sha256,
       coalesce(d.last_n, 0) > coalesce(t.last_n, 0) AS is_due
     FROM (${DAYS}) d FULL JOIN own.tiers t USING (agent, session, day)
     WHERE day < $today AND (d.entries > 0 OR t.path IS NOT NULL) ORDER BY day, agent, session`,
    { today },
  );
}

/** Entries of several tiers, in the order asked for, each in the order of the log. */
export async function tierKeys(db: Db, days: readonly TierKey[]): Promise<TextKey[][]> {
  const found = await db.all<TextKey & { place: number }>(
    `SELECT e.n, e.length, w.place FROM own.entries e
     LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
     LEFT JOIN own.sources l ON l.log = e.log
     JOIN (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day, unnest($places) AS place) w
       ON w.agent = e.agent AND w.session = e.session AND w.day = ${DAY}
     WHERE NOT EXISTS (FROM own.superseded x WHERE x.n = e.n)
     ORDER BY w.place, coalesce(l.path, e.path), e.seq, e.id`,
    { ...listsOf(days), places: days.map((_, place) => BigInt(place)) },
  );
  const out = days.map((): TextKey[] => []);
  for (const { n, length, place } of found) out[place]!.push({ n, length });
  return out;
}

/** A row of a tier: the columns of the view `entries`. */
export type TierRow = Record<string, unknown> & { id: string; text?: string | null };

/** Rows of tiers by `n`; the caller bounds how many. */
export async function rowsOfTiers(db: Db, keys: readonly TextKey[]): Promise<Map<number, TierRow>> {
  if (keys.length === 0) return new Map();
  const found = await db.all<TierRow & { '#n': number }>(
    `SELECT ${TIER_COLUMNS.map(([name]) => (name === 'text' ? 'NULL AS text' : `e."${name}"`)).join(', ')}, e.n AS "#n"
     FROM own.current_entries e
     WHERE ${isAmong(
       'e.n',
       keys.map(({ n }) => n),
     )}`,
  );
  const texts = await textsOf(db, keys);
  return new Map(found.map(({ '#n': n, ...row }) => [n, { ...row, text: texts.get(n) ?? null }]));
}

/** @returns the tiers, each with the ISO week of its day, e.g. `2026-W46` */
export function loadTiers(db: Db): Promise<(Tier & { week: string })[]> {
  return db.all(
    `SELECT *, coalesce(strftime(TRY_CAST(day AS DATE), '%G-W%V'), '0') AS week FROM own.tiers ORDER BY day, agent, session`,
  );
}

export async function forgetTiers(db: Db, keys: readonly TierKey[]): Promise<void> {
  await db.run(
    `DELETE FROM own.tiers t USING (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day) w
     WHERE t.agent = w.agent AND t.session = w.session AND t.day = w.day`,
    listsOf(keys),
  );
}

/** Records tiers that were written, read back and counted, or moved to the archive. */
export async function saveTiers(db: Db, tiers: readonly Tier[]): Promise<void> {
  await forgetTiers(db, tiers);
  const names = Object.keys(TABLES.tiers.columns) as (keyof Tier)[];
  await db.append('own.tiers', columnsOf(tiers, ...names));
}
