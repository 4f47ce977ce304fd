/**
 * Tokens of answers, one row for each. Rows are found by a hash of the agent and its id of the
 * answer, without an index, since a pass over all ids is fast.
 */
import { createHash } from 'node:crypto';
import type { Usage } from '../types.js';
import { appendRows, type Db } from './db.js';
import type { PlaceKey } from './repair/purge-find.js';
import { addPurged, knownMarks } from './repair/purged.js';
import { sessionLists } from './rows/sessions.js';

/** Usage of an answer, from an adapter, with its session. */
type UsageOfSession = Usage & { agent: string; session: string };

const COUNTS = ['input', 'cache_read', 'cache_write', 'output', 'reasoning'] as const;

interface UsageRow extends Record<(typeof COUNTS)[number], number> {
  /** Signed, like hashes of terms, since the client appends BIGINT columns fastest. */
  id: bigint;
  agent: string;
  session: string;
  time: string | null;
  model: string | null;
  cost: number | null;
}

function idOf(agent: string, native: string): bigint {
  return createHash('sha256').update(`${agent}\0usage\0${native}`).digest().readBigInt64BE(0);
}

/** 0 for an invalid count, which would make the whole commit fail. */
function countOf(value: number): number {
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function rowOf({ native, ...answer }: UsageOfSession): UsageRow {
  return {
    id: idOf(answer.agent, native),
    agent: answer.agent,
    session: answer.session,
    time: answer.time,
    model: answer.model?.slice(0, 200) ?? null,
    input: countOf(answer.input),
    cache_read: countOf(answer.cacheRead),
    cache_write: countOf(answer.cacheWrite),
    output: countOf(answer.output),
    reasoning: countOf(answer.reasoning),
    cost:
      answer.cost !== null && Number.isFinite(answer.cost) && answer.cost > 0 ? answer.cost : null,
  };
}

/**
 * The earlier row is the original, since a fork gives its copies new times. Rows without a time
 * come last.
 */
function isEarlier(a: UsageRow, b: UsageRow): boolean {
  const [left, right] = [a, b].map(({ time, session, model }) =>
    [time ?? '~', session, model ?? '~'].join('\0'),
  );
  return left! <= right!;
}

/**
 * Unites two rows of one answer: the larger counts, other fields from the earlier row. The order of
 * arguments has no effect. Pure.
 */
function united(a: UsageRow | undefined, b: UsageRow): UsageRow {
  if (a === undefined) return b;
  const [first, second] = isEarlier(a, b) ? [a, b] : [b, a];
  const counts = Object.fromEntries(
    COUNTS.map((name) => [name, Math.max(a[name], b[name])]),
  ) as Pick<UsageRow, (typeof COUNTS)[number]>;
  const cost = a.cost === null && b.cost === null ? null : Math.max(a.cost ?? 0, b.cost ?? 0);
  return { ...first, ...counts, cost, model: first.model ?? second.model };
}

function isSame(a: UsageRow | undefined, b: UsageRow): boolean {
  return (
    a !== undefined && (Object.keys(b) as (keyof UsageRow)[]).every((name) => a[name] === b[name])
  );
}

/**
 * Stores usage of answers; call it inside `store.write`. Stored answers only get larger counts;
 * purged answers stay away.
 */
export async function addUsage(db: Db, answers: readonly UsageOfSession[]): Promise<void> {
  if (answers.length === 0) return;
  const rows = new Map<bigint, UsageRow>();
  for (const row of answers.map(rowOf)) rows.set(row.id, united(rows.get(row.id), row));
  const known = await storedOf(db, [...rows.keys()]);
  const purged = await knownMarks(db, [...rows.keys()].filter((id) => !known.has(id)).map(markOf));
  const added: UsageRow[] = [];
  const replaced: bigint[] = [];
  for (const row of rows.values()) {
    const before = known.get(row.id);
    const after = united(before, row);
    if (isSame(before, after) || purged.has(markOf(row.id))) continue;
    if (before !== undefined) replaced.push(row.id);
    added.push(after);
  }
  if (replaced.length > 0)
    await db.run('DELETE FROM own.usage WHERE id IN (SELECT unnest($ids))', { ids: replaced });
  await appendRows(
    db,
    'own.usage',
    added.map((row) => ({ ...row })),
  );
}

async function storedOf(db: Db, ids: readonly bigint[]): Promise<Map<bigint, UsageRow>> {
  const rows = await db.all<Omit<UsageRow, 'id'> & { id: number | bigint }>(
    'SELECT u.* FROM own.usage u WHERE u.id IN (SELECT unnest($ids))',
    { ids },
  );
  return new Map(rows.map((row) => [BigInt(row.id), { ...row, id: BigInt(row.id) }]));
}

/** Mark in `own.purged`. */
function markOf(id: bigint): string {
  return `usage:${BigInt.asUintN(64, id).toString(16).padStart(16, '0')}`;
}

/**
 * Removes the tokens of purged entries: an answer's counts belong to the last entry of its session
 * before them. Call it before the entries are deleted.
 *
 * @param ids of the purged entries
 * @param sessions that lose one of them
 */
export async function removeUsage(
  db: Db,
  ids: readonly string[],
  sessions: readonly PlaceKey[],
): Promise<number> {
  if (sessions.length === 0) return 0;
  const gone = await db.all<{ id: number | bigint }>(
    `WITH wanted AS MATERIALIZED (SELECT unnest($agents::VARCHAR[]) AS agent, unnest($sessions::VARCHAR[]) AS session),
     gone AS MATERIALIZED (SELECT unnest($ids::VARCHAR[]) AS id),
     here AS MATERIALIZED (
       SELECT e.agent, e.session, e.time, e.seq, e.id IN (FROM gone) AS goes FROM own.entries e JOIN wanted USING (agent, session)
       UNION ALL
       SELECT c.agent, c.session, c.time, c.seq, c.id IN (FROM gone) FROM own.copies c JOIN wanted USING (agent, session)),
     moments AS (
       SELECT agent, session, time, arg_max(goes, seq) AS goes FROM here WHERE time IS NOT NULL GROUP BY agent, session, time),
     heads AS (SELECT agent, session, arg_min(goes, seq) AS opening, bool_and(goes) AS every FROM here GROUP BY agent, session)
     SELECT u.id FROM own.usage u JOIN wanted w ON w.agent = u.agent AND w.session = u.session
     LEFT JOIN heads h ON h.agent = u.agent AND h.session = u.session
     ASOF LEFT JOIN moments m ON m.agent = u.agent AND m.session = u.session AND u.time >= m.time
     WHERE coalesce(h.every, true) OR coalesce(m.goes, h.opening)`,
    { ...sessionLists(sessions), ids },
  );
  const list = gone.map(({ id }) => BigInt(id));
  await addPurged(db, list.map(markOf));
  return db.run('DELETE FROM own.usage WHERE id IN (SELECT unnest($list::BIGINT[]))', { list });
}

/** Keys for sums of tokens. */
export type UsageKey = 'day' | 'week' | 'month' | 'project' | 'agent' | 'model' | 'session';

/** A week is named by its Monday. */
const KEYS: Readonly<Record<UsageKey, string>> = {
  day: 'u.day::VARCHAR',
  week: `date_trunc('week', u.day)::DATE::VARCHAR`,
  month: `strftime(u.day, '%Y-%m')`,
  project: 'u.project',
  agent: 'u.agent',
  model: 'u.model',
  session: 'u.session',
};

/** Tokens of one model under one key; `logged`: those with a cost from the log. */
export interface UsageSum {
  key: string | null;
  /** Only if the key is a session. */
  agent: string | null;
  project: string | null;
  active_seconds: number | null;
  model: string | null;
  messages: number;
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
  reasoning: number;
  logged: number | null;
}

const SUMS = `count(*) AS messages, sum(u.input)::BIGINT AS input, sum(u.cache_read)::BIGINT AS cache_read,
  sum(u.cache_write)::BIGINT AS cache_write, sum(u.output)::BIGINT AS output, sum(u.reasoning)::BIGINT AS reasoning`;

/**
 * @param since first day (UTC), or null for all; rows without a time have no day
 * @param project slug, or null for all
 */
export async function sumUsage(
  db: Db,
  by: UsageKey,
  { since, project }: { since: string | null; project: string | null },
): Promise<UsageSum[]> {
  const ofSession = by === 'session';
  const rows = await db.all<UsageSum>(
    `SELECT ${KEYS[by]} AS key, ${ofSession ? 'u.agent, u.project' : 'NULL AS agent, NULL AS project'}, u.model, ${SUMS},
       sum(u.logged_cost) AS logged, ${ofSession ? 'any_value(s.active_seconds)' : 'NULL'} AS active_seconds
     FROM main.usage u ${ofSession ? 'LEFT JOIN own.sessions s ON s.agent = u.agent AND s.session = u.session' : ''}
     WHERE ($since::DATE IS NULL OR u.day >= $since::DATE) AND ($project::VARCHAR IS NULL OR u.project = $project)
     GROUP BY ${KEYS[by]}, ${ofSession ? 'u.agent, u.project, ' : ''}u.model, u.logged_cost IS NULL
     ORDER BY 1, u.model, u.logged_cost IS NULL`,
    { since, project },
  );
  return rows;
}
