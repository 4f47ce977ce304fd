/** Entries: one commit holds entries, texts, postings, session facts and the checkpoint, so that they appear together or not at all. */
import { sessionKey, type Batch, type Entry, type PreparedEntry } from '../types.js';
import { planAdditions } from './additions.js';
import type { Additions, KnownRow } from './additions.js';
import type { Db } from './db.js';
import { endCommit, metaValue } from './meta.js';
import { planArrivals, updateSessions } from './session-rows.js';
import type { Facts } from './session-rows.js';
import { saveBadLines, saveCheckpoints } from './sources.js';

export interface Committed {
  added: number;
  /** Entries whose text changed under the same id. */
  revised: number;
  known: number;
}

/**
 * Stores batches in one go; call it inside `store.write`. Storing them again changes nothing but the checkpoints. A commit costs about 20 ms
 * whatever its size, so bulk reading gathers some thousand entries.
 */
export async function commitBatches(db: Db, batches: Batch[]): Promise<Committed> {
  const logs = await saveCheckpoints(db, batches.map(({ checkpoint }) => checkpoint));
  const entries = batches.flatMap((batch, index) => batch.entries.map((entry) => ({ entry, log: logs[index] as number })));
  const facts = batches.flatMap(({ sessions }) => sessions);
  const done = await addEntries(db, entries, facts, batches.at(-1)?.checkpoint.lastRead ?? null);
  for (const [index, { bad }] of batches.entries()) await saveBadLines(db, logs[index] as number, bad);
  return done;
}

/** Stores entries that come back from tiers; their logs may be gone. */
export const restoreEntries = (db: Db, entries: PreparedEntry[], now: string): Promise<Committed> =>
  addEntries(db, entries.map((entry) => ({ entry, log: null })), [], now);

async function addEntries(db: Db, given: { entry: PreparedEntry; log: number | null }[], facts: Facts[], now: string | null): Promise<Committed> {
  const known = await knownOf(db, [...new Set(given.flatMap(({ entry: { id, formerId } }) => (formerId === undefined ? [id] : [id, formerId])))]);
  const list = given.map(({ entry, log }) => ({ entry: withKnownId(entry, known), log }));
  const entries = list.map(({ entry }) => entry);
  const plan = planAdditions(entries, known.rows, known.copies, known.purged, Number(await metaValue(db, 'next_n')));
  const logOf = new Map(list.map(({ entry, log }) => [entry, log]));
  await appendEntries(db, plan, logOf);
  await appendCopies(db, plan, logOf);
  await updateSessions(db, facts, planArrivals(plan), now);
  await endCommit(db, plan.nextN);
  return { added: plan.added, revised: plan.revised, known: plan.known };
}

interface Known {
  rows: KnownRow[];
  copies: { id: string; agent: string; session: string }[];
  purged: Set<string>;
}

/** An entry that is stored in its session under the id of an earlier version keeps that id, and so does one that was purged under it. */
function withKnownId(entry: PreparedEntry, { rows, copies, purged }: Known): PreparedEntry {
  const { formerId, agent, session } = entry;
  if (formerId === undefined) return entry;
  const isHere = (row: { id: string; agent: string; session: string }): boolean => row.id === formerId && row.agent === agent && row.session === session;
  return purged.has(formerId) || rows.some(isHere) || copies.some(isHere) ? { ...entry, id: formerId } : entry;
}

/** What is stored of these ids, in one statement: binding a list of some thousand ids costs as much as looking them up. */
async function knownOf(db: Db, ids: string[]): Promise<Known> {
  const found = await db.all<KnownRow & { source: string }>(
    `WITH wanted AS MATERIALIZED (SELECT unnest($ids) AS id)
     SELECT 'row' AS source, e.id, e.rev, e.hash, e.n, e.agent, e.session FROM own.entries e JOIN wanted w ON w.id = e.id
     UNION ALL SELECT 'copy', c.id, 0, '', 0, c.agent, c.session FROM own.copies c JOIN wanted w ON w.id = c.id
     UNION ALL SELECT 'purged', p.id, 0, '', 0, '', '' FROM own.purged p JOIN wanted w ON w.id = p.id`,
    { ids },
  );
  return {
    rows: found.filter(({ source }) => source === 'row'),
    copies: found.filter(({ source }) => source === 'copy'),
    purged: new Set(found.filter(({ source }) => source === 'purged').map(({ id }) => id)),
  };
}

async function appendEntries(db: Db, plan: Additions, logOf: Map<PreparedEntry, number | null>): Promise<void> {
  const { rows } = plan;
  const column = <T>(pick: (entry: PreparedEntry) => T): T[] => rows.map(({ entry }) => pick(entry));
  await db.append('own.entries', {
    n: rows.map(({ n }) => n), id: column((e) => e.id), rev: rows.map(({ rev }) => rev), hash: column((e) => e.hash),
    agent: column((e) => e.agent), session: column((e) => e.session), seq: column((e) => e.seq), time: column((e) => e.time),
    role: column((e) => e.role), origin: column((e) => e.origin), tool: column((e) => e.tool), command: column((e) => e.command),
    exit: column((e) => smallInteger(e.exit)), outcome: column((e) => e.outcome), error: column((e) => e.error), files: column((e) => e.files),
    call: column((e) => e.call), cwd: column((e) => e.cwd), branch: column((e) => e.branch), marks: column((e) => e.marks),
    copied: column((e) => e.copied), log: column((e) => logOf.get(e) ?? null), path: column((e) => e.path), line: column((e) => e.line),
    length: column((e) => e.length),
  });
  await db.append('own.texts', { n: rows.map(({ n }) => n), text: column((e) => e.text) });
  await db.append('own.superseded', { n: plan.superseded });
  await appendPostings(db, plan);
}

/** Logs hold exit codes such as 4294967295; the column is 32 bits wide. */
const smallInteger = (value: number | null): number | null =>
  value === null || !Number.isInteger(value) ? null : value >= -(2 ** 31) && value < 2 ** 31 ? value : value | 0;

async function appendPostings(db: Db, { rows }: Additions): Promise<void> {
  const size = rows.reduce((sum, { entry }) => sum + entry.terms.counts.length, 0);
  const hash = new BigInt64Array(size);
  const n = new BigInt64Array(size);
  const count = new Int32Array(size);
  let at = 0;
  for (const row of rows) {
    const { hashes, counts } = row.entry.terms;
    hash.set(hashes, at);
    count.set(counts, at);
    n.fill(BigInt(row.n), at, at + counts.length);
    at += counts.length;
  }
  await db.append('own.postings', { hash, n, count });
}

async function appendCopies(db: Db, { copies }: Additions, logOf: Map<PreparedEntry, number | null>): Promise<void> {
  const column = <T>(pick: (entry: PreparedEntry) => T): T[] => copies.map(({ entry }) => pick(entry));
  await db.append('own.copies', {
    n: copies.map(({ n }) => n), id: column((e) => e.id), agent: column((e) => e.agent), session: column((e) => e.session),
    seq: column((e) => e.seq), time: column((e) => e.time), cwd: column((e) => e.cwd), branch: column((e) => e.branch),
    copied: column((e) => e.copied), log: column((e) => logOf.get(e) ?? null), path: column((e) => e.path), line: column((e) => e.line),
  });
}

/**
 * All entries of sessions as their own logs tell them, by `agent\0session`, ordered by path and seq, highest rev only. Entries that were
 * first read in another session (forks, resumes) are among them, with their place and time in this one, so that the order of reading
 * cannot matter. Every table is passed over once, whatever the number of sessions.
 *
 * @param clip keeps only so many characters at the head and tail of a tool result's text; 0 keeps all
 */
export async function entriesOfSessions(db: Db, sessions: readonly { agent: string; session: string }[], { clip = 0 }: { clip?: number } = {}): Promise<Map<string, Entry[]>> {
  if (sessions.length === 0) return new Map();
  const rows = await db.all<Entry>(
    `WITH wanted AS MATERIALIZED (SELECT unnest($agents) AS agent, unnest($sessions) AS session),
     here AS (
       SELECT e.agent, e.session, e.id, e.n, e.seq, e.time, e.cwd, e.branch, e.copied, e.log, e.path, e.line FROM own.entries e
       JOIN wanted w ON w.agent = e.agent AND w.session = e.session WHERE NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)
       UNION ALL
       SELECT c.agent, c.session, c.id, e.n, c.seq, c.time, c.cwd, c.branch, c.copied, c.log, c.path, c.line FROM own.copies c
       JOIN wanted w ON w.agent = c.agent AND w.session = c.session
       JOIN own.entries e ON e.id = c.id AND NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)
       WHERE NOT (e.agent = c.agent AND e.session = c.session))
     SELECT e.id, h.agent, h.session, h.seq, h.time, e.role, e.origin, e.tool,
       CASE WHEN $clip > 0 AND e.role = 'tool_result' AND length(t.text) > 2 * $clip
         THEN substring(t.text, 1, $clip) || chr(10) || '…' || chr(10) || right(t.text, $clip) ELSE coalesce(t.text, '') END AS text,
       e.hash, e.call, e.command, e.exit, e.outcome, e.error, e.files, h.cwd, h.branch, e.marks, h.copied,
       coalesce(l.path, h.path) AS path, h.line
     FROM here h JOIN own.entries e ON e.n = h.n LEFT JOIN own.texts t ON t.n = e.n LEFT JOIN own.sources l ON l.log = h.log
     ORDER BY path, h.seq, e.id`,
    { agents: sessions.map(({ agent }) => agent), sessions: sessions.map(({ session }) => session), clip },
  );
  const found = new Map<string, Entry[]>(sessions.map(({ agent, session }) => [sessionKey(agent, session), []]));
  for (const row of rows) found.get(sessionKey(row.agent, row.session))!.push(row);
  return found;
}

/** The same of one session. */
export const sessionEntries = async (db: Db, agent: string, session: string, options: { clip?: number } = {}): Promise<Entry[]> =>
  (await entriesOfSessions(db, [{ agent, session }], options)).get(sessionKey(agent, session))!;
