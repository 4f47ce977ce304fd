/** What came back: claims that the session bears out are kept, everything is counted, and the ledger says what it cost. */
import { estimateTokens, readAnswer, takeClaims, type Taken } from '../extract/index.js';
import { finishLlmCall, saveAnswer, timeoutsOf, type LlmCall } from '../store/index.js';
import type { Flight } from './ask-flight.js';
import { ANSWER_TOKENS } from './ask-question.js';
import type { JobContext } from './job.js';
import { addUnlearnt } from './unlearnt.js';

/** A session that ran into the time limit so often is not asked again. */
const TIMEOUTS = 2;
const NOTHING: Taken = { candidates: [], rewordings: [], dropped: [] };

export interface Landed {
  /** Lessons that may have changed. */
  kept: number;
  failed: boolean;
}

/** Keeps a landed flight's result: claims, place and cost in one transaction. */
export const keepLanded = async (context: JobContext, flight: Flight): Promise<Landed> => {
  const { asked, time } = flight;
  const { question, part } = asked;
  const read = flight.landed?.answer ? readAnswer(flight.landed.answer.text) : null;
  const taken = read === null ? NOTHING : takeClaims(read.claims, asked.session, part.lines, asked.shown);
  const call = callOf(flight, taken, read !== null);
  await context.store.write(async (db) => {
    await finishLlmCall(db, call);
    const isDone = flight.landed?.answer !== null || (call.outcome === 'timeout' && (await timeoutsOf(db, question.agent, question.session)) >= TIMEOUTS);
    if (isDone) await saveAnswer(db, { ...question, upTo: part.upTo, candidates: taken.candidates, rewordings: taken.rewordings, time });
    if (taken.candidates.length + taken.rewordings.length > 0) await addUnlearnt(db, [question.project]);
  });
  return { kept: taken.candidates.length + taken.rewordings.length, failed: call.outcome !== 'ok' };
};

const callOf = ({ asked, model, time, landed }: Flight, taken: Taken, isUsable: boolean): LlmCall => {
  const { answer, error, ms } = landed!;
  const dropped: Record<string, number> = {};
  for (const reason of taken.dropped) dropped[reason] = (dropped[reason] ?? 0) + 1;
  return {
    time, provider: model.provider, model: model.model, purpose: 'session', agent: asked.question.agent, session: asked.question.session, ms,
    // A call that failed may have been paid for: it counts with its estimate.
    tokensIn: answer?.tokensIn ?? estimateTokens(asked.prompt),
    tokensOut: answer === null ? ANSWER_TOKENS : (answer.tokensOut ?? estimateTokens(answer.text)),
    outcome: error !== null ? error.failure : isUsable ? 'ok' : 'unusable',
    error: error?.message ?? null,
    kept: taken.candidates.length + taken.rewordings.length,
    dropped,
  };
};
