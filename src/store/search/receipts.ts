/** Items that hooks showed, and the next steps of the same session. */
import { type Db, columnsOf } from '../db.js';
import { withPlaces } from './numbers.js';

/** One item that was shown at a moment; the items of a moment share `receipt`. */
export interface Receipt {
  receipt: string;
  time: string;
  moment: string;
  agent: string;
  session: string;
  /** Project id. */
  project: string;
  /** `notes`: a request to the agent to leave notes. */
  type: 'page' | 'lesson' | 'fact' | 'entry' | 'notes';
  /** Id of the lesson or entry, or hash of another text. */
  id: string;
  /** Tokens of the shown text. */
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

/** Adds new receipts. @returns their number */
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

/** A shown item with its text; null if the item no longer exists. */
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

/** What the session did after a failure. Null: its log is not read so far or not parsed yet. */
export interface Followed {
  receipt: string;
  /** How often the same error came again. */
  again: number | null;
  /** Whether the command that failed passed later. */
  passed: boolean | null;
  /** Whether the command of a shown fact ran later and passed. */
  cured: boolean | null;
}

/** The agent may write the failure into its log this long after the hook. */
const WRITTEN_SECONDS = 60;
/** A longer pause counts as this many seconds. */
const LONGEST_GAP = 300;

function same(a: string, b: string): string {
  return `${a}.agent = ${b}.agent AND ${a}.session = ${b}.session`;
}

/** What was shown at failures since a time, the failed step, and what ran after it. */
const AFTER = `WITH moments AS (
       SELECT DISTINCT receipt, time, agent, session, project FROM own.receipts WHERE moment = 'failure' AND time >= $since::TIMESTAMP),
     failed AS (
       SELECT t.receipt, t.agent, t.session, max(e.seq) AS seq, arg_max(e.error, e.seq) AS error
       FROM moments t JOIN own.current_entries e ON ${same('e', 't')} AND e.role = 'tool_result' AND e.outcome = 'failed'
         AND e.time <= t.time + INTERVAL ${WRITTEN_SECONDS} SECOND
       GROUP BY t.receipt, t.agent, t.session),
     step AS (
       SELECT f.receipt, f.agent, f.session, f.seq, arg_max(s.form, s.seq) AS form, arg_max(s.error, s.seq) AS error,
         arg_max(s.entry, s.seq) AS entry
       FROM failed f JOIN own.steps s ON ${same('s', 'f')} AND s.outcome = 'failed' AND s.seq <= f.seq GROUP BY ALL),
     passed AS (
       SELECT p.receipt, bool_or(s.form = p.form) AS same, list(DISTINCT s.form) AS forms
       FROM step p JOIN own.steps s ON ${same('s', 'p')} AND s.seq > p.seq AND s.outcome = 'ok' GROUP BY p.receipt),
     named AS (
       SELECT r.receipt, unnest([TRY(l.fields->>'$.works'), TRY(l.fields->>'$.needs')]) AS form
       FROM own.receipts r JOIN own.lessons l ON l.id = r.id WHERE r.type = 'fact'),
     cure AS (
       SELECT n.receipt, bool_or(list_contains(a.forms, n.form)) AS ran
       FROM named n JOIN passed a ON a.receipt = n.receipt WHERE n.form IS NOT NULL GROUP BY n.receipt)`;

export function followedSince(db: Db, since: string): Promise<Followed[]> {
  return db.all<Followed>(
    `${AFTER}, again AS (
       SELECT f.receipt, count(*) AS times FROM failed f JOIN own.current_entries e ON ${same('e', 'f')} AND e.seq > f.seq
         AND e.role = 'tool_result' AND e.outcome = 'failed' AND e.error = f.error GROUP BY f.receipt)
     SELECT t.receipt, CASE WHEN f.receipt IS NULL THEN NULL ELSE coalesce(g.times, 0) END AS again,
       CASE WHEN s.receipt IS NULL THEN NULL ELSE coalesce(a.same, false) END AS passed,
       CASE WHEN s.receipt IS NULL OR NOT EXISTS (FROM named n WHERE n.receipt = t.receipt AND n.form IS NOT NULL) THEN NULL
         ELSE coalesce(c.ran, false) END AS cured
     FROM moments t LEFT JOIN failed f ON f.receipt = t.receipt LEFT JOIN again g ON g.receipt = t.receipt
     LEFT JOIN step s ON s.receipt = t.receipt LEFT JOIN passed a ON a.receipt = t.receipt
     LEFT JOIN cure c ON c.receipt = t.receipt`,
    { since },
  );
}

/** A failure at which a hook showed a cure, and the earlier cost of the same error. */
interface BestReceipt {
  time: string;
  /** Form of the command. */
  form: string;
  /** The command of the shown cure ran and passed. */
  cured: boolean;
  /** Longest time in an earlier session until it passed; null: none. */
  seconds: number | null;
  cost_day: string | null;
  /** Place of the failure in the log. */
  path: string | null;
  line: number | null;
}

/** The failure that passed afterwards and had the highest earlier cost; null without one. */
export async function bestReceipt(db: Db, since: string): Promise<BestReceipt | null> {
  if ((await countReceipts(db, since)) === 0) return null;
  const rows = await db.all<Omit<BestReceipt, 'path' | 'line'> & { entry: string }>(
    `${AFTER},
     earlier AS (
       SELECT s.receipt, p.agent, p.session, p.time, min(w.time) AS until
       FROM step s JOIN moments t ON t.receipt = s.receipt
       JOIN own.steps p ON p.outcome = 'failed' AND p.form = s.form AND p.error = s.error AND p.time < t.time
         AND p.project = t.project AND NOT (${same('p', 's')})
       JOIN own.steps w ON ${same('w', 'p')} AND w.seq > p.seq AND w.outcome = 'ok' AND w.form = p.form
       GROUP BY ALL),
     gaps AS (
       SELECT agent, session, time, least(date_diff('second', time, lead(time) OVER (PARTITION BY agent, session ORDER BY time)),
         ${LONGEST_GAP}) AS seconds
       FROM own.steps WHERE session IN (SELECT session FROM earlier)),
     cost AS (
       SELECT e.receipt, e.time, sum(g.seconds) AS seconds FROM earlier e
       JOIN gaps g ON ${same('g', 'e')} AND g.time >= e.time AND g.time < e.until GROUP BY ALL)
     SELECT t.time, s.form, s.entry, coalesce(c.ran, false) AS cured, max(k.seconds) AS seconds,
       strftime(arg_max(k.time, k.seconds), '%Y-%m-%d') AS cost_day
     FROM moments t JOIN step s ON s.receipt = t.receipt JOIN passed a ON a.receipt = t.receipt AND a.same
     LEFT JOIN cure c ON c.receipt = t.receipt LEFT JOIN cost k ON k.receipt = t.receipt
     GROUP BY t.receipt, t.time, s.form, s.entry, c.ran ORDER BY seconds DESC NULLS LAST, cured DESC, t.time DESC, t.receipt LIMIT 1`,
    { since },
  );
  const [best] = await withPlaces(db, rows);
  if (best === undefined) return null;
  const { entry: _, ...receipt } = best;
  return receipt;
}

/** Number of moments since a time at which a hook showed an item. */
export async function countReceipts(db: Db, since: string): Promise<number> {
  const rows = await db.all<{ n: number }>(
    'SELECT count(DISTINCT receipt) AS n FROM own.receipts WHERE time >= $since::TIMESTAMP',
    { since },
  );
  return rows[0]?.n ?? 0;
}
