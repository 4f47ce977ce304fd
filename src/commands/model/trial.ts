/**
 * One call before a model is switched on: a tiny one, to see that it answers (also `model test`),
 * or one about a session.
 */
import { createApp } from '../../app.js';
import type { Config, HomePaths } from '../../config.js';
import { countTokens } from '../../context/index.js';
import { AppError, EXIT } from '../../errors.js';
import { OWN_CALL, readAnswer } from '../../asked/index.js';
import { askAbout } from '../../jobs/asking/ask-question.js';
import { waitingFor } from '../../jobs/asking/backlog.js';
import { modelOf, spentTokens } from '../../jobs/asking/llm-facts.js';
import { spentBy, startCall } from '../../jobs/asking/pending-call.js';
import type { ModelRequest } from '../../jobs/asking/question.js';
import type { TestCall } from '../../jobs/requests.js';
import { maskText } from '../../jobs/upkeep/mask.js';
import { type LanguageModel, planAsk } from '../../llm/index.js';
import { addLlmCall, loadProjects } from '../../store/index.js';
import type { Candidate } from '../../types.js';
import { askDaemon } from '../delegate.js';
import type { Io } from '../../io.js';

const PROMPT = `${OWN_CALL}\nAnswer with this JSON and nothing else: {"lessons":[]}`;
const ANSWER_TOKENS = 100;
/** A person waits for it. */
const MOST_SECONDS = 60;
/** An example is looked for among so many of the newest sessions. */
const EXAMPLES = 10;

export interface Trial {
  provider: string;
  model: string;
  ms: number;
  tokensIn: number;
  tokensOut: number;
  isJson: boolean;
}

/**
 * Asks the model of this configuration once; the call stands in the ledger.
 * @throws AppError when no model is named, the cap is reached, or the call fails
 */
export async function tryModel(io: Io, paths: HomePaths, config: Config): Promise<Trial> {
  const seconds = Math.min(MOST_SECONDS, config.llm.timeout_seconds);
  const { text, ...spent } = await callOnce(io, paths, config, {
    prompt: PROMPT,
    answerTokens: ANSWER_TOKENS,
    seconds,
  });
  return { ...spent, isJson: readAnswer(text) !== null };
}

/**
 * What one real call about one session gives. Nothing of it is kept: of all sessions the oldest is
 * asked about first.
 */
export interface Example extends Trial {
  /** Whose session it was, and what it was about. */
  project: string;
  claims: readonly Candidate[];
}

/**
 * Asks the model of this configuration about one session, the one of the newest in which the person
 * typed most.
 * @returns null when no session waits
 * @throws AppError as {@link tryModel}
 */
export async function readOne(io: Io, paths: HomePaths, config: Config): Promise<Example | null> {
  const found = await exampleOf(io, config);
  if (found === null) return null;
  const { asked, project } = found;
  const { text, ...spent } = await callOnce(io, paths, config, {
    ...asked,
    seconds: config.llm.timeout_seconds,
  });
  const { isUsable, claims = [] } = asked.take(text);
  return {
    ...spent,
    isJson: isUsable,
    project,
    claims: claims.filter(({ evidence }) => evidence.supports),
  };
}

async function exampleOf(
  io: Io,
  config: Config,
): Promise<{ asked: ModelRequest; project: string } | null> {
  await using app = await createApp({ ...io, access: 'read' });
  return app.store.read(async (db) => {
    const { open } = await waitingFor(db, config.llm);
    const [question] = open.slice(0, EXAMPLES).sort((a, b) => b.typed - a.typed);
    if (!question) return null;
    const asked = await askAbout(db, question, config);
    const project = (await loadProjects(db)).find(({ id }) => id === question.project)?.name ?? '';
    return 'prompt' in asked ? { asked, project } : null;
  });
}

interface Call {
  prompt: string;
  answerTokens: number;
  seconds: number;
  schema?: object;
}

/**
 * One call within the caps, in the ledger whatever came of it. @throws AppError as {@link tryModel}
 */
async function callOnce(
  io: Io,
  paths: HomePaths,
  config: Config,
  call: Call,
): Promise<Omit<Trial, 'isJson'> & { text: string }> {
  const model = chosenModel(io, paths, config);
  const asked = { ...call, estimate: countTokens(call.prompt) + call.answerTokens };
  const redactKey = await checkCap(io, asked.estimate, config.llm);
  const time = io.clock.now().toISOString();
  const flight = startCall(model, asked, {
    time,
    timeoutMs: call.seconds * 1000,
    mono: () => io.clock.mono(),
  });
  io.signal.addEventListener('abort', flight.cancel, { once: true });
  await flight.done;
  const { answer, error, ms } = flight.landed!;
  const spent = { provider: model.provider, model: model.model, ms };
  const tokens = spentBy(flight, answer === null ? 0 : countTokens(answer.text));
  const outcome = error?.failure ?? 'ok';
  const told =
    error === null ? null : await maskText({ redactKey, config, clock: io.clock }, error.message);
  await note(io, {
    time,
    purpose: 'test',
    agent: null,
    session: null,
    ...spent,
    ...tokens,
    outcome,
    error: told,
  });
  if (error)
    throw new AppError('MODEL_FAILED', error.message, {
      hint: 'start the server or program by hand once, or choose another: `dripstone model`',
      cause: error,
    });
  return { ...spent, ...tokens, text: answer!.text };
}

export function renderTrial({ provider, model, ms, tokensIn, tokensOut, isJson }: Trial): string {
  return (
    `${provider} ${model} answers in ${(ms / 1000).toFixed(1)} s, ${tokensIn} tokens in, ${tokensOut} ` +
    `out${isJson ? '' : '; the answer is not JSON, so its lessons would be dropped: take a larger model'}\n`
  );
}

/** @throws AppError when no model is switched on, or what is written of it does not do */
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
async function checkCap(io: Io, estimate: number, caps: Config['llm']): Promise<string> {
  await using app = await createApp({ ...io, access: 'read', storeOptional: true });
  const now = io.clock.now();
  const spent = app.storeExists
    ? await app.store.read((db) => spentTokens(db, now))
    : { day: 0, month: 0 };
  const spending = { ...spent, dailyCap: caps.daily_tokens, monthlyCap: caps.monthly_tokens };
  // A person who asks does not wait out the pause after failures.
  if (planAsk(now, estimate, spending, { inRow: 0, last: null }).ask) return app.redactKey;
  throw new AppError(
    'MODEL_CAP',
    `the cap is reached: ${spent.day} tokens today, ${spent.month} this month`,
    { hint: 'raise llm.daily_tokens or llm.monthly_tokens in config.yaml' },
  );
}

/** Notes the call: through the daemon when one runs, since only it may write then. */
async function note(io: Io, call: TestCall): Promise<void> {
  const answer = await askDaemon(io, { version: 1, kind: 'ledger', call });
  if (answer?.kind === 'ledger') return;
  await using app = await createApp({ ...io, access: 'write' });
  await app.store.write((db) => addLlmCall(db, call));
}
