/** One tiny call, to see that the model answers and what it costs. */
import { createApp } from '../app.js';
import { homeOf, loadConfig, pathsOf } from '../config.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import { estimateTokens, OWN_CALL, readAnswer } from '../extract/index.js';
import { modelOf } from '../jobs/ask-model.js';
import { maskText } from '../jobs/mask.js';
import type { TestCall } from '../jobs/requests.js';
import { ModelError, spendingSince, type LanguageModel, type ModelAnswer } from '../llm/index.js';
import { addLlmCall, tokensSince } from '../store/index.js';
import { askDaemon } from './delegate.js';
import { printJson, type Io } from './command.js';

const PROMPT = `${OWN_CALL}\nAnswer with this JSON and nothing else: {"lessons":[]}`;
const ANSWER_TOKENS = 100;

export const testModel = async (io: Io, json: boolean): Promise<ExitCode> => {
  const paths = pathsOf(homeOf(io.env));
  const config = loadConfig(paths.config);
  const { model, problem } = modelOf({ config, env: io.env, paths });
  if (problem !== null)
    throw new AppError('MODEL_INCOMPLETE', problem, { hint: `correct the group llm in ${paths.config}`, exitCode: EXIT.config });
  if (model === null)
    throw new AppError('MODEL_OFF', 'no model is switched on', {
      hint: '`dripstone model` lists what is on this machine',
      exitCode: EXIT.usage,
    });
  const redactKey = await checkCap(
    io,
    estimateTokens(PROMPT) + ANSWER_TOKENS,
    config.llm.daily_tokens,
    config.llm.monthly_tokens,
  );
  const time = io.clock.now().toISOString();
  const begun = io.clock.mono();
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setTimeout(end, config.llm.timeout_seconds * 1000);
  io.signal.addEventListener('abort', end, { once: true });
  const { answer, error } = await ask(model, ended.signal);
  clearTimeout(timer);
  const tokensIn = answer?.tokensIn ?? estimateTokens(PROMPT);
  const tokensOut = answer === null ? ANSWER_TOKENS : (answer.tokensOut ?? estimateTokens(answer.text));
  const ms = Math.round(io.clock.mono() - begun);
  await note(io, {
    time,
    provider: model.provider,
    model: model.model,
    purpose: 'test',
    agent: null,
    session: null,
    tokensIn,
    tokensOut,
    ms,
    outcome: error?.failure ?? 'ok',
    error: error === null ? null : await maskText({ redactKey, config, clock: io.clock }, error.message),
  });
  if (error)
    throw new AppError('MODEL_FAILED', error.message, {
      hint: 'start the server or program by hand once, or choose another: `dripstone model`',
      cause: error,
    });
  const isJson = readAnswer(answer!.text) !== null;
  if (json)
    printJson(io, {
      provider: model.provider,
      model: model.model,
      ms,
      tokens_in: tokensIn,
      tokens_out: tokensOut,
      is_json: isJson,
    });
  else
    io.out(
      `${model.provider} ${model.model} answers in ${(ms / 1000).toFixed(1)} s, ${tokensIn} tokens in, ${tokensOut} out${isJson ? '' : '; the answer is not JSON, so its lessons would be dropped: take a larger model'}\n`,
    );
  return isJson ? EXIT.done : EXIT.error;
};

/** @returns the home's secret. @throws AppError when the call does not fit under a cap */
const checkCap = async (io: Io, estimate: number, daily: number, monthly: number): Promise<string> => {
  await using app = await createApp({ ...io, access: 'read', storeOptional: true });
  const since = spendingSince(io.clock.now());
  const spent = app.storeExists
    ? await app.store.read(async (db) => ({ day: await tokensSince(db, since.day), month: await tokensSince(db, since.month) }))
    : { day: 0, month: 0 };
  if (spent.day + estimate <= daily && spent.month + estimate <= monthly) return app.redactKey;
  throw new AppError('MODEL_CAP', `the cap is reached: ${spent.day} tokens today, ${spent.month} this month`, {
    hint: 'raise llm.daily_tokens or llm.monthly_tokens in config.yaml',
  });
};

const ask = async (
  model: LanguageModel,
  signal: AbortSignal,
): Promise<{ answer: ModelAnswer | null; error: ModelError | null }> => {
  try {
    return { answer: await model.ask(PROMPT, { maxTokens: ANSWER_TOKENS, signal }), error: null };
  } catch (error) {
    if (error instanceof ModelError) return { answer: null, error };
    throw error;
  }
};

/** The daemon's store is the daemon's to write. */
const note = async (io: Io, call: TestCall): Promise<void> => {
  const answer = await askDaemon(io, { version: 1, kind: 'ledger', call });
  if (answer?.kind === 'ledger') return;
  await using app = await createApp({ ...io, access: 'write' });
  await app.store.write((db) => addLlmCall(db, call));
};
