/** Tier files: one per session and UTC day of the entry, first in `recent/`, later in `archive/`. */
import { TIER_COLUMNS } from '../search/archive.js';
import { type Db, columnsOf, fieldsOf } from '../db.js';
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
  /** Highest running number that it holds; a higher one in the database means that the day has to be written again. */
  lastN: number;
  sha256: string;
  written: string;
}

/** Keys as lists that a statement unnests. */
function listsOf(keys: readonly TierKey[]): Record<'agents' | 'sessions' | 'days', string[]> {
  return { ...sessionLists(keys), days: keys.map(({ day }) => day) };
}

/** An entry without a time belongs to the day of its session's newest entry, else to that of its reading. */
const DAY = `strftime(coalesce(e.time, s.newest, s.touched), '%Y-%m-%d')`;

const DAYS = `
  SELECT e.agent, e.session, ${DAY} AS day, any_value(e.project_id) AS project, max(e.n) AS last_n, count(*) AS entries,
    sum(e.length)::BIGINT AS terms
  FROM own.current_entries e LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session GROUP BY 1, 2, 3`;

export interface DueTier extends TierKey {
  project: string | null;
  lastN: number;
  entries: number;
  /** Terms in its texts. */
  terms: number;
}

/** Days before `today` (UTC) that have entries and no tier, or got a late entry, oldest first. */
export function dueTiers(db: Db, today: string): Promise<DueTier[]> {
  return db.all(
    `SELECT d.agent, d.session, d.day, d.project, d.last_n AS "lastN", d.entries, d.terms FROM (${DAYS}) d
     LEFT JOIN own.tiers t ON t.agent = d.agent AND t.session = d.session AND t.day = d.day
     WHERE d.day < $today AND d.last_n > coalesce(t.last_n, 0) ORDER BY d.day, d.agent, d.session`,
    { today },
  );
}

/** A row of a tier, with exactly the columns of the view `entries`; its text is fetched by `n`. */
export interface TierHead extends TextKey {
  row: Record<string, unknown> & { id: string; text: string | null };
}

/**
 * Rows of several tiers without their texts, in the order asked for, each in the order of the log: one look at all entries serves
 * many small tiers.
 */
export async function tierHeads(db: Db, keys: readonly TierKey[]): Promise<TierHead[][]> {
  const found = await db.all<TierHead['row'] & { '#tier': number; '#n': number; '#length': number }>(
    `SELECT ${TIER_COLUMNS.map(([name]) => (name === 'text' ? 'NULL::VARCHAR AS text' : `e."${name}"`)).join(', ')}, w.place AS
      "#tier", e.n AS "#n", e.length AS "#length"
     FROM own.current_entries e LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
     JOIN (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day, unnest($places) AS place) w
       ON w.agent = e.agent AND w.session = e.session AND w.day = ${DAY} ORDER BY w.place, e.path, e.seq, e.id`,
    { ...listsOf(keys), places: keys.map((_, place) => BigInt(place)) },
  );
  const out = keys.map((): TierHead[] => []);
  for (const { '#tier': place, '#n': n, '#length': length, ...row } of found) out[place]!.push({ n, length, row });
  return out;
}

const FIELDS = ['project', 'agent', 'session', 'day', 'path', 'state', 'entries', 'lastN', 'sha256', 'written'] as const;

export function loadTiers(db: Db): Promise<Tier[]> {
  return db.all(`SELECT ${fieldsOf('t', FIELDS)} FROM own.tiers t ORDER BY day, agent, session`);
}

/** Forgets what a table keeps of these tiers. */
export async function forgetTiers(db: Db, table: 'tiers' | 'tier_checks', keys: readonly TierKey[]): Promise<void> {
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

/**
 * Removes text, terms and vectors of archived entries older than `before` (ISO time); all else of them stays. Returns how many
 * texts went.
 * @param tiers only what stands in these; absent: in any that is recorded
 */
export async function dropTexts(db: Db, before: string, tiers?: readonly TierKey[]): Promise<number> {
  const among =
    tiers === undefined
      ? ''
      : 'AND (t.agent, t.session, t.day) IN (SELECT unnest($agents::VARCHAR[]), unnest($sessions::VARCHAR[]), ' +
        'unnest($days::VARCHAR[]))';
  const params = { before, ...(tiers === undefined ? {} : listsOf(tiers)) };
  const old = `SELECT e.n FROM own.entries e JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
    JOIN own.tiers t ON t.agent = e.agent AND t.session = e.session AND t.day = ${DAY} AND t.state = 'archive' AND t.last_n >= e.n
    WHERE coalesce(e.time, s.newest, s.touched) < $before::TIMESTAMP ${among}`;
  await db.run(
    `DELETE FROM own.vectors WHERE owner = 'entry' AND id IN (SELECT id FROM own.entries WHERE n IN (${old}))`,
    params,
  );
  await db.run(`DELETE FROM own.postings WHERE n IN (${old})`, params);
  return db.run(`DELETE FROM own.texts WHERE n IN (${old})`, params);
}

/** Archive tiers whose entries before `before` (ISO time) have texts in the database, oldest first. */
export function tiersWithText(db: Db, before: string): Promise<Tier[]> {
  return db.all(
    `SELECT ${fieldsOf('t', FIELDS)}
     FROM own.texts x JOIN own.entries e ON e.n = x.n JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
     JOIN own.tiers t ON t.agent = e.agent AND t.session = e.session AND t.day = ${DAY} AND t.state = 'archive'
       AND t.last_n >= e.n
     WHERE coalesce(e.time, s.newest, s.touched) < $before::TIMESTAMP GROUP BY ALL ORDER BY t.day, t.agent, t.session`,
    { before },
  );
}

/** An entry of one of the tiers that were asked for, by its place among them. */
export interface InTier {
  place: number;
  id: string;
}

function idsOfTiers(db: Db, tiers: readonly TierKey[], condition: string, lastNs = tiers.map(() => 0n)): Promise<InTier[]> {
  return db.all(
    `SELECT w.place, e.id FROM own.entries e JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
     JOIN (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($days) AS day, unnest($places) AS place,
       unnest($lastNs) AS last_n) w
       ON w.agent = e.agent AND w.session = e.session AND w.day = ${DAY}
     WHERE ${condition} AND NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)`,
    { ...listsOf(tiers), places: tiers.map((_, place) => BigInt(place)), lastNs },
  );
}

/**
 * Entries of tiers, up to the last that each holds, whose text the database has: a line that came after the tier was written is
 * not missing in it.
 */
export function textIdsOfTiers(db: Db, tiers: readonly (TierKey & Pick<Tier, 'lastN'>)[]): Promise<InTier[]> {
  return idsOfTiers(
    db,
    tiers,
    'e.n <= w.last_n AND EXISTS (FROM own.texts x WHERE x.n = e.n)',
    tiers.map(({ lastN }) => BigInt(lastN)),
  );
}

/** Entries of tiers whose text the database lacks. */
export function leftOfTiers(db: Db, tiers: readonly TierKey[]): Promise<InTier[]> {
  return idsOfTiers(db, tiers, 'NOT EXISTS (FROM own.texts x WHERE x.n = e.n)');
}

/** Forgets tiers whose files are gone for good, and what was noted of them. */
export async function dropTiers(db: Db, paths: string[]): Promise<number> {
  await db.run('DELETE FROM own.tier_faults WHERE path IN (SELECT unnest($paths))', { paths });
  return db.run('DELETE FROM own.tiers WHERE path IN (SELECT unnest($paths))', { paths });
}

export interface TextDay {
  day: string;
  /**
   * Terms of the texts that the database still holds of archived entries of this day: a measure of their bytes that reads no
   * text.
   */
  terms: number;
}

const HAS_TEXT = `e.n IN (SELECT n FROM own.texts)`;

/** Days whose entries are in the archive while their text is still in the database too, oldest first. */
export function archivedTextDays(db: Db): Promise<TextDay[]> {
  return db.all(
    `SELECT ${DAY} AS day, sum(e.length + 1)::BIGINT AS terms FROM own.entries e
     JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
     JOIN own.tiers t ON t.agent = e.agent AND t.session = e.session AND t.day = ${DAY} AND t.state = 'archive'
       AND t.last_n >= e.n
     WHERE ${HAS_TEXT} GROUP BY 1 ORDER BY 1`,
  );
}

/** Terms of all texts, and the day of the oldest. No text is read. */
export async function textStats(db: Db): Promise<{ terms: number; oldest: string | null }> {
  const [row] = await db.all<{ terms: number | null; oldest: string | null }>(
    `SELECT sum(e.length + 1)::BIGINT AS terms, strftime(min(e.time), '%Y-%m-%d') AS oldest FROM own.entries e WHERE ${HAS_TEXT}`,
  );
  return { terms: row?.terms ?? 0, oldest: row?.oldest ?? null };
}
