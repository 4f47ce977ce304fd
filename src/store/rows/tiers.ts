/**
 * Tier files: one per session and UTC day of the entry, first in `recent/`, later in `archive/`.
 */
import { TIER_COLUMNS } from '../search/archive.js';
import { isAmong } from '../search/numbers.js';
import { type Db, columnsOf, fieldsOf, first } from '../db.js';
import type { TextKey } from './texts.js';
import { sessionLists } from './sessions.js';

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
  /**
   * Highest running number that it holds; a higher one in the database means that the day has to be
   * written again.
   */
  lastN: number;
  sha256: string;
  written: string;
}

/** Keys as lists that a statement unnests. */
function listsOf(keys: readonly TierKey[]): Record<'agents' | 'sessions' | 'days', string[]> {
  return { ...sessionLists(keys), days: keys.map(({ day }) => day) };
}

/**
 * An entry without a time belongs to the day of its session's newest entry, else to that of its
 * reading.
 */
const DAY = `strftime(coalesce(e.time, s.newest, s.touched), '%Y-%m-%d')`;

/**
 * Earlier versions of entries that belong to another tier now: a fork told more of a call than its
 * original, so the entry is the fork's. The number of the new version makes the old tier due, which
 * must not keep it.
 */
const MOVED = `
  SELECT o.agent, o.session, o.day, o.id, c.n
  FROM (SELECT e.agent, e.session, ${DAY} AS day, e.id FROM own.superseded x JOIN own.entries e ON e.n = x.n
    LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session) o
  JOIN (SELECT e.agent, e.session, ${DAY} AS day, e.id, e.n FROM own.entries e
    LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
    WHERE e.rev > 1 AND NOT EXISTS (FROM own.superseded x WHERE x.n = e.n)) c ON c.id = o.id
  WHERE (o.agent, o.session, o.day) <> (c.agent, c.session, c.day)`;

/**
 * Projects of sessions are joined to days, not to entries: of a million entries that took four
 * times as long.
 */
const DAYS = `
  SELECT d.agent, d.session, strftime(d.day, '%Y-%m-%d') AS day, coalesce(f.project_id, d.project) AS project, d.first_n,
    d.last_n, d.entries, d.terms
  FROM (
    SELECT agent, session, day, any_value(project) AS project, min(n) AS first_n, max(n) AS last_n, count(length) AS entries,
      coalesce(sum(length), 0)::BIGINT AS terms
    FROM (SELECT e.agent, e.session, coalesce(e.time, s.newest, s.touched)::DATE AS day, o.project, e.n, e.length
      FROM own.entries e LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
      LEFT JOIN own.folders o ON o.cwd = e.cwd
      WHERE NOT EXISTS (FROM own.superseded x WHERE x.n = e.n)
      UNION ALL SELECT agent, session, day::DATE, NULL, n, NULL FROM (${MOVED})) GROUP BY 1, 2, 3) d
  LEFT JOIN own.session_facts f ON f.agent = d.agent AND f.session = d.session`;

export interface DueTier extends TierKey {
  project: string | null;
  /** Running numbers of its entries lie between these; a later one makes it due again. */
  firstN: number;
  lastN: number;
  entries: number;
  /** Terms in its texts. */
  terms: number;
}

/**
 * Days before `today` (UTC) that have entries and no tier, got a late entry, or lost one to another
 * tier, oldest first.
 */
export function dueTiers(db: Db, today: string): Promise<DueTier[]> {
  return db.all(
    `SELECT d.agent, d.session, d.day, coalesce(d.project, t.project) AS project, d.first_n AS "firstN", d.last_n AS "lastN",
       d.entries, d.terms
     FROM (${DAYS}) d
     LEFT JOIN own.tiers t ON t.agent = d.agent AND t.session = d.session AND t.day = d.day
     WHERE d.day < $today AND d.last_n > coalesce(t.last_n, 0) AND (d.entries > 0 OR t.last_n IS NOT NULL)
     ORDER BY d.day, d.agent, d.session`,
    { today },
  );
}

/** A row of a tier, with exactly the columns of the view `entries`; its text is fetched by `n`. */
export interface TierHead extends TextKey {
  row: Record<string, unknown> & { id: string; text: string | null };
}

/**
 * Rows of several tiers without their texts, in the order asked for, each in the order of the log:
 * one look at all entries serves many small tiers. It reads what names a tier alone; the other
 * columns, and the view's joins, are for the rows that it finds.
 */
export async function tierHeads(
  db: Db,
  tiers: readonly (TierKey & Pick<DueTier, 'firstN' | 'lastN'>)[],
): Promise<TierHead[][]> {
  const [from, to] = [
    Math.min(...tiers.map(({ firstN }) => firstN)),
    Math.max(...tiers.map(({ lastN }) => lastN)),
  ];
  const numbers = await db.all<{ n: number; place: number }>(
    `SELECT e.n, w.place FROM own.entries e LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
     JOIN (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day, unnest($places) AS place) w
       ON w.agent = e.agent AND w.session = e.session AND w.day = ${DAY}
     WHERE e.n BETWEEN ${BigInt(from)} AND ${BigInt(to)}`,
    { ...listsOf(tiers), places: tiers.map((_, place) => BigInt(place)) },
  );
  const out = tiers.map((): TierHead[] => []);
  if (numbers.length === 0) return out;
  const placeOf = new Map(numbers.map(({ n, place }) => [n, place]));
  const found = await db.all<TierHead['row'] & { '#n': number; '#length': number }>(
    `SELECT ${TIER_COLUMNS.map(([name]) => (name === 'text' ? 'NULL::VARCHAR AS text' : `e."${name}"`)).join(', ')},
       e.n AS "#n", e.length AS "#length"
     FROM own.current_entries e WHERE ${isAmong('e.n', [...placeOf.keys()])} ORDER BY e.path, e.seq, e.id`,
  );
  for (const { '#n': n, '#length': length, ...row } of found)
    out[placeOf.get(n)!]!.push({ n, length, row });
  return out;
}

/** Ids of entries that belonged to these tiers and belong to others now, in the order asked for. */
export async function movedIds(db: Db, keys: readonly TierKey[]): Promise<Set<string>[]> {
  const rows = await db.all<{ place: number; id: string }>(
    `SELECT w.place, m.id FROM (${MOVED}) m
     JOIN (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day, unnest($places) AS place) w
       ON w.agent = m.agent AND w.session = m.session AND w.day = m.day`,
    { ...listsOf(keys), places: keys.map((_, place) => BigInt(place)) },
  );
  const out = keys.map(() => new Set<string>());
  for (const { place, id } of rows) out[place]!.add(id);
  return out;
}

const FIELDS = [
  'project',
  'agent',
  'session',
  'day',
  'path',
  'state',
  'entries',
  'lastN',
  'sha256',
  'written',
] as const;

export function loadTiers(db: Db): Promise<Tier[]> {
  return db.all(`SELECT ${fieldsOf('t', FIELDS)} FROM own.tiers t ORDER BY day, agent, session`);
}

/** Of ten thousand rows the other nine columns take 0.1 s to read. */
export async function tierPaths(db: Db): Promise<Set<string>> {
  return new Set(
    (await db.all<{ path: string }>('SELECT path FROM own.tiers')).map(({ path }) => path),
  );
}

/** Forgets what a table keeps of these tiers. */
export async function forgetTiers(
  db: Db,
  table: 'tiers' | 'tier_checks',
  keys: readonly TierKey[],
): Promise<void> {
  await db.run(
    `DELETE FROM own.${table} t USING (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day) w
     WHERE t.agent = w.agent AND t.session = w.session AND t.day = w.day`,
    listsOf(keys),
  );
}

/** Records tiers that were written, read back and counted, or moved to the archive. */
export async function saveTiers(db: Db, tiers: readonly Tier[]): Promise<void> {
  await forgetTiers(db, 'tiers', tiers);
  await db.append('own.tiers', columnsOf(tiers, ...FIELDS));
}

/** Forgets tiers whose files are gone for good, and what was noted of them. */
export async function dropTiers(db: Db, paths: string[]): Promise<number> {
  await db.run('DELETE FROM own.tier_faults WHERE path IN (SELECT unnest($paths))', { paths });
  return db.run('DELETE FROM own.tiers WHERE path IN (SELECT unnest($paths))', { paths });
}

/** Day of the oldest text. No text is read. */
export async function oldestText(db: Db): Promise<string | null> {
  const row = await first<{ oldest: string | null }>(
    db,
    `SELECT strftime(min(time), '%Y-%m-%d') AS oldest FROM own.entries`,
  );
  return row?.oldest ?? null;
}
