/**
 * `dripstone model`: shows usable models, the chosen one, and the texts to send. Off until a person
 * switches a model on.
 */
import { createApp } from '../../app.js';
import { refuseAgents } from '../../caller.js';
import {
  defaultsFile,
  type Config,
  type HomePaths,
  homeOf,
  loadConfig,
  pathsOf,
} from '../../config.js';
import { EXIT, type ExitCode, usage } from '../../errors.js';
import { previewQuestion } from '../../jobs/asking/ask-question.js';
import type { Io } from '../../io.js';
import { type Command, printJson, flag } from '../../command.js';
import {
  renderTrial,
  tryModel,
  FINDS,
  SENT,
  choiceOf,
  commandOf,
  describeWaiting,
  findModels,
  NO_MODEL,
  recipientOf,
  useModel,
  waitingSessions,
  writeChoice,
} from './use.js';
import { withCommas } from '../../text/amounts.js';
import { present } from '../../text/order.js';

export const modelCommand: Command = {
  name: 'model',
  summary: 'better lessons with a model you already have: list, use, off, preview',
  usage: '[use [NAME [MODEL]] | off | preview [SESSION]] [--json]',
  options: { json: flag('print JSON: of the list, and of `use` without a name') },
  exits: {
    [EXIT.noStore]: '`preview`: nothing was read yet',
    [EXIT.busy]: 'another process writes to this home',
    [EXIT.notWritable]: 'config.yaml cannot be written',
  },
  examples: [
    'dripstone model                    # what is on this machine, and what it would cost',
    'dripstone model use claude',
    'dripstone model use ollama qwen3:8b',
    'dripstone model preview            # one prompt, as it would be sent',
    'dripstone model use                # one tiny call to the model in use',
    'dripstone model off',
  ],
  async run(io, args) {
    const [verb = 'list', ...rest] = args.words;
    const paths = pathsOf(homeOf(io.env));
    const config = loadConfig(paths.config);
    if (verb === 'list') return await list(io, paths, config, args.flag('json'));
    if (verb === 'preview') return await preview(io, rest[0] ?? null, args.flag('json'));
    if (verb === 'use')
      refuseAgents(io.caller(), 'the choice of a model that is sent digests of sessions');
    if (verb === 'use')
      return rest[0] === undefined
        ? await tryChosen(io, paths, config, args.flag('json'))
        : await useModel(io, paths, config, { name: rest[0], model: rest[1] ?? null });
    if (verb === 'off') return await switchOff(io, paths, config);
    throw usage(
      `dripstone model does not know ${[verb, ...rest].join(' ')}`,
      'use `dripstone model`, `model use NAME`, `model off` or `model preview`',
    );
  },
};

async function list(io: Io, paths: HomePaths, config: Config, json: boolean): Promise<ExitCode> {
  const { llm } = config;
  const { programs, servers } = await findModels(io);
  if (json) {
    printJson(io, {
      provider: llm.provider,
      model: nameOf(llm),
      programs: programs.map((program) => ({
        name: program.name,
        command: commandOf(program, null),
        refused: program.refused,
      })),
      servers,
    });
    return EXIT.done;
  }
  // Estimated for the program that would be proposed first.
  const program =
    llm.provider === 'off' ? programs.find(({ refused }) => refused === null) : undefined;
  const shown =
    program === undefined ? config : { ...config, llm: { ...llm, ...choiceOf(program, null) } };
  const isAsking = shown.llm.provider !== 'off';
  const waiting =
    llm.provider === 'off' && programs.length + servers.length > 0
      ? describeWaiting(await waitingSessions(io, shown), llm)
      : [];
  const lines = present([
    llm.provider === 'off'
      ? NO_MODEL
      : `in use: ${llm.provider} ${nameOf(llm)}, at most ${withCommas(llm.daily_tokens)} tokens a day`,
    ...programs.map(({ name, command, refused }) =>
      refused === null
        ? `found  ${command[0]}: dripstone model use ${name}`
        : `found  ${command[0]}, not used: ${refused}`,
    ),
    ...servers.flatMap(({ name, url, models }) =>
      models.length === 0
        ? [`found  ${name} at ${url}, without a model`]
        : models.map((model) => `found  ${name} at ${url}: dripstone model use ${name} ${model}`),
    ),
    programs.length + servers.length === 0 && 'found  nothing on PATH or on the usual local ports',
    ...waiting,
    `any other server or program: the group \`llm\` in ${paths.config} (see ${defaultsFile()})`,
    FINDS,
    `${SENT}; \`dripstone model preview\` shows one prompt`,
    isAsking &&
      `${recipientOf(shown.llm)}${program === undefined ? '' : ` (with ${program.name})`}`,
  ]);
  io.out(`${lines.join('\n')}\n`);
  return EXIT.done;
}

function nameOf(llm: Config['llm']): string {
  return llm.provider === 'command' ? llm.command.join(' ') : llm.model;
}

/** Tries the model in config.yaml. */
async function tryChosen(
  io: Io,
  paths: HomePaths,
  config: Config,
  json: boolean,
): Promise<ExitCode> {
  const trial = await tryModel(io, paths, config);
  if (json) printJson(io, trial);
  else io.out(renderTrial(trial));
  return trial.is_json ? EXIT.done : EXIT.error;
}

/** Prints only the texts of a session that would be sent. */
async function preview(io: Io, session: string | null, json: boolean): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const found = await previewQuestion(app, session);
  if ('sessions' in found)
    throw usage(`${session ?? ''} may mean ${found.sessions.join(', ')}`, 'type more of the id');
  const { prompt = null, why = null } = found as { prompt?: string; why?: string };
  if (json) printJson(io, { prompt, why });
  else if (prompt !== null) io.out(`${prompt}\n`);
  else io.err(`${why}\n`);
  return EXIT.done;
}

async function switchOff(io: Io, paths: HomePaths, { llm }: Config): Promise<ExitCode> {
  if (llm.provider !== 'off') await writeChoice(paths, io.clock, { provider: 'off' });
  io.out('no model is asked; what models taught so far stays\n');
  return EXIT.done;
}
