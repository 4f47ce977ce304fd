/** What came back: what is borne out is kept, everything is counted, and the ledger says what it cost. */
import { estimateTokens } from '../extract/index.js';
import { finishLlmCall, timeoutsOf, type Db, type LlmCall } from '../store/index.js';
import type { Flight } from './ask-flight.js';
import { ANSWER_TOKENS, type Asked, type Kept } from './ask-question.js';
import type { JobContext } from './job.js';
import { maskText } from './mask.js';
import { addUnlearnt } from './unlearnt.js';

export interface Landed {
  purpose: Asked['purpose'];
  /** Lessons that may have changed. */
  kept: number;
  failed: boolean;
}

/** Keeps a landed flight's result: claims, place and cost in one transaction. */
export const keepLanded = async (context: JobContext, flight: Flight): Promise<Landed> => {
  const { asked, time } = flight;
  const answer = flight.landed?.answer ?? null;
  const got = asked.take(answer?.text ?? null);
  const { error, ...plain } = callOf(flight, got);
  // A server may quote its request, key and all.
  const call = { ...plain, error: error === null ? null : await maskText(context, error) };
  await context.store.write(async (db) => {
    await finishLlmCall(db, call);
    if (answer !== null || (call.outcome === 'timeout' && (await isGivenUp(db, asked)))) await got.save(db, time);
    if (got.kept > 0 && asked.purpose !== 'context') await addUnlearnt(db, [asked.project]);
  });
  return { purpose: asked.purpose, kept: got.kept, failed: call.outcome !== 'ok' };
};

const isGivenUp = async (db: Db, { patience, agent, session }: Asked): Promise<boolean> =>
  patience <= 1 || agent === null || session === null || (await timeoutsOf(db, agent, session)) >= patience;

const callOf = ({ asked, model, time, landed }: Flight, got: Kept): LlmCall => {
  const { answer, error, ms } = landed!;
  const dropped: Record<string, number> = {};
  for (const reason of got.dropped) dropped[reason] = (dropped[reason] ?? 0) + 1;
  return {
    time,
    provider: model.provider,
    model: model.model,
    purpose: asked.purpose,
    agent: asked.agent,
    session: asked.session,
    ms,
    // A call that failed may have been paid for: it counts with its estimate.
    tokensIn: answer?.tokensIn ?? estimateTokens(asked.prompt),
    tokensOut: answer === null ? ANSWER_TOKENS : (answer.tokensOut ?? estimateTokens(answer.text)),
    outcome: error !== null ? error.failure : got.isUsable ? 'ok' : 'unusable',
    error: error?.message ?? null,
    kept: got.kept,
    dropped,
  };
};
