/**
 * `dripstone config`: read, change and check config.yaml without an editor; a change is applied at
 * once.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '../app.js';
import { refuseAgents } from '../caller.js';
import {
  defaultConfig,
  documentIn,
  homeOf,
  parseYaml,
  pathsOf,
  type Config,
  type HomePaths,
} from '../config.js';
import {
  configText,
  editConfig,
  optionsIn,
  pathOfKey,
  validConfig,
  valueAt,
  withOption,
} from '../config-file.js';
import { AppError, EXIT, type ExitCode, usage } from '../errors.js';
import { readDaemon } from '../jobs/upkeep/daemon-note.js';
import { matchFolders } from '../projects/globs.js';
import { loadProjects } from '../store/index.js';
import type { JobName } from '../types.js';
import {
  columns,
  printJson,
  type Arguments,
  type Command,
  runVerb,
  type Verb,
  flag,
  print,
} from '../command.js';
import { runOnce } from './run.js';
import type { Io } from '../io.js';

const VERBS: Record<string, Verb> = {
  list: { run: list, usage: 'list [--all] [--json]', words: [0, 0] },
  get: { run: get, usage: 'get KEY [--json]', words: [1, 1] },
  set: { run: set, usage: 'set KEY VALUE…', words: [2, Infinity] },
  unset: { run: unset, usage: 'unset KEY', words: [1, 1] },
  check: { run: check, usage: 'check [--json]', words: [0, 0] },
  path: { run: path, usage: 'path [--json]', words: [0, 0] },
};

export const configCommand: Command = {
  name: 'config',
  summary: 'read, change and check config.yaml; a change is applied at once',
  usage: '[list | get KEY | set KEY VALUE… | unset KEY | check | path] [--all] [--json]',
  options: {
    all: flag('list: every option, not only those that differ from the default'),
    json: flag(
      'list, get, check: print {"version":1,"path","options":[{"key","value","default","set"}]}; path: the path',
    ),
  },
  exits: {
    [EXIT.busy]: 'another process writes to this home',
    [EXIT.notWritable]: 'config.yaml cannot be written',
  },
  examples: [
    'dripstone config                        # what differs from the defaults',
    'dripstone config get context.budget_tokens',
    'dripstone config set context.budget_tokens 800',
    'dripstone config set exclude "~/work/client-*" "~/private"',
    'dripstone config unset exclude',
    'dripstone config check',
  ],
  run: (io, args) => runVerb('config', VERBS, io, args),
};

interface Row {
  key: string;
  value: unknown;
  default: unknown;
  /** Whether config.yaml sets the option. */
  set: boolean;
}

/** Every option with its value, in the order of config/default.yaml. */
function rowsOf(paths: HomePaths, config: Config): Row[] {
  const base: unknown = defaultConfig();
  const own = optionsIn(configText(paths)) ?? new Map<string, unknown>();
  return Object.entries(base as Record<string, unknown>).flatMap(([group, inner]) => {
    const names =
      group !== 'projects' && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.keys(inner!)
        : [null];
    return names.map((name) => {
      const key = name === null ? group : `${group}.${name}`;
      return {
        key,
        value: valueAt(config, key.split('.')),
        default: valueAt(base, key.split('.')),
        set: own.has(key),
      };
    });
  });
}

function shown(value: unknown): string {
  return typeof value === 'string' && value !== '' && value.trim() === value
    ? value
    : JSON.stringify(value);
}

async function list(io: Io, args: Arguments): Promise<ExitCode> {
  const paths = pathsOf(homeOf(io.env));
  const rows = rowsOf(paths, await validConfig(paths.config)).filter(
    (row) => args.flag('all') || args.flag('json') || row.set,
  );
  if (args.flag('json')) printJson(io, { path: paths.config, options: rows });
  else {
    const lines = columns(
      rows.map((row) => [row.key, `${shown(row.value)}${row.set ? '' : '  (default)'}`]),
    );
    io.out(`${[paths.config, ...(lines.length > 0 ? lines : ['  all defaults'])].join('\n')}\n`);
    if (!args.flag('all')) io.err('`dripstone config list --all` shows every option\n');
  }
  return EXIT.done;
}

async function get(io: Io, args: Arguments, [key]: string[]): Promise<ExitCode> {
  const paths = pathsOf(homeOf(io.env));
  const at = pathOfKey(key!);
  const value = valueAt(await validConfig(paths.config), at);
  if (value === undefined)
    throw usage(
      `nothing is called ${key}`,
      `\`dripstone config get ${at.slice(0, -1).join('.')}\` shows all`,
    );
  const isSet = valueAt(parseYaml(configText(paths)), at) !== undefined;
  return print(
    io,
    args,
    {
      path: paths.config,
      options: [{ key, value, default: valueAt(defaultConfig(), at) ?? null, set: isSet }],
    },
    `${shown(value)}\n`,
  );
}

async function set(io: Io, _args: Arguments, [key, ...words]: string[]): Promise<ExitCode> {
  const at = pathOfKey(key!);
  refuseAgents(io.caller(), 'a change of config.yaml');
  const value = valueOf(key!, isFolders(at) ? [] : valueAt(defaultConfig(), at), words);
  await changeConfig(io, (text) => withOption(text, at, value));
  io.out(`${key}: ${shown(value)}\n`);
  return EXIT.done;
}

async function unset(io: Io, _args: Arguments, [key]: string[]): Promise<ExitCode> {
  const at = pathInFile(pathsOf(homeOf(io.env)), key!) ?? pathOfKey(key!);
  refuseAgents(io.caller(), 'a change of config.yaml');
  await changeConfig(io, (text) => withOption(text, at, undefined));
  const usual = valueAt(defaultConfig(), at);
  io.out(usual === undefined ? `${key}: taken out\n` : `${key}: ${shown(usual)} (default)\n`);
  return EXIT.done;
}

/** A key in the file that is not an option: unsetting it repairs the file. */
function pathInFile(paths: HomePaths, key: string): string[] | null {
  const at = key.split('.');
  return valueAt(documentIn(paths.config, configText(paths)).own, at) === undefined ? null : at;
}

/** Whether the last part of a key is a name that the person chooses for a list of folders. */
function isFolders([group, name, ...more]: string[]): boolean {
  return group === 'projects'
    ? name !== undefined
    : group === 'agents' && name === 'roots' && more.length > 0;
}

/**
 * Converts typed words to the option's type. A text stays as typed, since YAML could read `04:17`
 * as a number.
 * @param usual default of the option; undefined for names that the person chose
 */
function valueOf(key: string, usual: unknown, words: string[]): unknown {
  const text = words.join(' ');
  const isYaml = words.length === 1 && /^\s*[[{]/.test(text);
  if (Array.isArray(usual) && !isYaml) return words.filter((word) => word !== '');
  if (words.length > 1 && !Array.isArray(usual))
    throw usage(`${key} takes one value`, 'put it in quotes');
  if (typeof usual === 'string') return text;
  return parseYaml(text) as unknown;
}

/** @throws AppError exit 13 for a file that is not valid. As JSON prints its options. */
async function check(io: Io, args: Arguments): Promise<ExitCode> {
  const paths = pathsOf(homeOf(io.env));
  const set = rowsOf(paths, await validConfig(paths.config)).filter((row) => row.set);
  return print(
    io,
    args,
    { path: paths.config, options: set },
    existsSync(paths.config)
      ? `${paths.config} is valid; it sets ${optionsIn(configText(paths))?.size ?? 0} options\n`
      : `${paths.config} does not exist: all defaults\n`,
  );
}

function path(io: Io, args: Arguments): Promise<ExitCode> {
  const { config } = pathsOf(homeOf(io.env));
  if (args.flag('json')) printJson(io, { path: config });
  else io.out(`${config}\n`);
  return Promise.resolve(EXIT.done);
}

/** Groups that change stored data, which is computed again; others apply at the next reading. */
const APPLIED = [
  'context',
  'projects',
  'agents',
  'inbox',
  'llm',
  'enabled',
] as const satisfies readonly (keyof Config)[];
const STEPS: JobName[] = ['extract', 'context'];

/**
 * Changes config.yaml. Then a running daemon, or else this process, updates the stored data that
 * depends on it.
 * @throws AppError exit 13 if the file is or would be invalid; it then stays unchanged
 */
export async function changeConfig(io: Io, change: (text: string) => string): Promise<void> {
  const paths = pathsOf(homeOf(io.env));
  const before = await readBefore(paths);
  const daemon = readDaemon(paths);
  await editConfig(paths, io.clock, change);
  await apply(io, before, await validConfig(paths.config), daemon?.started ?? null);
}

async function apply(
  io: Io,
  before: Config | null,
  config: Config,
  daemon: string | null,
): Promise<void> {
  const paths = pathsOf(homeOf(io.env));
  if (!existsSync(paths.store)) return;
  await noteExcluded(io, before?.exclude ?? [], config.exclude);
  const touched = APPLIED.some(
    (group) => JSON.stringify(before?.[group]) !== JSON.stringify(config[group]),
  );
  if (!config.enabled || !touched) return;
  if (daemon !== null) await waitForTurn(io, paths, daemon);
  try {
    const { errors } = await runOnce(io, STEPS);
    for (const { job, message } of errors) io.err(`dripstone: ${job} failed: ${message}\n`);
  } catch (error) {
    if (!(error instanceof AppError) || error.exitCode !== EXIT.busy) throw error;
    io.err(`config.yaml is changed; the next run updates the stored data: ${error.message}\n`);
  }
}

const POLL_MS = 50;
const MOST_POLLS = 200;

/**
 * Waits until the daemon runs with the new options. During its restart the lock is free, and this
 * command would take the lock and do the daemon's work.
 */
async function waitForTurn({ signal }: Io, paths: HomePaths, started: string): Promise<void> {
  for (let polls = 0; polls < MOST_POLLS && !signal.aborted; polls++) {
    const now = readDaemon(paths);
    if (now !== null && now.started !== started) return;
    await sleep(POLL_MS);
  }
}

/** Null if config.yaml is invalid, since the change may repair it. */
async function readBefore(paths: HomePaths): Promise<Config | null> {
  return validConfig(paths.config).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'CONFIG_INVALID') return null;
    throw error;
  });
}

/** Prints how to remove earlier entries, since an exclusion applies only to future reading. */
async function noteExcluded(
  io: Io,
  before: readonly string[],
  now: readonly string[],
): Promise<void> {
  const fresh = now.filter((glob) => !before.includes(glob));
  if (fresh.length === 0) return;
  await using app = await createApp({ ...io, access: 'read' });
  const matches = matchFolders(fresh, app.userHome);
  const known = (await app.store.read((db) => loadProjects(db))).filter(({ folders }) =>
    folders.some(matches),
  );
  for (const { slug } of known)
    io.err(
      `${slug} is no longer read; its entries stay until \`dripstone purge --project ${slug}\`\n`,
    );
}
