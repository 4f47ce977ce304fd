import { first } from './db.js';
import type { Db } from './db.js';

/** One call of a language model, for the ledger. */
export interface LlmCall {
  time: string;
  provider: string;
  model: string;
  purpose: string;
  agent: string | null;
  session: string | null;
  tokensIn: number;
  tokensOut: number;
  ms: number;
  outcome: 'ok' | 'failed' | 'timeout' | 'refused';
  error: string | null;
}

export const addLlmCall = (db: Db, call: LlmCall): Promise<void> =>
  db.append('own.llm_calls', {
    time: [call.time], provider: [call.provider], model: [call.model], purpose: [call.purpose], agent: [call.agent], session: [call.session],
    tokens_in: [call.tokensIn], tokens_out: [call.tokensOut], ms: [call.ms], outcome: [call.outcome], error: [call.error],
  });

/** Tokens spent (in and out) since a time; what the caps are checked against. */
export async function tokensSince(db: Db, since: string): Promise<number> {
  const row = await first<{ tokens: number }>(db, 'SELECT coalesce(sum(tokens_in + tokens_out), 0)::BIGINT AS tokens FROM own.llm_calls WHERE time >= $since::TIMESTAMP', { since });
  return row?.tokens ?? 0;
}
