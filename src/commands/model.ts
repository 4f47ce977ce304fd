/** `dripstone model`: which models could answer, and which one does. Off until a person switches it on. */
import { refuseAgents } from '../caller.js';
import { EXIT, type ExitCode } from '../errors.js';
import { homeOf, loadConfig, pathsOf, type Config, type HomePaths } from '../config.js';
import { findPrograms, findServers, type FoundServer, type KnownProgram } from '../llm/index.js';
import { printJson, usage, type Command, type Io } from './command.js';
import { testModel } from './model-test.js';
import { writeChoice } from './model-use.js';

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

/** Known by now, and how each would be enabled. */
const look = async (io: Io): Promise<{ programs: KnownProgram[]; servers: FoundServer[] }> => ({
  programs: findPrograms(io.env['PATH']),
  servers: await findServers(),
});

const list = async (io: Io, paths: HomePaths, { llm }: Config, json: boolean): Promise<ExitCode> => {
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
    'a model is sent redacted digests of sessions: your words, commands with their outcome, errors and conclusions, never file contents',
  ];
  io.out(`${lines.join('\n')}\n`);
  return EXIT.done;
};

const nameOf = (llm: Config['llm']): string => (llm.provider === 'command' ? llm.command.join(' ') : llm.model);

const use = async (io: Io, paths: HomePaths, name: string, model: string | null): Promise<ExitCode> => {
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
    `${name} is asked from now on: by \`dripstone run\` and at night, within llm.daily_tokens. \`dripstone model test\` tries it, \`dripstone model off\` ends it\n`,
  );
  return EXIT.done;
};

const switchOff = async (io: Io, paths: HomePaths, { llm }: Config): Promise<ExitCode> => {
  if (llm.provider !== 'off') await writeChoice(paths, { provider: 'off' });
  io.out('no model is asked; what models taught so far stays\n');
  return EXIT.done;
};
