/**
 * The rows of model calls. A row is written before its call, so that calls of a killed process
 * count.
 */
import { type Db, columnsOf, first } from '../db.js';

/**
 * `pending`: not answered yet; counts with its estimate. `unusable`: the answer is not JSON.
 * `cancelled`: dripstone ended the call, with an error if no answer came.
 */
type LlmOutcome =
  'pending' | 'ok' | 'unusable' | 'failed' | 'busy' | 'timeout' | 'refused' | 'cancelled';

/** One call of a language model. */
export interface LlmCall {
  time: string;
  provider: string;
  model: string;
  /** `session` or `test`; version 8 also wrote `consolidate` and `context`. */
  purpose: string;
  agent: string | null;
  session: string | null;
  tokens_in: number;
  tokens_out: number;
  ms: number;
  outcome: LlmOutcome;
  /** Redacted. */
  error: string | null;
  /** Number of kept claims, and of refused claims by reason. */
  kept?: number | null;
  dropped?: Record<string, number> | null;
}

export function addLlmCall(db: Db, call: LlmCall): Promise<void> {
  return db.append('own.llm_calls', {
    ...columnsOf(
      [call],
      'time',
      'provider',
      'model',
      'purpose',
      'agent',
      'session',
      'tokens_in',
      'tokens_out',
      'ms',
    ),
    ...columnsOf([call], 'outcome', 'error'),
    kept: [call.kept ?? null],
    dropped: [call.dropped ? JSON.stringify(call.dropped) : null],
  });
}

/** Replaces the pending row of a call with its result; the time identifies the row. */
export async function finishLlmCall(db: Db, call: LlmCall): Promise<void> {
  await db.run(`DELETE FROM own.llm_calls WHERE time = $time::TIMESTAMP AND outcome = 'pending'`, {
    time: call.time,
  });
  await addLlmCall(db, call);
}

/** Tokens (in and out) since a time, to compare with the caps. */
export async function tokensSince(db: Db, since: string): Promise<number> {
  const row = await first<{ tokens: number }>(
    db,
    `SELECT coalesce(sum(tokens_in + tokens_out), 0)::BIGINT AS tokens FROM own.llm_calls
     WHERE time >= $since::TIMESTAMP`,
    { since },
  );
  return row?.tokens ?? 0;
}

interface Failures {
  /** Calls since the last answered one. */
  inRow: number;
  last: { time: string; outcome: LlmOutcome; error: string | null } | null;
}

/** Failed calls since the last answer. */
export async function llmFailures(db: Db): Promise<Failures> {
  const rows = await db.all<{ time: string; outcome: LlmOutcome; error: string | null }>(
    `SELECT time, outcome, error FROM own.llm_calls WHERE outcome IN ('failed', 'busy', 'timeout', 'refused')
       AND time > coalesce((SELECT max(time) FROM own.llm_calls
         WHERE outcome IN ('ok', 'unusable')), TIMESTAMP '1970-01-01') ORDER BY time DESC`,
  );
  return { inRow: rows.length, last: rows[0] ?? null };
}

/** Result of the newest ended call; null before the first. */
export async function newestCall(db: Db): Promise<Pick<LlmCall, 'outcome' | 'error'> | null> {
  const row = await first<Pick<LlmCall, 'outcome' | 'error'>>(
    db,
    `SELECT outcome, error FROM own.llm_calls
     WHERE outcome NOT IN ('pending', 'cancelled') OR error IS NOT NULL ORDER BY time DESC LIMIT 1`,
  );
  return row ?? null;
}

/** How often calls for a session reached the time limit. */
export async function timeoutsOf(db: Db, agent: string, session: string): Promise<number> {
  const row = await first<{ count: number }>(
    db,
    `SELECT count(*) AS count FROM own.llm_calls WHERE agent = $agent AND session = $session AND outcome = 'timeout'`,
    { agent, session },
  );
  return row?.count ?? 0;
}

/** Number of last answers whose refusals are counted. */
const LAST_ANSWERS = 5;

/** Why claims of the last answers were refused, most frequent first. */
export async function lastRefusals(db: Db): Promise<[reason: string, count: number][]> {
  const rows = await db.all<{ dropped: string }>(
    `SELECT dropped FROM own.llm_calls WHERE purpose = 'session' AND outcome = 'ok' ORDER BY time DESC LIMIT $most`,
    { most: LAST_ANSWERS },
  );
  return Object.entries(countsIn(rows)).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function countsIn(rows: readonly { dropped: string | null }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { dropped } of rows)
    for (const [reason, count] of Object.entries(
      JSON.parse(dropped ?? '{}') as Record<string, number>,
    ))
      counts[reason] = (counts[reason] ?? 0) + count;
  return counts;
}

interface LlmTotals {
  calls: number;
  /** Answers that were not JSON. */
  unusable: number;
  tokens: number;
  kept: number;
  dropped: Record<string, number>;
}

/** The sums over all calls for sessions. */
export async function llmTotals(db: Db): Promise<LlmTotals> {
  const rows = await db.all<{
    tokens: number;
    outcome: LlmOutcome;
    kept: number | null;
    dropped: string | null;
  }>(
    `SELECT tokens_in + tokens_out AS tokens, outcome, kept, dropped FROM own.llm_calls WHERE purpose = 'session'`,
  );
  return {
    calls: rows.length,
    unusable: rows.filter(({ outcome }) => outcome === 'unusable').length,
    tokens: rows.reduce((sum, row) => sum + row.tokens, 0),
    kept: rows.reduce((sum, row) => sum + (row.kept ?? 0), 0),
    dropped: countsIn(rows),
  };
}
