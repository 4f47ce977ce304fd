/**
 * Stores and reads entries. One commit contains entries, texts, postings, session facts and the
 * checkpoint.
 */
import { setImmediate } from 'node:timers/promises';
import {
  entryFields,
  sessionKey,
  type Batch,
  type Entry,
  type PreparedEntry,
  type Role,
} from '../../types.js';
import { planAdditions } from './additions.js';
import type { Additions, KnownRow } from './additions.js';
import { type Db, columnsOf, fieldsOf } from '../db.js';
import { between, joinRanges, type NumberRange } from '../search/numbers.js';
import { WRITTEN_ELSEWHERE } from '../search/session-lines.js';
import { endCommit, metaValue } from './meta.js';
import { appendPostings } from './postings.js';
import { planArrivals, updateSessions } from './session-rows.js';
import type { Facts } from './session-rows.js';
import { saveBadLines, saveCheckpoints } from './sources.js';
import { bytesOfTerms, clippedTextsOf, textsOf, type TextKey } from './texts.js';
import { sessionLists } from './sessions.js';
import { addUsage } from '../usage.js';

interface Committed {
  added: number;
  /** Entries whose text changed under the same id. */
  revised: number;
  known: number;
}

/**
 * Stores batches together, inside `store.write`; stored entries are not added again. Each commit
 * has a fixed cost, so bulk reading gathers thousands of entries.
 */
export async function commitBatches(db: Db, batches: Batch[]): Promise<Committed> {
  const logs = await saveCheckpoints(
    db,
    batches.map(({ checkpoint }) => checkpoint),
  );
  const entries = batches.flatMap((batch, index) =>
    batch.entries.map((entry) => ({ entry, log: logs[index] as number })),
  );
  const facts = batches.flatMap(({ sessions }) => sessions);
  const done = await addEntries(db, entries, facts, batches.at(-1)?.checkpoint.last_read ?? null);
  await addUsage(
    db,
    batches.flatMap(({ checkpoint: { agent }, usage = [] }) =>
      usage.map((usageRow) => ({ ...usageRow, agent })),
    ),
  );
  for (const [index, { bad }] of batches.entries())
    await saveBadLines(db, logs[index] as number, bad);
  return done;
}

/** Stores entries from tiers; their logs may no longer exist. */
export function restoreEntries(db: Db, entries: PreparedEntry[], now: string): Promise<Committed> {
  return addEntries(
    db,
    entries.map((entry) => ({ entry, log: null })),
    [],
    now,
  );
}

async function addEntries(
  db: Db,
  given: { entry: PreparedEntry; log: number | null }[],
  facts: Facts[],
  now: string | null,
): Promise<Committed> {
  const entries = given.map(({ entry }) => entry);
  const known = await knownOf(db, [...new Set(entries.map(({ id }) => id))]);
  const plan = planAdditions(
    entries,
    known.rows,
    known.copies,
    known.purged,
    Number(await metaValue(db, 'next_n')),
  );
  const logOf = new Map(given.map(({ entry, log }) => [entry, log]));
  await appendEntries(db, plan, logOf);
  await appendCopies(db, plan, logOf);
  const arrivals = planArrivals(plan);
  await updateSessions(db, facts, arrivals, now);
  await endCommit(db, plan.nextN);
  return { added: plan.added, revised: plan.revised, known: plan.known };
}

interface Known {
  rows: KnownRow[];
  copies: Pick<KnownRow, 'id' | 'agent' | 'session' | 'copied'>[];
  purged: Set<string>;
}

/**
 * Stored rows of these ids. One statement, since binding thousands of ids costs as much as finding
 * them.
 */
async function knownOf(db: Db, ids: string[]): Promise<Known> {
  const found = await db.all<KnownRow & { source: string }>(
    `WITH wanted AS MATERIALIZED (SELECT unnest($ids) AS id)
     SELECT 'row' AS source, e.id, e.rev, e.hash, e.origin, e.n, e.length, e.agent, e.session, e.copied,
       EXISTS (FROM own.superseded x WHERE x.n = e.n) AS superseded FROM own.entries e JOIN wanted w ON w.id = e.id
     UNION ALL SELECT 'copy', c.id, 0, '', '', 0, 0, c.agent, c.session, c.copied, false FROM own.copies c JOIN wanted w ON w.id = c.id
     UNION ALL SELECT 'purged', p.id, 0, '', '', 0, 0, '', '', false, false FROM own.purged p JOIN wanted w ON w.id = p.id`,
    { ids },
  );
  return {
    rows: found.filter(({ source }) => source === 'row'),
    copies: found.filter(({ source }) => source === 'copy'),
    purged: new Set(found.filter(({ source }) => source === 'purged').map(({ id }) => id)),
  };
}

async function appendEntries(
  db: Db,
  plan: Additions,
  logOf: Map<PreparedEntry, number | null>,
): Promise<void> {
  const { rows } = plan;
  const entries = rows.map(({ entry }) => entry);
  // Columns instead of rows, here and below, since appending takes most of the time of reading a
  // log.
  await db.append('own.entries', {
    ...columnsOf(entries, ...entryFields('entry', 'place'), 'length'),
    n: rows.map(({ n }) => n),
    rev: rows.map(({ rev }) => rev),
    exit: entries.map(({ exit }) => smallInteger(exit)),
    log: entries.map((entry) => logOf.get(entry) ?? null),
  });
  await db.append('own.texts', {
    n: rows.map(({ n }) => n),
    text: entries.map(({ text }) => text),
  });
  await db.append('own.superseded', { n: plan.superseded });
  await appendPostings(db, plan);
}

/** Logs have exit codes such as 4294967295, but the column has 32 bits. */
function smallInteger(value: number | null): number | null {
  return value === null || !Number.isInteger(value)
    ? null
    : value >= -(2 ** 31) && value < 2 ** 31
      ? value
      : value | 0;
}

async function appendCopies(
  db: Db,
  { copies }: Additions,
  logOf: Map<PreparedEntry, number | null>,
): Promise<void> {
  const entries = copies.map(({ entry }) => entry);
  await db.append('own.copies', {
    ...columnsOf(entries, ...entryFields('place')),
    n: copies.map(({ n }) => n),
    log: entries.map((entry) => logOf.get(entry) ?? null),
  });
}

/** An entry without its text; `n` is the key of the text. */
type EntryRow = Omit<Entry, 'text'> & TextKey;

/** Characters of text to read at most; above this, heads and tails of results get shorter. */
const MOST_CHARS = 24 * 2 ** 20;
const SHORTEST_CLIP = 200;

/** From a longer session prompts and answers are read first, then the newest entries. */
const MOST_ENTRIES = 10_000;

/**
 * All entries in the logs of sessions, by `agent\0session`, ordered by path and seq, highest rev
 * only. Includes entries that were first read in another session (forks, resumes), with their place
 * and time in this one, so that the order of reading does not matter. Reads each table once for all
 * sessions, but texts by number.
 *
 * @param clip characters to keep at the head and tail of a tool result's text; 0: all
 * @param most characters of text in each session, with `clip`: above this, results get shorter,
 * then other texts
 */
export async function entriesOfSessions(
  db: Db,
  sessions: readonly { agent: string; session: string }[],
  { clip = 0, most = MOST_CHARS }: { clip?: number; most?: number } = {},
): Promise<Map<string, Entry[]>> {
  const found = new Map<string, Entry[]>(
    sessions.map(({ agent, session }) => [sessionKey(agent, session), []]),
  );
  if (sessions.length === 0) return found;
  const bySession = new Map<string, EntryRow[]>();
  for (const row of await rowsOfSessions(db, sessions)) {
    const key = sessionKey(row.agent, row.session);
    const list = bySession.get(key) ?? [];
    if (list.length === 0) bySession.set(key, list);
    list.push(row);
  }
  // One statement for all sessions if no text must be cut further.
  const all = [...bySession.values()].flat();
  const together =
    clip > 0 && charsKept(all, clip, Number.POSITIVE_INFINITY) <= most
      ? await textsToLearn(db, all, clip, most)
      : null;
  for (const [key, rows] of bySession) {
    const texts = together ?? (await textsToLearn(db, rows, clip, most));
    const entries = found.get(key)!;
    for (const { n, length: _, ...row } of rows) {
      if (entries.length % 250 === 249) await setImmediate();
      entries.push({ ...row, text: texts.get(n) ?? '' });
    }
  }
  return found;
}

const CURRENT = `NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)`;

/** Sessions at most this far apart are read together, with the rows between them. */
const GAP_ROWS = 2048;
const WANTED = 'SELECT unnest($agents) AS agent, unnest($sessions) AS session';
const IS_WANTED = (of: string): string => `w.agent = ${of}.agent AND w.session = ${of}.session`;

/**
 * First finds the places of the sessions' rows from two columns, then reads the other columns only
 * there, which is much faster.
 */
async function rowsOfSessions(
  db: Db,
  sessions: readonly { agent: string; session: string }[],
): Promise<EntryRow[]> {
  const lists = sessionLists(sessions);
  const ranges = await db.all<NumberRange & { entries: number }>(
    `SELECT min(e.n) AS "from", max(e.n) AS "to", count(*) AS entries FROM own.entries e
     JOIN (${WANTED}) w ON ${IS_WANTED('e')} GROUP BY e.agent, e.session`,
    lists,
  );
  const newest = ranges.some(({ entries }) => entries > MOST_ENTRIES)
    ? `WHERE h.n IN (SELECT n FROM here QUALIFY row_number() OVER (PARTITION BY agent, session
         ORDER BY role NOT IN ('user', 'assistant'), seq DESC, id) <= ${MOST_ENTRIES})`
    : '';
  const hasCopies =
    (
      await db.all(
        `SELECT 1 FROM own.copies c JOIN (${WANTED}) w ON ${IS_WANTED('c')} LIMIT 1`,
        lists,
      )
    ).length > 0;
  const [ofPlace, ofEntry] = [entryFields('place'), entryFields('entry')];
  const row = (place: string): string =>
    `SELECT e.n, e.length, ${place}.log, ${fieldsOf(place, ofPlace)}, ${fieldsOf('e', ofEntry)}`;
  const stored = joinRanges(ranges, GAP_ROWS).map(
    ({ from, to }) =>
      `${row('e')} FROM own.entries e JOIN wanted w ON ${IS_WANTED('e')} WHERE e.n ${between(from, to)} AND ${CURRENT}`,
  );
  const copied = `${row('c')} FROM own.copies c JOIN wanted w ON ${IS_WANTED('c')}
     JOIN own.entries e ON e.id = c.id AND ${CURRENT}
     WHERE NOT (e.agent = c.agent AND e.session = c.session)`;
  const parts = [...stored, ...(hasCopies ? [copied] : [])];
  if (parts.length === 0) return [];
  const fields = [...ofPlace.filter((name) => name !== 'path'), ...ofEntry]
    .map((name) => `h."${name}"`)
    .join(', ');
  const found = await db.all<EntryRow>(
    `WITH wanted AS MATERIALIZED (${WANTED}), here AS NOT MATERIALIZED (${parts.join(' UNION ALL ')})
     SELECT h.n, h.length, ${fields}, coalesce(l.path, h.path) AS path
     FROM here h LEFT JOIN own.sources l ON l.log = h.log ${newest} ORDER BY coalesce(l.path, h.path), h.seq, h.id`,
    lists,
  );
  const copies = found.filter(({ copied }) => copied);
  const others = await writtenElsewhere(
    db,
    copies.map(({ id }) => id),
  );
  // If the log of the original no longer exists, the first copy counts as the original.
  for (const row of copies) row.copied = others.has(`${row.id}\0${row.session}`);
  return found;
}

async function writtenElsewhere(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await db.all<{ id: string; session: string }>(
    WRITTEN_ELSEWHERE('SELECT unnest($ids)'),
    { ids },
  );
  return new Set(found.map(({ id, session }) => `${id}\0${session}`));
}

/** Characters of all texts if results keep `reach` at both ends. */
function charsKept(
  rows: readonly { role: Role; length: number }[],
  reach: number,
  longest: number,
): number {
  return rows.reduce(
    (sum, { role, length }) =>
      sum + Math.min(bytesOfTerms(length), role === 'tool_result' ? 2 * reach : longest),
    0,
  );
}

/**
 * How many characters texts keep: `reach` at each end of a result, `longest` of other texts.
 * Shortens results first. Pure.
 */
function planReach(
  rows: readonly { role: Role; length: number }[],
  clip: number,
  most = MOST_CHARS,
): { reach: number; longest: number } {
  let [reach, longest] = [clip, Number.POSITIVE_INFINITY];
  while (reach > SHORTEST_CLIP && charsKept(rows, reach, longest) > most)
    reach = Math.max(SHORTEST_CLIP, Math.floor(reach / 2));
  if (charsKept(rows, reach, longest) > most) longest = 2 * clip;
  return { reach, longest };
}

/** Whole texts, but results cut to `clip`; all texts shorter if they exceed `most` characters. */
async function textsToLearn(
  db: Db,
  rows: readonly EntryRow[],
  clip: number,
  most: number,
): Promise<Map<number, string>> {
  if (clip === 0) return textsOf(db, rows);
  const { reach, longest } = planReach(rows, clip, most);
  const texts = await clippedTextsOf(db, rows, reach);
  const whole = rows.filter(
    ({ n, role }) => role !== 'tool_result' && (texts.get(n)?.length ?? 0) > 2 * reach,
  );
  const others =
    longest === Number.POSITIVE_INFINITY
      ? await textsOf(db, whole)
      : await clippedTextsOf(db, whole, longest / 2);
  for (const [n, text] of others) texts.set(n, text);
  return texts;
}

/** All entries of one session. */
export async function sessionEntries(
  db: Db,
  agent: string,
  session: string,
  options: { clip?: number; most?: number } = {},
): Promise<Entry[]> {
  return (await entriesOfSessions(db, [{ agent, session }], options)).get(
    sessionKey(agent, session),
  )!;
}
