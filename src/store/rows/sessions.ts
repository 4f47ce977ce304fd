import { sessionKey, type SessionFacts } from '../../types.js';
import { listed, type Db } from '../db.js';
import { PARSED_TABLES, SESSION_FACTS } from '../tables.js';

interface SessionPlace {
  agent: string;
  session: string;
}

/** Sessions that a statement reads, as its table `w`; `sessionLists` returns the values. */
export const WANTED_SESSIONS = '(SELECT unnest($agents) AS agent, unnest($sessions) AS session) w';

export function sessionLists(
  sessions: readonly SessionPlace[],
): Record<'agents' | 'sessions', string[]> {
  return {
    agents: sessions.map(({ agent }) => agent),
    sessions: sessions.map(({ session }) => session),
  };
}

/** A session with entries that are not extracted. */
export interface PendingSession {
  agent: string;
  session: string;
  facts: SessionFacts;
  /** A program started the session, so it gives no lesson. */
  machine: boolean;
  /** Settled project id, or null. */
  project: string | null;
  /** Highest running number now, for `replaceExtractions`, so that later entries stay pending. */
  last_n: number;
  entries: number;
  /** Estimated bytes of its texts, with long results cut to `RESULT_BYTES`. */
  bytes: number;
  /** Working folders of its entries, most used first. */
  folders: { cwd: string; entries: number }[];
}

interface PendingOptions {
  /** Only sessions without a new entry since this time; null: all. */
  idleBefore: string | null;
  /** Sessions of another extractor version are pending, too. */
  extractor: number;
  limit?: number;
}

interface PendingRow extends SessionFacts {
  agent: string;
  is_machine: boolean;
  project: string | null;
  last_n: number;
  entries: number;
}

const ROW = `s.agent, s.session, s.is_machine, s.project, s.last_n, s.entries, ${listed('s', SESSION_FACTS)}`;

const NOT_EXTRACTED = `s.last_n > 0 AND (s.last_n > coalesce(s.extracted_n, 0) OR coalesce(s.extractor, 0) <> $extractor)`;
/** A log's clock may be ahead, so an entry counts at latest at the time of its reading. */
const LAST_ENTRY = 'least(s.newest, s.touched)';
const SILENT = `coalesce(${LAST_ENTRY} <= $idleBefore::TIMESTAMP, true)`;
const PENDING = `${NOT_EXTRACTED} AND ($idleBefore::TIMESTAMP IS NULL OR ${SILENT})`;

/** Sessions with entries newer than their last extraction, newest first. */
export async function pendingSessions(
  db: Db,
  { idleBefore, extractor, limit = 1_000_000 }: PendingOptions,
): Promise<PendingSession[]> {
  const rows = await db.all<PendingRow>(
    `SELECT ${ROW} FROM own.session_facts s WHERE ${PENDING} ORDER BY s.newest DESC NULLS LAST, s.agent, s.session LIMIT $limit`,
    { idleBefore, extractor, limit },
  );
  return toSessions(db, rows);
}

/** All sessions of projects, extracted or not. */
export async function sessionsOfProjects(
  db: Db,
  projects: readonly string[],
): Promise<PendingSession[]> {
  return toSessions(
    db,
    await db.all<PendingRow>(
      `SELECT ${ROW} FROM own.session_facts s WHERE s.last_n > 0 AND s.project_id IN (SELECT unnest($projects))
       ORDER BY s.agent, s.session`,
      { projects: [...projects] },
    ),
  );
}

async function toSessions(db: Db, rows: readonly PendingRow[]): Promise<PendingSession[]> {
  const folders = await foldersOf(db, rows);
  const bytes = await bytesOf(db, rows);
  return rows.map(({ agent, is_machine, project, last_n, entries, ...facts }) => ({
    agent,
    session: facts.session,
    machine: is_machine,
    project,
    last_n,
    entries,
    bytes: bytes.get(sessionKey(agent, facts.session)) ?? 0,
    facts,
    folders: folders.get(sessionKey(agent, facts.session)) ?? [],
  }));
}

/** Marks every session of an agent for extraction. */
export async function extractAgain(db: Db, agent: string): Promise<void> {
  await db.run(
    'UPDATE own.sessions SET extractor = 0 WHERE agent = $agent AND extractor IS NOT NULL',
    { agent },
  );
}

/** How many sessions wait for extraction. */
export async function countPending(
  db: Db,
  options: { idleBefore: string | null; extractor: number },
): Promise<number> {
  const rows = await db.all<{ count: number }>(
    `SELECT count(*) AS count FROM own.sessions s WHERE ${PENDING}`,
    { ...options },
  );
  return rows[0]?.count ?? 0;
}

/** Number of silent pending sessions, and the oldest last entry of the other pending ones. */
export async function pendingTimes(
  db: Db,
  options: { idleBefore: string; extractor: number },
): Promise<{ silent: number; last_entry: string | null }> {
  const [row] = await db.all<{ silent: number; last_entry: string | null }>(
    `SELECT count(*) FILTER (${SILENT}) AS silent, min(${LAST_ENTRY}) FILTER (NOT ${SILENT}) AS last_entry
     FROM own.sessions s WHERE ${NOT_EXTRACTED}`,
    { ...options },
  );
  return row ?? { silent: 0, last_entry: null };
}

/** Bytes of a tool result that learning reads at most. */
const RESULT_BYTES = 8192;

/** Estimates as `bytesOfTerms`. An entry that sessions share (fork, resume) counts in each. */
async function bytesOf(
  db: Db,
  sessions: readonly { agent: string; session: string }[],
): Promise<Map<string, number>> {
  const rows = await db.all<{ agent: string; session: string; bytes: number }>(
    `SELECT e.agent, e.session, sum(CASE e.role WHEN 'tool_result' THEN least(40 + 9 * e.length, ${RESULT_BYTES}) ELSE 40 + 9 *
      e.length END)::BIGINT AS bytes
     FROM (SELECT agent, session, role, length FROM own.entries
       UNION ALL SELECT c.agent, c.session, e.role, e.length FROM own.copies c JOIN own.entries e ON e.id = c.id) e
     JOIN ${WANTED_SESSIONS} ON w.agent = e.agent AND w.session = e.session
       GROUP BY ALL`,
    sessionLists(sessions),
  );
  return new Map(rows.map(({ agent, session, bytes }) => [sessionKey(agent, session), bytes]));
}

async function foldersOf(
  db: Db,
  sessions: readonly { agent: string; session: string }[],
): Promise<Map<string, { cwd: string; entries: number }[]>> {
  const rows = await db.all<{ agent: string; session: string; cwd: string; entries: number }>(
    `SELECT e.agent, e.session, e.cwd, count(*) AS entries
     FROM (SELECT agent, session, cwd FROM own.entries UNION ALL SELECT agent, session, cwd FROM own.copies) e
     JOIN ${WANTED_SESSIONS} ON w.agent = e.agent AND w.session = e.session
     WHERE e.cwd IS NOT NULL GROUP BY ALL ORDER BY entries DESC, e.cwd`,
    sessionLists(sessions),
  );
  const folders = new Map<string, { cwd: string; entries: number }[]>();
  for (const { agent, session, cwd, entries } of rows) {
    const key = sessionKey(agent, session);
    folders.set(key, [...(folders.get(key) ?? []), { cwd, entries }]);
  }
  return folders;
}

/** Files that the calls of sessions name, with the number of calls, by `agent\0session`. */
export async function touchedFiles(
  db: Db,
  sessions: { agent: string; session: string }[],
): Promise<Map<string, { path: string; touches: number }[]>> {
  if (sessions.length === 0) return new Map();
  const rows = await db.all<{ agent: string; session: string; path: string; touches: number }>(
    `SELECT agent, session, path, count(*) AS touches FROM (
       SELECT e.agent, e.session, unnest(e.files) AS path FROM own.entries e
       JOIN ${WANTED_SESSIONS} ON w.agent = e.agent AND w.session = e.session
       WHERE e.role = 'tool_call')
     GROUP BY ALL ORDER BY agent, session, path`,
    sessionLists(sessions),
  );
  const files = new Map<string, { path: string; touches: number }[]>();
  for (const { agent, session, path, touches } of rows) {
    const key = sessionKey(agent, session);
    const list = files.get(key) ?? [];
    if (list.length === 0) files.set(key, list);
    list.push({ path, touches });
  }
  return files;
}

/** Sets the project of sessions, to which their entries, episodes and candidates then belong. */
export async function setSessionProjects(
  db: Db,
  rows: readonly { agent: string; session: string; project: string }[],
): Promise<void> {
  await db.run(
    `UPDATE own.sessions s SET project = w.project FROM (SELECT unnest($agents) AS agent, unnest($sessions) AS session,
      unnest($projects) AS project) w
     WHERE s.agent = w.agent AND s.session = w.session AND s.project IS DISTINCT FROM w.project`,
    { ...sessionLists(rows), projects: rows.map(({ project }) => project) },
  );
}

/** Moves the results of sessions to their new project; call it with `setSessionProjects`. */
export async function moveYields(
  db: Db,
  rows: readonly { agent: string; session: string; project: string }[],
): Promise<void> {
  const params = { ...sessionLists(rows), projects: rows.map(({ project }) => project) };
  for (const table of PARSED_TABLES) {
    await db.run(
      `UPDATE own.${table} o SET project = w.project FROM (SELECT unnest($agents) AS agent, unnest($sessions) AS session,
        unnest($projects) AS project) w
       WHERE o.agent = w.agent AND o.session = w.session AND o.project <> w.project`,
      params,
    );
  }
}

/** Agents with a session. */
export async function agentsRead(db: Db): Promise<string[]> {
  return (
    await db.all<{ agent: string }>('SELECT DISTINCT agent FROM own.sessions ORDER BY agent')
  ).map(({ agent }) => agent);
}

/** `agent session` of all extracted sessions. */
export async function knownSessions(db: Db): Promise<Set<string>> {
  const rows = await db.all<{ name: string }>(
    `SELECT agent || ' ' || session AS name FROM own.sessions WHERE extracted IS NOT NULL`,
  );
  return new Set(rows.map(({ name }) => name));
}

/**
 * Makes a session not pending until it grows or the extractor changes; its lessons stay. Does not
 * set `extracted`, since the crystal's evidence counts for a session that was never extracted here.
 */
export function passOverSession(
  db: Db,
  { agent, session, last_n }: PendingSession,
  extractor: number,
): Promise<number> {
  return db.run(
    'UPDATE own.sessions SET extracted_n = $last_n, extractor = $extractor WHERE agent = $agent AND session = $session',
    { agent, session, last_n, extractor },
  );
}

/** Makes passed-over sessions pending again. */
export function takeUpPassed(db: Db): Promise<number> {
  return db.run(`UPDATE own.sessions s SET extractor = 0 FROM own.passed_over p
    WHERE p.kind = 'session' AND s.agent = p.agent AND s.session = p.name`);
}

/** Makes every session pending again. */
export function takeUpAllSessions(db: Db): Promise<number> {
  return db.run('UPDATE own.sessions SET extractor = 0');
}
