/** `dripstone model`: which models could answer, and which one does. Off until a person switches it on. */
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createApp } from '../app.js';
import { refuseAgents } from '../caller.js';
import { type Config, type HomePaths, homeOf, loadConfig, pathsOf, replaceGroup } from '../config.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import { OWN_CALL, estimateTokens, readAnswer } from '../extract/index.js';
import { modelOf } from '../jobs/asking/llm-facts.js';
import { maskText } from '../jobs/upkeep/mask.js';
import type { TestCall } from '../jobs/requests.js';
import {
  type FoundServer,
  type KnownProgram,
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  findPrograms,
  findServers,
  spendingSince,
} from '../llm/index.js';
import { addLlmCall, publishFile, tokensSince } from '../store/index.js';
import { type Command, type Io, printJson, usage } from './command.js';
import { askDaemon } from './delegate.js';

export const modelCommand: Command = {
  name: 'model',
  summary: 'better lessons with a model you already have: list, use, off, test',
  usage: '[use NAME [MODEL] | off | test] [--json]',
  options: { json: { type: 'boolean', help: 'print JSON: of the list and of `test`' } },
  exits: { [EXIT.busy]: 'another process writes to this home', [EXIT.notWritable]: 'config.yaml cannot be written' },
  examples: [
    'dripstone model                    # what is on this machine',
    'dripstone model use claude',
    'dripstone model use ollama qwen3:8b',
    'dripstone model test               # one tiny call',
    'dripstone model off',
  ],
  async run(io, args) {
    const [verb = 'list', ...rest] = args.words;
    const paths = pathsOf(homeOf(io.env));
    const config = loadConfig(paths.config);
    if (verb === 'list') return await list(io, paths, config, args.flag('json'));
    if (verb === 'test') return await testModel(io, args.flag('json'));
    if (verb === 'use' && rest[0] === undefined)
      throw usage('model use takes a name', '`dripstone model` lists what is on this machine');
    if (verb === 'use') refuseAgents(io.caller(), 'the choice of a model that is sent digests of sessions');
    if (verb === 'use') return await use(io, paths, rest[0]!, rest[1] ?? null);
    if (verb === 'off') return await switchOff(io, paths, config);
    throw usage(
      `dripstone model does not know ${[verb, ...rest].join(' ')}`,
      'use `dripstone model`, `model use NAME`, `model off` or `model test`',
    );
  },
};

/** Programs on PATH and servers that answer now. */
async function look(io: Io): Promise<{ programs: KnownProgram[]; servers: FoundServer[] }> {
  return { programs: findPrograms(io.env['PATH']), servers: await findServers() };
}

async function list(io: Io, paths: HomePaths, { llm }: Config, json: boolean): Promise<ExitCode> {
  const { programs, servers } = await look(io);
  if (json) {
    printJson(io, {
      provider: llm.provider,
      model: nameOf(llm),
      programs: programs.map(({ name, command }) => ({ name, command })),
      servers,
    });
    return EXIT.done;
  }
  const lines = [
    llm.provider === 'off'
      ? 'no model is used: lessons are drawn by rule, and nothing leaves this machine'
      : `in use: ${llm.provider} ${nameOf(llm)}, at most ${llm.daily_tokens.toLocaleString('en-US')} tokens a day`,
    ...programs.map(({ name, command }) => `found  ${command[0]}: dripstone model use ${name}`),
    ...servers.flatMap(({ name, url, models }) =>
      models.length === 0
        ? [`found  ${name} at ${url}, without a model`]
        : models.map((model) => `found  ${name} at ${url}: dripstone model use ${name} ${model}`),
    ),
    ...(programs.length + servers.length === 0 ? ['found  nothing on PATH or on the usual local ports'] : []),
    `any other server or program: the group \`llm\` in ${paths.config} (see config/default.yaml)`,
    'a model is sent redacted digests of sessions: your words, commands with their outcome, errors and conclusions, never ' +
      'file contents',
  ];
  io.out(`${lines.join('\n')}\n`);
  return EXIT.done;
}

function nameOf(llm: Config['llm']): string {
  return llm.provider === 'command' ? llm.command.join(' ') : llm.model;
}

async function use(io: Io, paths: HomePaths, name: string, model: string | null): Promise<ExitCode> {
  const { programs, servers } = await look(io);
  const program = programs.find((one) => one.name === name);
  const server = servers.find((one) => one.name === name);
  if (!program && !server) {
    const names = [...programs, ...servers].map((one) => one.name);
    throw usage(
      `${name} was not found on this machine`,
      names.length === 0 ? 'nothing else was found either; write the group `llm` into config.yaml' : `found: ${names.join(', ')}`,
    );
  }
  const chosen = model ?? server?.models[0] ?? '';
  if (!program && chosen === '')
    throw usage(`${name} offers no model`, 'load one there first, or name it: `dripstone model use NAME MODEL`');
  if (program)
    await writeChoice(paths, {
      provider: 'command',
      command: model === null ? program.command : [...program.command, '--model', model],
    });
  else await writeChoice(paths, { provider: 'openai', url: server!.url, model: chosen });
  io.out(
    `${name} is asked from now on: by \`dripstone run\` and at night, within llm.daily_tokens. \`dripstone model test\` ` +
      `tries it, \`dripstone model off\` ends it\n`,
  );
  return EXIT.done;
}

async function switchOff(io: Io, paths: HomePaths, { llm }: Config): Promise<ExitCode> {
  if (llm.provider !== 'off') await writeChoice(paths, { provider: 'off' });
  io.out('no model is asked; what models taught so far stays\n');
  return EXIT.done;
}

// Writes the choice of a model into config.yaml; everything else in it stays.

type Choice = Partial<Config['llm']> & Pick<Config['llm'], 'provider'>;

/** What a choice replaces; caps and times are the person's. */
const CHOSEN = ['provider', 'model', 'url', 'key_variable', 'command'];

/** @throws AppError exit 13 when the config is invalid, before or after; it is then left as it was */
async function writeChoice(paths: HomePaths, choice: Choice): Promise<void> {
  mkdirSync(paths.home, { recursive: true, mode: 0o700 });
  chmodSync(paths.home, 0o700);
  loadConfig(paths.config);
  const text = existsSync(paths.config) ? readFileSync(paths.config, 'utf8') : '';
  await publishFile(
    paths.config,
    replaceGroup(text, 'llm', (before) => ({
      ...choice,
      ...Object.fromEntries(Object.entries(before).filter(([key]) => !CHOSEN.includes(key))),
    })),
  );
}

// One tiny call, to see that the model answers and what it costs.

const PROMPT = `${OWN_CALL}\nAnswer with this JSON and nothing else: {"lessons":[]}`;
const ANSWER_TOKENS = 100;

async function testModel(io: Io, json: boolean): Promise<ExitCode> {
  const paths = pathsOf(homeOf(io.env));
  const config = loadConfig(paths.config);
  const model = chosenModel(io, paths, config);
  const redactKey = await checkCap(
    io,
    estimateTokens(PROMPT) + ANSWER_TOKENS,
    config.llm.daily_tokens,
    config.llm.monthly_tokens,
  );
  const time = io.clock.now().toISOString();
  const { answer, error, ms } = await askTimed(io, model, config.llm.timeout_seconds);
  const tokensIn = answer?.tokensIn ?? estimateTokens(PROMPT);
  const tokensOut = answer === null ? ANSWER_TOKENS : (answer.tokensOut ?? estimateTokens(answer.text));
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
      `${model.provider} ${model.model} answers in ${(ms / 1000).toFixed(1)} s, ${tokensIn} tokens in, ${tokensOut} ` +
        `out${isJson ? '' : '; the answer is not JSON, so its lessons would be dropped: take a larger model'}\n`,
    );
  return isJson ? EXIT.done : EXIT.error;
}

/** @throws AppError when no model is switched on, or what is written of it does not do */
function chosenModel(io: Io, paths: HomePaths, config: Config): LanguageModel {
  const { model, problem } = modelOf({ config, env: io.env, paths });
  if (problem !== null)
    throw new AppError('MODEL_INCOMPLETE', problem, { hint: `correct the group llm in ${paths.config}`, exitCode: EXIT.config });
  if (model === null)
    throw new AppError('MODEL_OFF', 'no model is switched on', {
      hint: '`dripstone model` lists what is on this machine',
      exitCode: EXIT.usage,
    });
  return model;
}

/** Asks once; the time limit or the person may end it. */
async function askTimed(io: Io, model: LanguageModel, seconds: number): Promise<Asked & { ms: number }> {
  const begun = io.clock.mono();
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setTimeout(end, seconds * 1000);
  io.signal.addEventListener('abort', end, { once: true });
  const asked = await ask(model, ended.signal);
  clearTimeout(timer);
  return { ...asked, ms: Math.round(io.clock.mono() - begun) };
}

interface Asked {
  answer: ModelAnswer | null;
  error: ModelError | null;
}

/** @returns the home's secret. @throws AppError when the call does not fit under a cap */
async function checkCap(io: Io, estimate: number, daily: number, monthly: number): Promise<string> {
  await using app = await createApp({ ...io, access: 'read', storeOptional: true });
  const since = spendingSince(io.clock.now());
  const spent = app.storeExists
    ? await app.store.read(async (db) => ({ day: await tokensSince(db, since.day), month: await tokensSince(db, since.month) }))
    : { day: 0, month: 0 };
  if (spent.day + estimate <= daily && spent.month + estimate <= monthly) return app.redactKey;
  throw new AppError('MODEL_CAP', `the cap is reached: ${spent.day} tokens today, ${spent.month} this month`, {
    hint: 'raise llm.daily_tokens or llm.monthly_tokens in config.yaml',
  });
}

async function ask(model: LanguageModel, signal: AbortSignal): Promise<Asked> {
  try {
    return { answer: await model.ask(PROMPT, { maxTokens: ANSWER_TOKENS, signal }), error: null };
  } catch (error) {
    if (error instanceof ModelError) return { answer: null, error };
    throw error;
  }
}

/** Notes the call: through the daemon when one runs, since only it may write then. */
async function note(io: Io, call: TestCall): Promise<void> {
  const answer = await askDaemon(io, { version: 1, kind: 'ledger', call });
  if (answer?.kind === 'ledger') return;
  await using app = await createApp({ ...io, access: 'write' });
  await app.store.write((db) => addLlmCall(db, call));
}
