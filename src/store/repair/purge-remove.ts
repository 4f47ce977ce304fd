/** Removes purged entries from every table; call it inside `store.write`. */
import type { Db } from '../db.js';
import { addPurged, addPurgedEdits, purgedFact, purgedLog, purgedSession } from './purged.js';
import {
  containsAny,
  needleParams,
  rowsAbout,
  wordsOf,
  type Found,
  type PlaceKey,
} from './purge-find.js';
import { sessionLists } from '../rows/sessions.js';
import { SESSION_TEXTS, TABLE_NAMES, TABLES, type TableName } from '../tables.js';
import { removeUsage } from '../usage.js';

/** Number of removed rows by table. */
export type Removed = Partial<Record<TableName, number>>;

/** A shorter name, e.g. of a session called `1`, occurs everywhere by chance. */
const LEAST_TRACE = 8;

/**
 * The caller marks projects whose lessons must be computed again.
 * @param traces strings of purged items, such as passages; notes of jobs with one of them are
 * removed, too
 * @returns counts; sessions that kept entries are marked to be extracted again
 */
export async function removePurged(
  db: Db,
  found: Found,
  needles: readonly string[],
  traces: readonly string[] = [],
): Promise<Removed> {
  const { ids, sessions, emptied, projects } = found;
  await addPurged(db, ids);
  await removeUsage(db, ids, sessions);
  await addPurged(
    db,
    emptied.map(({ agent, session }) => purgedSession(agent, session)),
  );
  const logs = await dropLogs(db, emptied, needles);
  await forgetFacts(db, needles);
  await scrubStates(db, needles);
  const named = [...projects, ...emptied.map(({ session }) => session), ...traces, ...logs];
  const notes = [...needles, ...named.filter((name) => name.length >= LEAST_TRACE)];
  const counts: Removed = {};
  for (const name of TABLE_NAMES) {
    const { purge } = TABLES[name];
    if (purge === null) continue;
    for (const [column, empty] of Object.entries(purge.notes ?? {}))
      await db.run(
        `${empty === null ? `DELETE FROM own.${name}` : `UPDATE own.${name} SET ${column} = ${empty}`} WHERE ${containsAny(column, notes)}`,
        needleParams(notes),
      );
    const { where, params } = rowsAbout(purge, found);
    const words = wordsOf(name, needles);
    const gone = `${where} OR ${words}`;
    const all = { ...params, ...(words.includes('$needles') ? needleParams(needles) : {}) };
    if (name === 'edits') await addPurgedEdits(db, gone, all);
    counts[name] = await db.run(`DELETE FROM own.${name} WHERE ${gone}`, all);
  }
  await recount(db, sessions);
  return { ...counts, sources: logs.length };
}

/**
 * Forgets logs without remaining entries, and logs with the text in their path: they are not opened
 * again.
 * @returns their paths
 */
async function dropLogs(
  db: Db,
  emptied: readonly PlaceKey[],
  needles: readonly string[],
): Promise<string[]> {
  const isLeft = (table: string): string =>
    `EXISTS (FROM own.${table} e WHERE e.log = s.log AND e.id NOT IN (SELECT id FROM own.purged))`;
  const rows = await db.all<{ path: string }>(
    `DELETE FROM own.sources s WHERE ${containsAny('s.path', needles)}
       OR ((s.agent, s.session) IN (SELECT unnest($agents::VARCHAR[]), unnest($sessions::VARCHAR[]))
         AND NOT ${isLeft('entries')} AND NOT ${isLeft('copies')}) RETURNING path`,
    { ...sessionLists(emptied), ...needleParams(needles) },
  );
  const paths = rows.map(({ path }) => path);
  await addPurged(db, paths.map(purgedLog));
  return paths;
}

/** Removes values that logs give their sessions, and marks them so that they do not come back. */
async function forgetFacts(db: Db, needles: readonly string[]): Promise<void> {
  const rows = await db.all<PlaceKey & { value: string }>(
    `SELECT * FROM (SELECT agent, session, unnest([${SESSION_TEXTS.join(', ')}]) AS value FROM own.sessions)
     WHERE ${containsAny('value', needles)}`,
    needleParams(needles),
  );
  await addPurged(
    db,
    rows.map(({ agent, session, value }) => purgedFact(agent, session, value)),
  );
  for (const column of rows.length === 0 ? [] : SESSION_TEXTS)
    await db.run(
      `UPDATE own.sessions SET ${column} = NULL WHERE ${containsAny(column, needles)}`,
      needleParams(needles),
    );
}

/** Counts the remaining entries of sessions and marks the sessions to be parsed again. */
async function recount(db: Db, sessions: readonly PlaceKey[]): Promise<void> {
  const count = (rows: string): string =>
    `(SELECT count(*) FROM ${rows} e WHERE e.agent = s.agent AND e.session = s.session)`;
  await db.run(
    `UPDATE own.sessions s SET extracted_n = NULL, extractor = NULL, opening_hash = NULL, opening_length = NULL,
       typed_later = NULL, active_seconds = NULL,
       entries = ${count('(FROM own.entries WHERE rev = 1)')} + ${count('own.copies')}
     WHERE (s.agent, s.session) IN (SELECT unnest($agents::VARCHAR[]), unnest($sessions::VARCHAR[]))`,
    sessionLists(sessions),
  );
}

/** Removes from the states of adapters each string and each key that contains the text. */
async function scrubStates(db: Db, needles: readonly string[]): Promise<void> {
  const hasNeedle = (text: string): boolean => needles.some((needle) => text.includes(needle));
  const rows = await db.all<{ log: number; state: string }>(
    `SELECT log, state FROM own.sources WHERE ${containsAny('state', needles)}`,
    needleParams(needles),
  );
  for (const { log, state } of rows) {
    const left: unknown = JSON.parse(state, function (this: unknown, key, value: unknown) {
      if (!Array.isArray(this) && hasNeedle(key)) return undefined;
      return typeof value === 'string' && hasNeedle(value) ? '' : value;
    });
    await db.run('UPDATE own.sources SET state = $state WHERE log = $log', {
      log,
      state: JSON.stringify(left),
    });
  }
}

/**
 * Deletes lessons that were removed from crystals, since edited ones would be learnt again from
 * these rows.
 */
export async function dropLessons(db: Db, ids: readonly string[]): Promise<void> {
  await db.run('DELETE FROM own.evidence WHERE lesson IN (SELECT unnest($ids::VARCHAR[]))', {
    ids,
  });
  await db.run('DELETE FROM own.lessons WHERE id IN (SELECT unnest($ids::VARCHAR[]))', { ids });
}

/** Deletes vectors of lessons that no longer exist. */
export async function dropStrays(db: Db): Promise<void> {
  await db.run(
    `DELETE FROM own.vectors WHERE owner = 'lesson' AND id NOT IN (SELECT id FROM own.lessons)`,
  );
}
