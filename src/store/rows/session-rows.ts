/**
 * A commit's changes of the sessions' rows: facts from the logs, and new entries. Three statements
 * are enough for all sessions.
 */
import { sessionKey, type SessionFacts } from '../../types.js';
import type { Additions } from './additions.js';
import { type Db, type Value, appendRows } from '../db.js';
import { SESSION_FACTS, SESSION_TEXTS } from '../tables.js';
import { knownMarks, purgedFact, purgedSession } from '../repair/purged.js';
import { WANTED_SESSIONS, sessionLists } from './sessions.js';

export type Facts = SessionFacts & { agent: string };

/** A row of `own.sessions`. */
interface SessionRow extends Record<string, Value> {
  agent: string;
  session: string;
  oldest: string | null;
  newest: string | null;
  touched: string | null;
  last_n: number;
  entries: number;
}

/** Entries that a commit adds to a session. */
interface Arrival {
  agent: string;
  session: string;
  last_n: number;
  /** Number of new entries. */
  entries: number;
  oldest: string | null;
  newest: string | null;
}

function emptyRow(agent: string, session: string): SessionRow {
  return { agent, session, oldest: null, newest: null, touched: null, last_n: 0, entries: 0 };
}

/** The row with these facts; a null does not replace an earlier value. */
function withFacts(row: SessionRow, facts: Facts): SessionRow {
  const known = (Object.keys(SESSION_FACTS) as (keyof typeof SESSION_FACTS)[]).map((name) => [
    name,
    facts[name] ?? row[name] ?? null,
  ]);
  return { ...row, ...(Object.fromEntries(known) as Record<string, Value>) };
}

/** The row with new entries; `now` is the time of reading. */
function withArrival(row: SessionRow, arrival: Arrival, now: string | null): SessionRow {
  return {
    ...row,
    last_n: Math.max(row.last_n, arrival.last_n),
    entries: row.entries + arrival.entries,
    oldest: pick(row.oldest, arrival.oldest, (a, b) => a < b),
    newest: pick(row.newest, arrival.newest, (a, b) => a > b),
    touched: now ?? row.touched,
  };
}

function pick(
  a: string | null,
  b: string | null,
  first: (a: number, b: number) => boolean,
): string | null {
  return a === null || b === null ? (a ?? b) : first(Date.parse(a), Date.parse(b)) ? a : b;
}

/** Sessions with new entries or to be learnt again. */
export function planArrivals({ rows, copies, outdated }: Additions): Arrival[] {
  const arrivals = new Map<string, Arrival>();
  const arrive = ({ agent, session }: { agent: string; session: string }, n: number): Arrival => {
    const key = sessionKey(agent, session);
    const none = { agent, session, last_n: 0, entries: 0, oldest: null, newest: null };
    const arrival = arrivals.get(key) ?? none;
    arrivals.set(key, arrival);
    arrival.last_n = Math.max(arrival.last_n, n);
    return arrival;
  };
  for (const each of outdated) arrive(each, each.n);
  for (const { entry, n, rev } of [...rows, ...copies.map((copy) => ({ ...copy, rev: 1 }))]) {
    const arrival = arrive(entry, n);
    if (rev === 1) arrival.entries++;
    const time = entry.time !== null && Number.isFinite(Date.parse(entry.time)) ? entry.time : null;
    arrival.oldest = pick(arrival.oldest, time, (a, b) => a < b);
    arrival.newest = pick(arrival.newest, time, (a, b) => a > b);
  }
  return [...arrivals.values()];
}

/** Saves the facts that logs give their sessions, and the new entries. */
export async function updateSessions(
  db: Db,
  given: Facts[],
  arrivals: Arrival[],
  now: string | null,
): Promise<void> {
  const facts = await withoutPurged(db, given, arrivals);
  const keys = new Map(
    [...facts, ...arrivals].map(({ agent, session }) => [
      sessionKey(agent, session),
      { agent, session },
    ]),
  );
  if (keys.size === 0) return;
  const wanted = sessionLists([...keys.values()]);
  const stored = await db.all<SessionRow>(
    `SELECT s.* FROM own.sessions s JOIN ${WANTED_SESSIONS} ON w.agent = s.agent AND w.session = s.session`,
    wanted,
  );
  const rows = new Map(
    [...keys].map(([key, { agent, session }]) => [key, emptyRow(agent, session)]),
  );
  for (const row of stored) rows.set(sessionKey(row.agent, row.session), row);
  const change = (key: string, next: (row: SessionRow) => SessionRow) =>
    rows.set(key, next(rows.get(key) as SessionRow));
  for (const each of facts)
    change(sessionKey(each.agent, each.session), (row) => withFacts(row, each));
  for (const each of arrivals)
    change(sessionKey(each.agent, each.session), (row) => withArrival(row, each, now));
  await db.run(
    `DELETE FROM own.sessions s USING ${WANTED_SESSIONS} WHERE w.agent = s.agent AND w.session = s.session`,
    wanted,
  );
  await appendRows(db, 'own.sessions', [...rows.values()]);
}

/** Leaves out purged values, and purged sessions without a new entry, when a log is read again. */
async function withoutPurged(db: Db, facts: Facts[], arrivals: Arrival[]): Promise<Facts[]> {
  const values = (each: Facts) =>
    SESSION_TEXTS.flatMap((name) =>
      typeof each[name] === 'string'
        ? [[name, purgedFact(each.agent, each.session, each[name])] as const]
        : [],
    );
  const marks = facts.flatMap((each) => [
    purgedSession(each.agent, each.session),
    ...values(each).map(([, mark]) => mark),
  ]);
  const purged = await knownMarks(db, marks);
  if (purged.size === 0) return facts;
  const alive = new Set(arrivals.map(({ agent, session }) => sessionKey(agent, session)));
  return facts
    .filter(
      ({ agent, session }) =>
        alive.has(sessionKey(agent, session)) || !purged.has(purgedSession(agent, session)),
    )
    .map((each) => ({
      ...each,
      ...Object.fromEntries(
        values(each).flatMap(([name, mark]) => (purged.has(mark) ? [[name, null]] : [])),
      ),
    }));
}
