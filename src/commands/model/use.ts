/**
 * `dripstone model use`: shows what a model gets, asks the person, tries the model, and writes the
 * choice into config.yaml; the rest of the file stays.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { createApp } from '../../app.js';
import { type Config, type HomePaths, loadConfig } from '../../config.js';
import { editConfig, withOption } from '../../config-file.js';
import { AppError, EXIT, type ExitCode, usage } from '../../errors.js';
import { USUAL_TOKENS, waitingFor, type WaitingSessions } from '../../jobs/asking/backlog.js';
import { isDecided, modelOf, spentTokens } from '../../jobs/asking/llm-facts.js';
import {
  type FoundServer,
  type KnownProgram,
  findPrograms,
  findServers,
  hostOf,
  isOnThisMachine,
  programIn,
  type LanguageModel,
  planAsk,
} from '../../llm/index.js';
import { counted, withCommas } from '../../text/amounts.js';
import type { Clock } from '../../types.js';
import type { Io } from '../../io.js';
import { isYes } from '../../command.js';
import { OWN_CALL, readAnswer } from '../../asked/index.js';
import { spentBy, startCall } from '../../jobs/asking/pending-call.js';
import { maskText } from '../../jobs/upkeep/mask.js';
import { countTokens } from '../../text/tokens.js';
import { carryOut } from '../../work.js';
import { present } from '../../text/order.js';

export const FINDS =
  'without a model, the page has facts, notes of agents and what you told it to remember; a model adds decisions with their ' +
  'reason, traps with their cure, and what you want always or never';
export const SENT =
  'what is sent of a session: what you typed, commands with their outcome, at most 300 characters of an error, ' +
  'at most 200 of an edit that cured it, and what the agent concluded; secrets are masked first; never a file, a web page or ' +
  'other output of a tool';
export const NO_MODEL =
  'no model is used: lessons come from facts and from sentences that you choose; nothing leaves this machine';

/** Programs on PATH and servers that answer now. */
export async function findModels(
  io: Io,
): Promise<{ programs: KnownProgram[]; servers: FoundServer[] }> {
  return { programs: findPrograms(io.env['PATH']), servers: await findServers() };
}

type Choice = Partial<Config['llm']> & Pick<Config['llm'], 'provider'>;

/** Options that a choice replaces; the person sets the caps. */
const CHOSEN = ['provider', 'model', 'url', 'key_variable', 'command'] as const;

/**
 * @throws AppError if the model is missing, not allowed or does not answer; config.yaml then stays
 * unchanged
 */
export async function useModel(
  io: Io,
  paths: HomePaths,
  config: Config,
  wanted: { name: string; model: string | null },
): Promise<ExitCode> {
  const choice = choose(await findModels(io), wanted);
  const tried = { ...config, llm: { ...config.llm, ...choice } };
  const lines = describeWaiting(await waitingSessions(io, tried), tried.llm);
  // Without a terminal the typed command is the decision.
  if (!io.terminal) io.err(`${lines.join('; ')}\n`);
  else io.err(`${[FINDS, SENT, recipientOf(tried.llm), ...lines].join('\n')}\n`);
  if (io.terminal && !(await isYes(io, `Ask ${wanted.name} from now on? [y/N] `)))
    io.out(`nothing was changed; ${NO_MODEL}\n`);
  else await switchOn(io, paths, tried, wanted.name, choice);
  return EXIT.done;
}

/** @throws AppError if the model's answer is not usable */
async function switchOn(
  io: Io,
  paths: HomePaths,
  tried: Config,
  name: string,
  choice: Choice,
): Promise<void> {
  const trial = await tryModel(io, paths, tried);
  io.out(renderTrial(trial));
  if (!trial.is_json)
    throw new AppError('MODEL_NO_JSON', `${name} does not answer with JSON; nothing was changed`, {
      hint: 'take a larger model: `dripstone model` lists what is on this machine',
    });
  await writeChoice(paths, io.clock, choice);
  io.out(
    `${name} is asked from now on: by \`dripstone run\` and at night, within llm.daily_tokens. \`dripstone model ` +
      `preview\` shows what is sent, \`dripstone model off\` ends it\n`,
  );
}

/** With fewer sessions a model adds little. */
const LEAST_SESSIONS = 5;
const LATER =
  'nothing is sent, and you are not asked again: `dripstone model` says the same at any time\n';

/**
 * Asks a person at a terminal once, at the end of a run or an installation, whether their own
 * vendor's program may read sessions. The default is no.
 */
export async function offerModel(io: Io, paths: HomePaths, config: Config): Promise<void> {
  const { ask } = io;
  if (ask === undefined || !isAtHand(io) || config.llm.provider !== 'off' || isDecided(paths))
    return;
  const found = await propose(io, config);
  if (found === null || !(await noteAsked(io, paths))) return;
  const { program, tried, waiting } = found;
  const lines = [FINDS, SENT, recipientOf(tried.llm), ...describeWaiting(waiting, tried.llm)];
  io.err(`\n${program.name} is on this machine and can read your sessions\n${lines.join('\n')}\n`);
  const answer = await ask(`Ask ${program.name} from now on? [y/N] `, '');
  if (!/^\s*y(?:es)?\s*$/i.test(answer ?? '')) return io.err(LATER);
  try {
    await switchOn(io, paths, tried, program.name, choiceOf(program, null));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.err(`${program.name} was not switched on: ${error.message}\n`);
  }
}

/** A person who sees the question and can answer it. */
export function isAtHand(io: Io): boolean {
  return (
    io.terminal &&
    io.outIsTerminal === true &&
    (io.env['CI'] ?? '') === '' &&
    io.caller().kind === 'person'
  );
}

/** The program whose own agent has most sessions that wait; null when none has enough. */
async function propose(
  io: Io,
  config: Config,
): Promise<{ program: KnownProgram; tried: Config; waiting: WaitingSessions } | null> {
  const programs = findPrograms(io.env['PATH']).filter(
    ({ agent, refused }) => agent !== null && refused === null,
  );
  const found = [];
  for (const program of programs) {
    const tried = { ...config, llm: { ...config.llm, ...choiceOf(program, null) } };
    const waiting = await waitingSessions(io, tried);
    if (waiting !== null && waiting.open.length >= LEAST_SESSIONS)
      found.push({ program, tried, waiting });
  }
  return found.sort((a, b) => b.waiting.open.length - a.waiting.open.length)[0] ?? null;
}

/**
 * Notes the default answer before the question is put, so that it is not put again however it ends.
 * @returns false when config.yaml cannot be written (a link into a folder of a system's manager):
 * then nothing is asked
 */
async function noteAsked(io: Io, paths: HomePaths): Promise<boolean> {
  try {
    await writeChoice(paths, io.clock, { provider: 'off' });
    return true;
  } catch {
    return false;
  }
}

/** The recipient of the texts. */
export function recipientOf({ provider, command, url }: Config['llm']): string {
  const program = programIn(command);
  if (provider === 'command')
    return `to whom: ${program === null ? 'whoever your program asks' : program.sendsTo}`;
  if (url === '') return `to whom: ${provider === 'anthropic' ? 'Anthropic' : 'OpenAI'}`;
  return `to whom: ${isOnThisMachine(url) ? 'nobody: the server runs on this machine' : hostOf(url)}`;
}

/**
 * Sessions that wait for the model of this configuration; null if nothing was read yet, or the
 * store is busy, e.g. during the daemon's first reading.
 */
export async function waitingSessions(io: Io, config: Config): Promise<WaitingSessions | null> {
  try {
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    return app.storeExists ? await app.store.read((db) => waitingFor(db, config.llm)) : null;
  } catch (error) {
    if (
      error instanceof AppError &&
      (error.exitCode === EXIT.busy || error.exitCode === EXIT.noStore)
    )
      return null;
    throw error;
  }
}

/** The number of waiting sessions and their cost. */
export function describeWaiting(
  waiting: WaitingSessions | null,
  { daily_tokens: daily }: Pick<Config['llm'], 'daily_tokens'>,
): string[] {
  if (waiting === null)
    return ['what waits is not known until the logs are read: `dripstone model` shows it then'];
  const { open, withheld } = waiting;
  const tokens = open.length * USUAL_TOKENS;
  const nights =
    daily === 0
      ? 'never at a cap of 0 tokens'
      : `${counted(Math.ceil(tokens / daily), 'night')} at ${withCommas(daily)} tokens a day`;
  return present([
    `now: ${counted(open.length, 'session')} wait, about ${withCommas(tokens)} tokens: ${nights}`,
    withheld !== 0 &&
      `not sent: ${counted(withheld, 'session')} of other vendors' agents, until you type ` +
        '`dripstone config set llm.other_vendors true`',
  ]);
}

/** The choice for a program or server that was found. */
function choose(
  { programs, servers }: { programs: KnownProgram[]; servers: FoundServer[] },
  { name, model }: { name: string; model: string | null },
): Choice {
  const program = programs.find((one) => one.name === name);
  const server = servers.find((one) => one.name === name);
  if (program?.refused != null)
    throw usage(`${name} is not used: ${program.refused}`, 'choose another: `dripstone model`');
  if (program) return choiceOf(program, model);
  if (!server) {
    const names = [...programs.filter(({ refused }) => refused === null), ...servers].map(
      (one) => one.name,
    );
    throw usage(
      `${name} was not found on this machine`,
      names.length === 0
        ? 'nothing else was found either; write the group `llm` into config.yaml'
        : `found: ${names.join(', ')}`,
    );
  }
  const chosen = model ?? server.models[0] ?? '';
  if (chosen === '')
    throw usage(
      `${name} offers no model`,
      'load one there first, or name it: `dripstone model use NAME MODEL`',
    );
  return { provider: 'openai', url: server.url, model: chosen };
}

/** The choice for a program. */
export function choiceOf(program: KnownProgram, model: string | null): Choice {
  return { provider: 'command', command: commandOf(program, model) };
}

/**
 * The program's command with the named model, else the provider's small one. Options come before
 * `-` (standard input).
 */
export function commandOf({ command, small }: KnownProgram, model: string | null): string[] {
  const named = model ?? small;
  if (named === null) return command;
  const at = command.at(-1) === '-' ? command.length - 1 : command.length;
  return [...command.slice(0, at), '--model', named, ...command.slice(at)];
}

/** @throws AppError exit 13 if the config is or would be invalid; it then stays unchanged */
export async function writeChoice(paths: HomePaths, clock: Clock, choice: Choice): Promise<void> {
  mkdirSync(paths.home, { recursive: true, mode: 0o700 });
  chmodSync(paths.home, 0o700);
  loadConfig(paths.config);
  await editConfig(paths, clock, (text) =>
    CHOSEN.reduce((now, key) => withOption(now, ['llm', key], choice[key]), text),
  );
}

// A tiny call to test that a model answers.

const PROMPT = `${OWN_CALL}\nAnswer with this JSON and nothing else: {"lessons":[]}`;
const ANSWER_TOKENS = 100;
const ESTIMATE = countTokens(PROMPT) + ANSWER_TOKENS;
/** Short, since a person waits. */
const MOST_MS = 60_000;

interface Trial {
  provider: string;
  model: string;
  ms: number;
  tokens_in: number;
  tokens_out: number;
  is_json: boolean;
}

/**
 * Asks the model of this configuration once, within the caps; `llm_calls` records the call.
 * @throws AppError if no model is set, the cap is reached, or the call fails
 */
export async function tryModel(io: Io, paths: HomePaths, config: Config): Promise<Trial> {
  const model = chosenModel(io, paths, config);
  const redactKey = await checkCap(io, config.llm.daily_tokens);
  const time = io.clock.now().toISOString();
  const asked = { prompt: PROMPT, answerTokens: ANSWER_TOKENS, estimate: ESTIMATE };
  const call = startCall(model, asked, { time, timeoutMs: MOST_MS, mono: () => io.clock.mono() });
  io.signal.addEventListener('abort', call.cancel, { once: true });
  await call.done;
  const { answer, error, ms } = call.ended!;
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
  return { ...spent, is_json: readAnswer(answer!.text) !== null };
}

export function renderTrial({
  provider,
  model,
  ms,
  tokens_in,
  tokens_out,
  is_json,
}: Trial): string {
  return (
    `${provider} ${model} answers in ${(ms / 1000).toFixed(1)} s, ${tokens_in} tokens in, ${tokens_out} ` +
    `out${is_json ? '' : '; the answer is not JSON, so its lessons would be dropped: take a larger model'}\n`
  );
}

/** @throws AppError if no model is switched on, or a setting is missing */
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

/** @returns the home's secret. @throws AppError if the call would exceed a cap */
async function checkCap(io: Io, dailyCap: number): Promise<string> {
  await using app = await createApp({ ...io, access: 'read', storeOptional: true });
  const now = io.clock.now();
  const spent = app.storeExists
    ? await app.store.read((db) => spentTokens(db, now))
    : { day: 0, month: 0 };
  // Ignores the pause after failures, since a person asks.
  if (planAsk(now, ESTIMATE, { ...spent, dailyCap }, { inRow: 0, last: null }).ask)
    return app.redactKey;
  throw new AppError(
    'MODEL_CAP',
    `the cap is reached: ${spent.day} tokens today, ${spent.month} this month`,
    { hint: 'raise llm.daily_tokens in config.yaml' },
  );
}
