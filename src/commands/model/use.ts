/**
 * `dripstone model use`: tries a model, tells what it costs, and writes the choice into
 * config.yaml; its rest stays as it is.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { type Config, type HomePaths, loadConfig } from '../../config.js';
import { editConfig, replaceGroup } from '../../config-file.js';
import { AppError, EXIT, type ExitCode, usage } from '../../errors.js';
import { type FoundServer, type KnownProgram, findPrograms, findServers } from '../../llm/index.js';
import type { Clock } from '../../types.js';
import { isWanted } from './consent.js';
import { renderTrial, tryModel } from './trial.js';
import type { Io } from '../../io.js';

/** Programs on PATH and servers that answer now. */
export async function look(io: Io): Promise<{ programs: KnownProgram[]; servers: FoundServer[] }> {
  return { programs: findPrograms(io.env['PATH']), servers: await findServers() };
}

export type Choice = Partial<Config['llm']> & Pick<Config['llm'], 'provider'>;

/** What a choice replaces; caps and times are the person's. */
const CHOSEN = ['provider', 'model', 'url', 'key_variable', 'command'];

/**
 * @throws AppError when it is not there, may not be used or does not answer: config.yaml is as it
 * was then
 */
export async function useModel(
  io: Io,
  paths: HomePaths,
  config: Config,
  wanted: { name: string; model: string | null },
): Promise<ExitCode> {
  const choice = choose(await look(io), wanted);
  const tried = { ...config, llm: { ...config.llm, ...choice } };
  const trial = await tryModel(io, paths, tried);
  io.out(renderTrial(trial));
  if (!trial.isJson)
    throw new AppError(
      'MODEL_NO_JSON',
      `${wanted.name} does not answer with JSON; nothing was changed`,
      { hint: 'take a larger model: `dripstone model` lists what is on this machine' },
    );
  if (!(await isWanted(io, tried, wanted.name))) {
    io.out(
      'nothing was changed; no model is used: lessons come from facts and from sentences that you choose; ' +
        'nothing leaves this machine\n',
    );
    return EXIT.done;
  }
  await switchOn(io, paths, wanted.name, choice);
  return EXIT.done;
}

/** @throws AppError as {@link writeChoice} */
export async function switchOn(
  io: Io,
  paths: HomePaths,
  name: string,
  choice: Choice,
): Promise<void> {
  await writeChoice(paths, io.clock, choice);
  io.out(
    `${name} is asked from now on: by \`dripstone run\` and at night, within llm.daily_tokens. \`dripstone model ` +
      `preview\` shows what is sent, \`dripstone model off\` ends it\n`,
  );
}

/** What would be written for a program or server that was found. */
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

/** What is written for a program. */
export function choiceOf(program: KnownProgram, model: string | null): Choice {
  return { provider: 'command', command: commandOf(program, model) };
}

/**
 * With the model that was named, else the provider's small one. Options stand before the `-` that
 * means standard input.
 */
export function commandOf({ command, small }: KnownProgram, model: string | null): string[] {
  const named = model ?? small;
  if (named === null) return command;
  const at = command.at(-1) === '-' ? command.length - 1 : command.length;
  return [...command.slice(0, at), '--model', named, ...command.slice(at)];
}

/**
 * @throws AppError exit 13 when the config is invalid, before or after; it is then left as it was
 */
export async function writeChoice(paths: HomePaths, clock: Clock, choice: Choice): Promise<void> {
  mkdirSync(paths.home, { recursive: true, mode: 0o700 });
  chmodSync(paths.home, 0o700);
  loadConfig(paths.config);
  const replaced = new Set([...CHOSEN, ...Object.keys(choice)]);
  await editConfig(paths, clock, (text) =>
    replaceGroup(text, 'llm', (before) => ({
      ...choice,
      ...Object.fromEntries(Object.entries(before).filter(([key]) => !replaced.has(key))),
    })),
  );
}
