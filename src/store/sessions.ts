import type { SessionFacts } from '../types.js';
import { placeOf } from './additions.js';
import type { Additions } from './additions.js';
import type { Db } from './db.js';

type Facts = SessionFacts & { agent: string };

const FACT_COLUMNS = {
  parent: 'parent', title: 'title', version: 'version', cwd: 'cwd', branch: 'branch', remote: 'remote', originalCwd: 'original_cwd',
  machine: 'machine', subagent: 'subagent',
} as const;

type FactName = keyof typeof FACT_COLUMNS;
const factNames = Object.keys(FACT_COLUMNS) as FactName[];

/** Later facts win over earlier ones; null and undefined never overwrite. */
export function mergeFacts(earlier: Facts, later: Facts): Facts {
  const known = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...Object.fromEntries(known) };
}

/** Takes in what logs say about their sessions. */
export async function upsertSessions(db: Db, list: Facts[]): Promise<void> {
  const merged = new Map<string, Facts>();
  for (const facts of list) {
    const key = placeOf(facts.agent, facts.session);
    const earlier = merged.get(key);
    merged.set(key, earlier ? mergeFacts(earlier, facts) : facts);
  }
  const sets = factNames.map((name) => `${FACT_COLUMNS[name]} = coalesce($${name}, ${FACT_COLUMNS[name]})`).join(', ');
  for (const facts of merged.values()) {
    await ensureSession(db, facts.agent, facts.session);
    const values = Object.fromEntries(factNames.map((name) => [name, facts[name] ?? null]));
    await db.run(`UPDATE own.sessions SET ${sets} WHERE agent = $agent AND session = $session`, { ...values, agent: facts.agent, session: facts.session });
  }
}

async function ensureSession(db: Db, agent: string, session: string): Promise<void> {
  await db.run(
    `INSERT INTO own.sessions (agent, session, last_n, entries) SELECT $agent, $session, 0, 0
     WHERE NOT EXISTS (FROM own.sessions WHERE agent = $agent AND session = $session)`,
    { agent, session },
  );
}

/** Records that sessions got entries: highest running number, span of times, number of entries. `now` is the time of reading. */
export async function touchSessions(db: Db, { rows, copies }: Additions, now: string | null): Promise<void> {
  const touched = new Map<string, { agent: string; session: string; lastN: number; entries: number; times: string[] }>();
  for (const { entry, n, rev } of [...rows, ...copies.map((copy) => ({ ...copy, rev: 1 }))]) {
    const key = placeOf(entry.agent, entry.session);
    const group = touched.get(key) ?? { agent: entry.agent, session: entry.session, lastN: 0, entries: 0, times: [] };
    touched.set(key, group);
    group.lastN = Math.max(group.lastN, n);
    if (rev === 1) group.entries++;
    if (entry.time !== null && !Number.isNaN(Date.parse(entry.time))) group.times.push(entry.time);
  }
  for (const { agent, session, lastN, entries, times } of touched.values()) {
    await ensureSession(db, agent, session);
    const sorted = times.sort();
    await db.run(
      `UPDATE own.sessions SET last_n = greatest(last_n, $lastN), entries = entries + $entries, oldest = least(oldest, $oldest::TIMESTAMP),
         newest = greatest(newest, $newest::TIMESTAMP), touched = coalesce($now::TIMESTAMP, touched)
       WHERE agent = $agent AND session = $session`,
      { agent, session, lastN, entries, oldest: sorted[0] ?? null, newest: sorted.at(-1) ?? null, now },
    );
  }
}

/** A session whose entries have not all been extracted, with what is known about it. */
export interface PendingSession {
  agent: string;
  session: string;
  facts: SessionFacts;
  /** Made by a program: it yields no lesson. */
  machine: boolean;
  /** Project id that was settled, or null. */
  project: string | null;
  /** Highest running number now; hand it to `replaceExtraction`, so that entries that arrive meanwhile stay pending. */
  lastN: number;
  entries: number;
  newest: string | null;
  /** Working folders of its entries, most used first. */
  folders: { cwd: string; entries: number }[];
}

export interface PendingOptions {
  /** Only sessions without a new entry since this time; null takes all. */
  idleBefore: string | null;
  /** Sessions extracted by an older extractor are pending too. */
  extractor: number;
  limit?: number;
}

interface PendingRow {
  agent: string; session: string; parent: string | null; title: string | null; version: string | null; cwd: string | null;
  branch: string | null; remote: string | null; original_cwd: string | null; machine: boolean | null; subagent: boolean | null;
  is_machine: boolean; project: string | null; last_n: number; entries: number; newest: string | null;
}

const PENDING = `s.last_n > 0 AND (s.last_n > coalesce(s.extracted_n, 0) OR coalesce(s.extractor, 0) < $extractor)
  AND ($idleBefore::TIMESTAMP IS NULL OR coalesce(least(s.newest, s.touched) <= $idleBefore::TIMESTAMP, true))`;

/** Sessions with entries newer than their last extraction, newest first. */
export async function pendingSessions(db: Db, { idleBefore, extractor, limit = 1_000_000 }: PendingOptions): Promise<PendingSession[]> {
  const rows = await db.all<PendingRow>(
    `SELECT s.* FROM own.session_facts s WHERE ${PENDING} ORDER BY s.newest DESC NULLS LAST, s.agent, s.session LIMIT $limit`,
    { idleBefore, extractor, limit },
  );
  const folders = await foldersOf(db, rows);
  return rows.map((row) => ({
    agent: row.agent, session: row.session, machine: row.is_machine, project: row.project, lastN: row.last_n, entries: row.entries,
    newest: row.newest, facts: toFacts(row), folders: folders.get(placeOf(row.agent, row.session)) ?? [],
  }));
}

const toFacts = (row: PendingRow): SessionFacts => ({
  session: row.session, parent: row.parent, title: row.title, version: row.version, cwd: row.cwd, branch: row.branch, remote: row.remote,
  originalCwd: row.original_cwd, machine: row.machine ?? false, subagent: row.subagent ?? false,
});

/** How many sessions wait for extraction. */
export async function countPending(db: Db, options: { idleBefore: string | null; extractor: number }): Promise<number> {
  const rows = await db.all<{ count: number }>(`SELECT count(*) AS count FROM own.sessions s WHERE ${PENDING}`, { ...options });
  return rows[0]?.count ?? 0;
}

async function foldersOf(db: Db, sessions: { agent: string; session: string }[]): Promise<Map<string, { cwd: string; entries: number }[]>> {
  const rows = await db.all<{ agent: string; session: string; cwd: string; entries: number }>(
    `SELECT e.agent, e.session, e.cwd, count(*) AS entries
     FROM (SELECT agent, session, cwd FROM own.entries UNION ALL SELECT agent, session, cwd FROM own.copies) e
     JOIN (SELECT unnest($agents) AS agent, unnest($sessions) AS session) w ON w.agent = e.agent AND w.session = e.session
     WHERE e.cwd IS NOT NULL GROUP BY ALL ORDER BY entries DESC, e.cwd`,
    { agents: sessions.map(({ agent }) => agent), sessions: sessions.map(({ session }) => session) },
  );
  const folders = new Map<string, { cwd: string; entries: number }[]>();
  for (const { agent, session, cwd, entries } of rows) {
    const key = placeOf(agent, session);
    folders.set(key, [...(folders.get(key) ?? []), { cwd, entries }]);
  }
  return folders;
}

/** Settles the project of sessions; their entries, episodes and candidates are counted there from now on. */
export async function setSessionProjects(db: Db, rows: { agent: string; session: string; project: string }[]): Promise<void> {
  for (const { agent, session, project } of rows) {
    await db.run('UPDATE own.sessions SET project = $project WHERE agent = $agent AND session = $session AND project IS DISTINCT FROM $project', { agent, session, project });
  }
}
