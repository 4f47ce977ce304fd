/** One tiny call, to see that a model answers. */
import { createApp } from '../../app.js';
import type { Config, HomePaths } from '../../config.js';
import { AppError, EXIT } from '../../errors.js';
import { OWN_CALL, readAnswer } from '../../asked/index.js';
import { modelOf, spentTokens } from '../../jobs/asking/llm-facts.js';
import { spentBy, startCall } from '../../jobs/asking/pending-call.js';
import { maskText } from '../../jobs/upkeep/mask.js';
import { type LanguageModel, planAsk } from '../../llm/index.js';
import type { Io } from '../../io.js';
import { countTokens } from '../../text/tokens.js';
import { carryOut } from '../../work.js';

const PROMPT = `${OWN_CALL}\nAnswer with this JSON and nothing else: {"lessons":[]}`;
const ANSWER_TOKENS = 100;
const ESTIMATE = countTokens(PROMPT) + ANSWER_TOKENS;
/** A person waits for it. */
const MOST_MS = 60_000;

export interface Trial {
  provider: string;
  model: string;
  ms: number;
  tokensIn: number;
  tokensOut: number;
  isJson: boolean;
}

/**
 * Asks the model of this configuration once, within the caps; `llm_calls` has the call whatever
 * came of it.
 * @throws AppError when no model is named, the cap is reached, or the call fails
 */
export async function tryModel(io: Io, paths: HomePaths, config: Config): Promise<Trial> {
  const model = chosenModel(io, paths, config);
  const redactKey = await checkCap(io, config.llm.daily_tokens);
  const time = io.clock.now().toISOString();
  const asked = { prompt: PROMPT, answerTokens: ANSWER_TOKENS, estimate: ESTIMATE };
  const call = startCall(model, asked, { time, timeoutMs: MOST_MS, mono: () => io.clock.mono() });
  io.signal.addEventListener('abort', call.cancel, { once: true });
  await call.done;
  const { answer, error, ms } = call.landed!;
  const spent = {
    provider: model.provider,
    model: model.model,
    ms,
    ...spentBy(call, countTokens(answer?.text ?? '')),
  };
  await carryOut(io, {
    kind: 'ledger',
    call: {
      time,
      purpose: 'test',
      agent: null,
      session: null,
      ...spent,
      outcome: error?.failure ?? 'ok',
      error:
        error === null
          ? null
          : await maskText({ redactKey, config, clock: io.clock }, error.message),
    },
  });
  if (error)
    throw new AppError('MODEL_FAILED', error.message, {
      hint: 'start the server or program by hand once, or choose another: `dripstone model`',
      cause: error,
    });
  return { ...spent, isJson: readAnswer(answer!.text) !== null };
}

export function renderTrial({ provider, model, ms, tokensIn, tokensOut, isJson }: Trial): string {
  return (
    `${provider} ${model} answers in ${(ms / 1000).toFixed(1)} s, ${tokensIn} tokens in, ${tokensOut} ` +
    `out${isJson ? '' : '; the answer is not JSON, so its lessons would be dropped: take a larger model'}\n`
  );
}

/** @throws AppError when no model is switched on, or a setting of it is missing */
function chosenModel(io: Io, paths: HomePaths, config: Config): LanguageModel {
  const { model, problem } = modelOf({ config, env: io.env, paths });
  if (problem !== null)
    throw new AppError('MODEL_INCOMPLETE', problem, {
      hint: `correct the group llm in ${paths.config}`,
      exitCode: EXIT.config,
    });
  if (model === null)
    throw new AppError('MODEL_OFF', 'no model is switched on', {
      hint: '`dripstone model` lists what is on this machine',
      exitCode: EXIT.usage,
    });
  return model;
}

/** @returns the home's secret. @throws AppError when the call does not fit under a cap */
async function checkCap(io: Io, dailyCap: number): Promise<string> {
  await using app = await createApp({ ...io, access: 'read', storeOptional: true });
  const now = io.clock.now();
  const spent = app.storeExists
    ? await app.store.read((db) => spentTokens(db, now))
    : { day: 0, month: 0 };
  // A person who asks does not wait out the pause after failures.
  if (planAsk(now, ESTIMATE, { ...spent, dailyCap }, { inRow: 0, last: null }).ask)
    return app.redactKey;
  throw new AppError(
    'MODEL_CAP',
    `the cap is reached: ${spent.day} tokens today, ${spent.month} this month`,
    { hint: 'raise llm.daily_tokens in config.yaml' },
  );
}
