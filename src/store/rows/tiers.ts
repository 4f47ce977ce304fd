/**
 * Tier files: one per session and UTC day of the entry, first in `recent/`, later in `archive/`.
 */
import { isAmong } from '../search/numbers.js';
import { FIRST_PLACES, PLACE } from '../search/session-lines.js';
import { entryFields } from '../../types.js';
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
  /** Hash of its entries' numbers; if it differs, the day is written again. */
  content: string | null;
  sha256: string;
  written: string;
}

/** Keys as lists that a statement unnests. */
function listsOf(keys: readonly TierKey[]): Record<'agents' | 'sessions' | 'days', string[]> {
  return { ...sessionLists(keys), days: keys.map(({ day }) => day) };
}

/** Day of an entry without a time: that of its session's newest entry, else that of its reading. */
const DAY = `strftime(coalesce(e.time, s.newest, s.touched), '%Y-%m-%d')`;

/**
 * Current entries, each at its place in the session that wrote it first, so that the order of
 * reading does not matter.
 * @param columns of own.entries; fewer columns are faster
 * @param which a condition on own.entries `e` @param shared the condition for shared entries
 */
function placed(columns: readonly string[], which = 'true', shared = which): string {
  const atFirst = columns.map((name) => `${PLACE.includes(name) ? 'f' : 'e'}.${name}`);
  return `
    WITH f AS MATERIALIZED (${FIRST_PLACES(shared)})
    SELECT ${columns.map((name) => `e.${name}`).join(', ')} FROM own.entries e
    WHERE ${which} AND NOT EXISTS (FROM own.superseded x WHERE x.n = e.n) AND NOT EXISTS (FROM f WHERE f.n = e.n)
    UNION ALL SELECT ${atFirst.join(', ')} FROM f JOIN own.entries e ON e.n = f.n`;
}

/** Columns that determine the tier of an entry and its place there. */
const IN_TIER = ['n', 'length', 'id', 'agent', 'session', 'time', 'seq', 'log', 'path'];

const CONTENT = 'bit_xor(hash(e.n))';

/** Joins projects to days of sessions, which is faster than to entries. */
const DAYS = `
  SELECT d.* REPLACE (strftime(d.day, '%Y-%m-%d') AS day, coalesce(f.project_id, d.project) AS project)
  FROM (
    SELECT e.agent, e.session, coalesce(e.time, s.newest, s.touched)::DATE AS day, any_value(o.project) AS project,
      ${CONTENT}::VARCHAR AS content, count(*) AS entries, sum(e.length)::BIGINT AS terms
    FROM (${placed(['n', 'length', 'agent', 'session', 'time', 'cwd'])}) e LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
    LEFT JOIN own.folders o ON o.cwd = e.cwd GROUP BY 1, 2, 3) d
  LEFT JOIN own.session_facts f ON f.agent = d.agent AND f.session = d.session`;

/** A past day of a session: its entries in the database, and the record of its tier. */
export interface TierDay extends TierKey {
  project: string | null;
  entries: number;
  /** Terms in its texts. */
  terms: number;
  /** Null without a tier. */
  path: string | null;
  state: Tier['state'] | null;
  sha256: string | null;
  /** Whether the tier differs from the day's entries. */
  is_due: boolean;
}

/** Days before `today` (UTC) that have entries or a tier, oldest first. */
export function tierDays(db: Db, today: string): Promise<TierDay[]> {
  return db.all(
    `SELECT agent, session, day, coalesce(d.project, t.project) AS project,
       coalesce(d.entries, 0) AS entries, coalesce(d.terms, 0) AS terms, t.path, t.state, t.sha256,
       d.content IS DISTINCT FROM t.content AS is_due
     FROM (${DAYS}) d FULL JOIN own.tiers t USING (agent, session, day)
     WHERE day < $today AND (d.entries > 0 OR t.path IS NOT NULL) ORDER BY day, agent, session`,
    { today },
  );
}

/** Entries of a tier in the order of the log, and the hash of their numbers. */
export interface TierEntries extends Pick<Tier, 'content'> {
  keys: TextKey[];
}

const SESSIONS = 'SELECT unnest($sessions::VARCHAR[])';

/** Entries of several tiers, in the order asked for. */
export async function tierKeys(db: Db, days: readonly TierKey[]): Promise<TierEntries[]> {
  const found = await db.all<TextKey & { place: number; content: string }>(
    `SELECT e.n, e.length, w.place, (${CONTENT} OVER (PARTITION BY w.place))::VARCHAR AS content FROM (${placed(IN_TIER, `e.session IN (${SESSIONS})`, `e.id IN (SELECT id FROM own.copies WHERE session IN (${SESSIONS}) UNION ALL SELECT id FROM own.entries WHERE session IN (${SESSIONS}))`)}) e
     LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
     LEFT JOIN own.sources l ON l.log = e.log
     JOIN (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day, unnest($places) AS place) w
       ON w.agent = e.agent AND w.session = e.session AND w.day = ${DAY}
     ORDER BY w.place, coalesce(l.path, e.path), e.seq, e.id`,
    { ...listsOf(days), places: days.map((_, place) => BigInt(place)) },
  );
  const out = days.map((): TierEntries => ({ keys: [], content: null }));
  for (const { n, length, place, content } of found) {
    out[place]!.keys.push({ n, length });
    out[place]!.content = content;
  }
  return out;
}

/** A row of a tier: the columns of the view `entries` that do not depend on the home. */
export type TierRow = Record<string, unknown> & { id: string; text?: string | null };

/** Rows of tiers by `n`; the caller limits their number. */
export async function rowsOfTiers(db: Db, keys: readonly TextKey[]): Promise<Map<number, TierRow>> {
  if (keys.length === 0) return new Map();
  const which = isAmong(
    'e.n',
    keys.map(({ n }) => n),
  );
  const columns = entryFields('entry', 'place', 'text').map((name) =>
    name === 'text'
      ? 'NULL AS text'
      : name === 'path'
        ? 'coalesce(l.path, e.path) AS path'
        : `e."${name}"`,
  );
  const read = placed(['n', 'log', ...entryFields('entry', 'place')], which);
  const found = await db.all<TierRow & { '#n': number }>(
    `SELECT ${columns.join(', ')}, e.n AS "#n" FROM (${read}) e LEFT JOIN own.sources l ON l.log = e.log`,
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

/** Records tiers that were written and verified, or moved to the archive. */
export async function saveTiers(db: Db, tiers: readonly Tier[]): Promise<void> {
  await forgetTiers(db, tiers);
  const names = Object.keys(TABLES.tiers.columns) as (keyof Tier)[];
  await db.append('own.tiers', columnsOf(tiers, ...names));
}
