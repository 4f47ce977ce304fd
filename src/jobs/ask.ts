/**
 * Asks a person's own model about sessions, one call at a time and outside the lane. Each run of the job keeps what came back and makes
 * the next call; lessons by rule are there first and stay if no answer ever comes.
 */
import { addLlmCall, finishLlmCall, llmFailures, loadProjects, tokensSince } from '../store/index.js';
import { planAsk, spendingSince, type AskPlan, type LanguageModel } from '../llm/index.js';
import { dropFlight, flightOf, startFlight, type Flight } from './ask-flight.js';
import { keepLanded, type Landed } from './ask-land.js';
import { modelOf } from './ask-model.js';
import { ANSWER_TOKENS, nextQuestion, type Asked } from './ask-question.js';
import type { Job, JobContext, JobResult } from './job.js';
import { learnAll } from './learn.js';
import { loadUnlearnt } from './unlearnt.js';

/** A rest that is shorter is waited for. */
const WAITED_MS = 10 * 60_000;

export const askJob: Job = {
  name: 'ask',
  after: { extract: 'done' },
  due: 'with a model',
  async run(context): Promise<JobResult> {
    const { model, problem } = modelOf(context);
    if (problem !== null) throw new Error(problem);
    if (model === null) return { done: 0 };
    const landed = await land(context);
    const inAir = flightOf(context.store);
    let next: Later = inAir ? { later: inAir.done } : await goOn(context, model);
    const isLearning = landed !== null && landed.purpose !== 'context' && landed.kept > 0;
    const changed = isLearning ? await learn(context) : 0;
    // Questions about a project's lessons as a whole wait until they are learnt.
    if (isLearning && next.later === undefined) next = await goOn(context, model);
    return {
      done: landed === null ? 0 : 1,
      failed: landed?.failed === true ? 1 : 0,
      counts: { kept: landed?.purpose === 'session' ? landed.kept : 0, projects: changed },
      changed: changed > 0 || landed?.purpose === 'context',
      ...next,
    };
  },
};

/** Ends the call in the air, if any; it counts with its estimate and its session is asked again later. */
export const stopAsking = async (context: Pick<JobContext, 'store'>): Promise<void> => {
  const flight = flightOf(context.store);
  if (!flight) return;
  flight.cancel();
  await flight.done;
  dropFlight(context.store);
  const { asked, model, time, landed } = flight;
  await context.store.write((db) =>
    finishLlmCall(db, { ...pendingCall(model, asked, time), ms: landed?.ms ?? 0, outcome: 'cancelled' }),
  );
};

const land = async (context: JobContext): Promise<Landed | null> => {
  const flight = flightOf(context.store);
  if (!flight || flight.landed === null) return null;
  const landed = await keepLanded(context, flight);
  dropFlight(context.store);
  return landed;
};

/** In an object: an async function would wait for a bare promise. */
type Later = Pick<JobResult, 'later'>;

/** The next call's end, a short rest's end, or nothing to wait for. */
const goOn = async (context: JobContext, model: LanguageModel): Promise<Later> => {
  if (context.signal.aborted) return {};
  const asked = await findQuestion(context);
  if (asked === null) return {};
  const plan = await planCall(context, asked.estimate);
  if (plan.ask) return { later: (await launch(context, model, asked)).done };
  const waitMs = plan.until === null ? Infinity : plan.until.getTime() - context.clock.now().getTime();
  context.log.info({ reason: plan.reason, until: plan.until?.toISOString() ?? null }, 'no model is asked now');
  return plan.reason === 'resting' && waitMs <= WAITED_MS ? { later: rest(waitMs) } : {};
};

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** What has nothing to show is noted as asked on the way. */
const findQuestion = async (context: JobContext): Promise<Asked | null> => {
  for (;;) {
    const next = await nextQuestion(context);
    if (next === null || 'prompt' in next) return next;
    await context.store.write((db) => next.pass(db, context.clock.now().toISOString()));
  }
};

const planCall = async ({ store, clock, config }: JobContext, estimate: number): Promise<AskPlan> => {
  const now = clock.now();
  const since = spendingSince(now);
  const { daily_tokens: dailyCap, monthly_tokens: monthlyCap } = config.llm;
  return store.read(async (db) =>
    planAsk(
      now,
      estimate,
      { day: await tokensSince(db, since.day), month: await tokensSince(db, since.month), dailyCap, monthlyCap },
      await llmFailures(db),
    ),
  );
};

const launch = async ({ store, clock, config }: JobContext, model: LanguageModel, asked: Asked): Promise<Flight> => {
  const time = clock.now().toISOString();
  await store.write((db) => addLlmCall(db, pendingCall(model, asked, time)));
  return startFlight(store, model, asked, { time, timeoutMs: config.llm.timeout_seconds * 1000, mono: () => clock.mono() });
};

const pendingCall = (model: LanguageModel, { purpose, agent, session, estimate }: Asked, time: string) => ({
  time,
  provider: model.provider,
  model: model.model,
  purpose,
  agent,
  session,
  tokensIn: estimate - ANSWER_TOKENS,
  tokensOut: ANSWER_TOKENS,
  ms: 0,
  outcome: 'pending' as const,
  error: null,
});

/** @returns how many projects have other lessons now */
const learn = async (context: JobContext): Promise<number> => {
  const { all, touched } = await context.store.read(async (db) => ({
    all: await loadProjects(db),
    touched: await loadUnlearnt(db),
  }));
  return (
    await learnAll(
      context,
      all.filter((project) => touched.has(project.id)),
      all,
    )
  ).length;
};
