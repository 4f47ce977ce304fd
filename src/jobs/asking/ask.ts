/**
 * Asks a person's own model about sessions, one call at a time and outside the queue. Each run of
 * the job stores the last answer and makes the next call. Lessons by rule do not depend on answers.
 */
import { countTokens } from '../../text/tokens.js';
import { type AskPlan, type LanguageModel, planAsk } from '../../llm/index.js';
import {
  type LlmCall,
  addLlmCall,
  finishLlmCall,
  llmFailures,
  loadProjects,
  timeoutsOf,
  markDirty,
  loadDirtyProjects,
} from '../../store/index.js';
import { modelOf, spentTokens } from './llm-facts.js';
import { nextQuestion } from './ask-question.js';
import { spentBy, startCall, type PendingCall } from './pending-call.js';
import type { ModelRequest, Kept } from './question.js';
import type { Job, JobContext, JobResult } from '../job.js';
import { learnAll } from '../learning/learn.js';
import { maskText } from '../upkeep/mask.js';

/** After failed calls, the daemon waits for a shorter pause than this; a run ends instead. */
const WAITED_MS = 10 * 60_000;

export const askJob: Job = {
  name: 'ask',
  due: 'with a model',
  async run(context): Promise<JobResult> {
    const { model, problem } = modelOf(context);
    if (problem !== null) throw new Error(problem);
    if (model === null) return { done: 0 };
    const kept = await takeAnswer(context);
    const pending = context.asking.pending;
    const next: Later = pending ? { later: pending.done } : await askNext(context, model);
    const isLearning = kept !== null && kept.kept > 0;
    // The `extract` job learns the remaining projects.
    const { projects, isLeft } = isLearning ? await learn(context) : { projects: 0, isLeft: false };
    return {
      done: kept === null ? 0 : 1,
      failed: kept?.failed === true ? 1 : 0,
      counts: { kept: kept?.kept ?? 0, projects },
      changed: projects > 0 || isLeft,
      ...next,
    };
  },
};

/** Longest wait for one answer. */
const ANSWER_MS = 180_000;
/** Longest wait of one run for all answers; the rest is asked at night or in the next run. */
const RUN_MS = 120_000;
/** How long a person's run waits for the first answer of a model. */
const FIRST_ANSWER_MS = 8000;

/** How long a run waits for its answers in total: longer if the last call was answered. Pure. */
export function patienceMs(last: Pick<LlmCall, 'outcome'> | null): number {
  const answers = last?.outcome === 'ok' || last?.outcome === 'unusable';
  return answers ? RUN_MS : FIRST_ANSWER_MS;
}

/** Aborts the pending call, if any. It counts with its estimate; its session is asked again. */
export async function stopAsking(
  context: Pick<JobContext, 'store' | 'asking' | 'signal' | 'clock'>,
): Promise<void> {
  const pending = context.asking.pending;
  if (!pending) return;
  // A call that a stop ended does not show whether the model works.
  const isUnanswered = pending.ended === null && !context.signal.aborted;
  pending.cancel();
  await pending.done;
  context.asking.pending = null;
  const { asked, model, time, ended } = pending;
  const ms = ended?.ms ?? 0;
  const error = isUnanswered
    ? `${model.model} gave no answer for ${Math.round(ms / 1000)} s`
    : null;
  await context.store.write((db) =>
    finishLlmCall(db, { ...pendingCall(model, asked, time), ms, outcome: 'cancelled', error }),
  );
}

async function takeAnswer(context: JobContext): Promise<Answered | null> {
  const pending = context.asking.pending;
  if (!pending || pending.ended === null) return null;
  const kept = await keepAnswer(context, pending);
  context.asking.pending = null;
  return kept;
}

/** Wrapped in an object: an async function that returned the bare promise would wait for it. */
type Later = Pick<JobResult, 'later'>;

/** Makes the next call, or waits for a short pause. `later` settles at the end of the call. */
async function askNext(context: JobContext, model: LanguageModel): Promise<Later> {
  if (context.signal.aborted) return {};
  const found = await findQuestion(context);
  if (found === null) return {};
  const plan = await planCall(context, found.estimate);
  if (plan.ask) return { later: (await send(context, model, found)).done };
  const waitMs =
    plan.until === null ? Infinity : plan.until.getTime() - context.clock.now().getTime();
  context.log.info(
    { reason: plan.reason, until: plan.until?.toISOString() ?? null },
    'no model is asked now',
  );
  return plan.reason === 'resting' && context.mode === 'daemon' && waitMs <= WAITED_MS
    ? { later: new Promise((resolve) => setTimeout(resolve, waitMs).unref()) }
    : {};
}

/** The next question. Sessions with nothing to ask are marked as asked. */
async function findQuestion(context: JobContext): Promise<ModelRequest | null> {
  for (;;) {
    const next = await nextQuestion(context);
    if (next === null || 'prompt' in next) return next;
    await context.store.write((db) => next.pass(db, context.clock.now().toISOString()));
  }
}

async function planCall({ store, clock, config }: JobContext, estimate: number): Promise<AskPlan> {
  const now = clock.now();
  const dailyCap = config.llm.daily_tokens;
  return store.read(async (db) =>
    planAsk(now, estimate, { ...(await spentTokens(db, now)), dailyCap }, await llmFailures(db)),
  );
}

async function send(
  { store, asking, clock }: JobContext,
  model: LanguageModel,
  asked: ModelRequest,
): Promise<PendingCall> {
  const time = clock.now().toISOString();
  await store.write((db) => addLlmCall(db, pendingCall(model, asked, time)));
  return (asking.pending = startCall(model, asked, {
    time,
    timeoutMs: ANSWER_MS,
    mono: () => clock.mono(),
  }));
}

function pendingCall(
  model: LanguageModel,
  { agent, session, estimate, answerTokens }: ModelRequest,
  time: string,
) {
  return {
    time,
    provider: model.provider,
    model: model.model,
    purpose: 'session',
    agent,
    session,
    tokens_in: estimate - answerTokens,
    tokens_out: answerTokens,
    ms: 0,
    outcome: 'pending' as const,
    error: null,
  };
}

/** @returns how many projects have changed lessons, and whether the job gave way */
async function learn(context: JobContext): Promise<{ projects: number; isLeft: boolean }> {
  const { all, touched } = await context.store.read(async (db) => ({
    all: await loadProjects(db),
    touched: await loadDirtyProjects(db),
  }));
  const { changed, next } = await learnAll(
    context,
    all.filter((project) => touched.has(project.id)),
    all,
  );
  return { projects: changed.length, isLeft: next !== undefined };
}

// Handles the end of a call: keeps claims that the session proves, counts the others, and notes the
// cost.

interface Answered {
  /** Number of lessons that may have changed. */
  kept: number;
  failed: boolean;
}

/** After this many calls without an answer in time, a session is not asked about again. */
const MOST_TIMEOUTS = 2;

/** Keeps the result of an ended call in one transaction. */
async function keepAnswer(context: JobContext, pending: PendingCall): Promise<Answered> {
  const { asked, time } = pending;
  const answer = pending.ended?.answer ?? null;
  const got = asked.take(answer?.text ?? null);
  const { error, ...plain } = callOf(pending, got, countTokens(answer?.text ?? ''));
  // A server's error may quote the request with its key.
  const call = { ...plain, error: error === null ? null : await maskText(context, error) };
  await context.store.write(async (db) => {
    await finishLlmCall(db, call);
    const isGivenUp =
      call.outcome === 'timeout' &&
      (await timeoutsOf(db, asked.agent, asked.session)) >= MOST_TIMEOUTS;
    if (answer !== null || isGivenUp) await got.save(db, time);
    if (got.kept > 0) await markDirty(db, [asked.project]);
  });
  return { kept: got.kept, failed: call.outcome !== 'ok' };
}

function callOf(pending: PendingCall, got: Kept, answered: number): LlmCall {
  const { asked, model, time } = pending;
  const { error, ms } = pending.ended!;
  const dropped: Record<string, number> = {};
  for (const reason of got.dropped) dropped[reason] = (dropped[reason] ?? 0) + 1;
  return {
    time,
    provider: model.provider,
    model: model.model,
    purpose: 'session',
    agent: asked.agent,
    session: asked.session,
    ms,
    ...spentBy(pending, answered),
    outcome: error !== null ? error.failure : got.isUsable ? 'ok' : 'unusable',
    error: error?.message ?? null,
    kept: got.kept,
    dropped,
  };
}
