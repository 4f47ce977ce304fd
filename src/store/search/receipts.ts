/** What hooks showed, and what the rows of the same session say happened next. */
import { type Db, columnsOf } from '../db.js';

/** One thing that was told at a moment; those of one moment share `receipt`. */
export interface Receipt {
  receipt: string;
  time: string;
  moment: string;
  agent: string;
  session: string;
  /** Project id. */
  project: string;
  type: 'page' | 'lesson' | 'fact' | 'entry';
  /** Of the lesson or entry; of a page its hash. */
  id: string;
  /** As it was shown. */
  tokens: number;
}

const FIELDS = [
  'receipt',
  'time',
  'moment',
  'agent',
  'session',
  'project',
  'type',
  'id',
  'tokens',
] as const;

/** Adds receipts that are not known. @returns how many were new */
export async function addReceipts(db: Db, receipts: readonly Receipt[]): Promise<number> {
  if (receipts.length === 0) return 0;
  const ids = [...new Set(receipts.map(({ receipt }) => receipt))];
  const rows = await db.all<{ receipt: string }>(
    'SELECT DISTINCT receipt FROM own.receipts WHERE receipt IN (SELECT unnest($ids::VARCHAR[]))',
    { ids },
  );
  const known = new Set(rows.map(({ receipt }) => receipt));
  const added = receipts.filter(({ receipt }) => !known.has(receipt));
  await db.append('own.receipts', columnsOf(added, ...FIELDS));
  return added.length;
}

/**
 * What a session was told, the oldest first, and of that the newest. @param session the agent's own
 * id
 */
export async function toldTo(
  db: Db,
  session: string,
  limit: number,
): Promise<Pick<Receipt, 'type' | 'id'>[]> {
  const rows = await db.all<Pick<Receipt, 'type' | 'id'>>(
    'SELECT type, id FROM own.receipts WHERE session = $session ORDER BY time DESC, id LIMIT $limit',
    { session, limit },
  );
  return rows.reverse();
}

/** A told item with its text; null for one that is gone. */
export interface ToldItem extends Receipt {
  slug: string | null;
  text: string | null;
}

/** @param project id; null: every project */
export function receiptsSince(db: Db, since: string, project: string | null): Promise<ToldItem[]> {
  const own = project === null ? '' : 'AND r.project = $project';
  return db.all<ToldItem>(
    `SELECT r.receipt, r.time, r.moment, r.agent, r.session, r.project, r.type, r.id, r.tokens, p.slug,
       coalesce(any_value(l.text), left(any_value(t.text), 200)) AS text
     FROM own.receipts r LEFT JOIN own.projects p ON p.id = r.project
     LEFT JOIN own.lessons l ON r.type IN ('lesson', 'fact') AND l.id = r.id
     LEFT JOIN own.entries e ON r.type = 'entry' AND e.id = r.id LEFT JOIN own.texts t ON t.n = e.n
     WHERE r.time >= $since::TIMESTAMP ${own} GROUP BY ALL ORDER BY r.time DESC, r.receipt, r.id`,
    { since, ...(project !== null && { project }) },
  );
}

/**
 * What followed in the session of a failure. Null: its log was not read so far, or its commands are
 * not parsed yet.
 */
export interface Followed {
  receipt: string;
  /** How often the same error came again. */
  again: number | null;
  /** Whether the command that failed passed later. */
  passed: boolean | null;
  /** Whether what a told fact names ran later and passed. */
  cured: boolean | null;
}

/** A hook asks before or after the agent writes the failure into its log. */
const WRITTEN_SECONDS = 60;

export function followedSince(db: Db, since: string): Promise<Followed[]> {
  const same = (a: string, b: string): string =>
    `${a}.agent = ${b}.agent AND ${a}.session = ${b}.session`;
  return db.all<Followed>(
    `WITH told AS (
       SELECT DISTINCT receipt, time, agent, session FROM own.receipts WHERE moment = 'failure' AND time >= $since::TIMESTAMP),
     failed AS (
       SELECT t.receipt, t.agent, t.session, max(e.seq) AS seq, arg_max(e.error, e.seq) AS error
       FROM told t JOIN own.current_entries e ON ${same('e', 't')} AND e.role = 'tool_result' AND e.outcome = 'failed'
         AND e.time <= t.time + INTERVAL ${WRITTEN_SECONDS} SECOND
       GROUP BY t.receipt, t.agent, t.session),
     again AS (
       SELECT f.receipt, count(*) AS times FROM failed f JOIN own.current_entries e ON ${same('e', 'f')} AND e.seq > f.seq
         AND e.role = 'tool_result' AND e.outcome = 'failed' AND e.error = f.error GROUP BY f.receipt),
     step AS (
       SELECT f.receipt, f.agent, f.session, f.seq, arg_max(s.form, s.seq) AS form
       FROM failed f JOIN own.steps s ON ${same('s', 'f')} AND s.outcome = 'failed' AND s.seq <= f.seq GROUP BY ALL),
     passed AS (
       SELECT p.receipt, bool_or(s.form = p.form) AS same, list(DISTINCT s.form) AS forms
       FROM step p JOIN own.steps s ON ${same('s', 'p')} AND s.seq > p.seq AND s.outcome = 'ok' GROUP BY p.receipt),
     named AS (
       SELECT r.receipt, unnest([TRY(l.fields->>'$.works'), TRY(l.fields->>'$.needs')]) AS form
       FROM own.receipts r JOIN own.lessons l ON l.id = r.id WHERE r.type = 'fact'),
     cure AS (
       SELECT n.receipt, bool_or(list_contains(a.forms, n.form)) AS ran
       FROM named n JOIN passed a ON a.receipt = n.receipt WHERE n.form IS NOT NULL GROUP BY n.receipt)
     SELECT t.receipt, CASE WHEN f.receipt IS NULL THEN NULL ELSE coalesce(g.times, 0) END AS again,
       CASE WHEN s.receipt IS NULL THEN NULL ELSE coalesce(a.same, false) END AS passed,
       CASE WHEN s.receipt IS NULL OR NOT EXISTS (FROM named n WHERE n.receipt = t.receipt AND n.form IS NOT NULL) THEN NULL
         ELSE coalesce(c.ran, false) END AS cured
     FROM told t LEFT JOIN failed f ON f.receipt = t.receipt LEFT JOIN again g ON g.receipt = t.receipt
     LEFT JOIN step s ON s.receipt = t.receipt LEFT JOIN passed a ON a.receipt = t.receipt
     LEFT JOIN cure c ON c.receipt = t.receipt`,
    { since },
  );
}

/** Moments at which something was told since then. */
export async function countReceipts(db: Db, since: string): Promise<number> {
  const rows = await db.all<{ n: number }>(
    'SELECT count(DISTINCT receipt) AS n FROM own.receipts WHERE time >= $since::TIMESTAMP',
    { since },
  );
  return rows[0]?.n ?? 0;
}
