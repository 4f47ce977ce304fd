/**
 * Reads and changes the person's config.yaml. Changes keep comments and order. A copy of the last
 * valid version lets reporting commands work while the file is broken.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import {
  configIn,
  defaultConfig,
  documentIn,
  knownKeys,
  loadConfig,
  placeOfKey,
  readText,
  wrong,
  yaml,
  type Config,
  type HomePaths,
} from './config.js';
import { AppError, EXIT, messageOf } from './errors.js';
import { acquireLock, publishFile } from './store/index.js';
import { nearest } from './text/nearest.js';
import type { Clock } from './types.js';
import { isObject } from './text/fields.js';

/** The options that a config.yaml sets, by dotted name; null for an invalid config. */
export function optionsIn(text: string): Map<string, unknown> | null {
  const doc = yaml().parseDocument(text);
  const own: unknown = doc.errors.length > 0 ? null : (doc.toJS() ?? {});
  if (!isObject(own)) return null;
  const base = defaultConfig() as unknown as Record<string, unknown>;
  const isGroup = (key: string): boolean => key !== 'projects' && isObject(base[key]);
  return new Map(
    Object.entries(own).flatMap(([key, value]): [string, unknown][] =>
      isGroup(key) && isObject(value)
        ? Object.entries(value).map(([name, inner]) => [`${key}.${name}`, inner])
        : [[key, value]],
    ),
  );
}

/** Groups whose keys a person chooses: projects, roots, prices and guarded rules. */
const NAMED = ['projects', 'agents.roots', 'usage.prices', 'hooks.guard'];

/**
 * Splits a dotted name into a path in the config. Keys that the person chose may contain dots
 * (`usage.prices.gpt-4.1`).
 * @throws AppError exit 2 for an unknown option, with the nearest known name
 */
export function pathOfKey(key: string): string[] {
  const named = NAMED.find((group) => key.startsWith(`${group}.`));
  if (named !== undefined) return [...named.split('.'), key.slice(named.length + 1)];
  const known = knownKeys(defaultConfig());
  if (known.includes(key)) return key.split('.');
  const near = nearest(key, known);
  throw new AppError('OPTION_UNKNOWN', `there is no option ${key}`, {
    hint: `${near === null ? '' : `did you mean ${near}? `}\`dripstone config list\` shows all`,
    exitCode: EXIT.usage,
  });
}

/** The value at a path; undefined without one. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

/**
 * A config.yaml with one option changed, or removed with `undefined`. Comments, order and line ends
 * stay.
 * @throws AppError exit 13 for text that is not YAML, or a value that another option uses by an
 * anchor
 */
export function withOption(text: string, path: readonly string[], value: unknown): string {
  const isCrlf = text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
  const { doc } = documentIn('config.yaml', isCrlf ? text.replaceAll('\r\n', '\n') : text);
  if (value === undefined) dropAt(doc, path);
  else {
    if (!isObject(doc.toJS())) doc.contents = doc.createNode({}) as never;
    // An empty map is written as `{}`, and the new option would land on the same line.
    if (yaml().isMap(doc.contents) && doc.contents.items.length === 0) doc.contents.flow = false;
    for (let depth = 1; depth < path.length; depth++)
      if (!isObject(valueAt(doc.toJS(), path.slice(0, depth))))
        doc.setIn(path.slice(0, depth), doc.createNode({}));
    const isPlain = typeof value !== 'object';
    doc.setIn(path, isPlain ? value : doc.createNode(value, { flow: !isObject(value) }));
  }
  const written = writtenFrom(doc, path);
  // The parser ends all its lines with LF.
  return isCrlf ? written.replaceAll('\n', '\r\n') : written;
}

function writtenFrom(doc: ReturnType<typeof documentIn>['doc'], path: readonly string[]): string {
  try {
    return doc.toString({ lineWidth: 0, flowCollectionPadding: false });
  } catch (cause) {
    const hint = 'write the value there in full, and say it again';
    throw wrong(
      'config.yaml',
      `another value repeats ${path.join('.')} by its anchor: ${messageOf(cause)}`,
      hint,
    );
  }
}

/** Removes an option, and the groups that become empty. */
function dropAt(doc: ReturnType<typeof documentIn>['doc'], path: readonly string[]): void {
  for (let depth = path.length; depth > 0; depth--) {
    const at = path.slice(0, depth);
    if (depth < path.length && Object.keys(valueAt(doc.toJS(), at) ?? {}).length > 0) return;
    if (doc.hasIn(at)) doc.deleteIn(at);
  }
}

/**
 * Changes config.yaml and writes it only if the result is valid. If the file is a link, its target
 * changes: it may be a dotfile under git. A lock keeps concurrent changes from replacing each
 * other.
 * @throws AppError exit 13 with the line, and the file is unchanged; 11 if another process has the
 * lock for long
 */
export async function editConfig(
  paths: HomePaths,
  clock: Clock,
  change: (text: string) => string,
): Promise<Config> {
  const lock = await acquireLock({ path: paths.configLock, clock, as: 'writer', waitMs: 5000 });
  try {
    const before = configText(paths);
    const text = change(before);
    const config = await configAfter(paths.config, before, text);
    if (text !== before)
      await publishFile(existsSync(paths.config) ? realpathSync(paths.config) : paths.config, text);
    await keepConfig(paths);
    return config;
  } finally {
    lock.release();
  }
}

/**
 * The text of config.yaml, '' without a file.
 * @throws AppError exit 13 if the file cannot be read or is not UTF-8
 */
export function configText(paths: HomePaths): string {
  return existsSync(paths.config) ? readText(paths.config) : '';
}

/**
 * The config after a change of config.yaml from `before` to `after`.
 * @throws AppError exit 13; names a line only if the file on disk has it
 */
async function configAfter(file: string, before: string, after: string): Promise<Config> {
  try {
    return await configOf(file, after);
  } catch (error) {
    await configOf(file, before);
    if (!(error instanceof AppError)) throw error;
    const { code, hint, exitCode, cause } = error;
    const message = error.message.replace(`${file}: `, '').replace(/^line \d+: /, '');
    throw new AppError(code, message, {
      hint: `${file} stays as it was; ${hint}`,
      exitCode,
      cause,
    });
  }
}

/**
 * Parses a text as config.yaml. @throws AppError exit 13 with the line, also for an unknown agent
 */
function configOf(file: string, text: string): Promise<Config> {
  return checkAgents(file, text, configIn(file, text));
}

/**
 * Loads the registry of agents only for a config that names some, because search must start fast.
 */
async function checkAgents(file: string, text: string, config: Config): Promise<Config> {
  const named: [string, string][] = [
    ...config.agents.only.map((name): [string, string] => ['only', name]),
    ...Object.keys(config.agents.roots).map((name): [string, string] => ['roots', name]),
  ];
  if (named.length === 0) return config;
  const known = (await import('./agents/index.js')).adapters.map(({ agent }) => agent);
  const unknown = named.find(([, name]) => !known.includes(name));
  if (unknown === undefined) return config;
  const [key, name] = unknown;
  const place = placeOfKey(file, text, key === 'roots' ? ['agents', key, name] : ['agents', key]);
  throw wrong(
    file,
    `${place}agents.${key} names an agent that is not known: ${name}`,
    `known are ${known.join(', ')}`,
  );
}

/**
 * The options of config.yaml.
 * @throws AppError exit 13 with the key and its line, also for an unknown agent
 */
export async function validConfig(file: string): Promise<Config> {
  const config = loadConfig(file);
  return existsSync(file) ? checkAgents(file, readFileSync(file, 'utf8'), config) : config;
}

/**
 * The options of config.yaml, for commands that only report. If the file is broken, those of the
 * last valid version, else the defaults; then nothing is sent, because the broken part may forbid
 * it.
 */
export async function openConfig(
  paths: HomePaths,
  mayBeBroken: boolean,
): Promise<{ config: Config; problem: AppError | null }> {
  try {
    return { config: await validConfig(paths.config), problem: null };
  } catch (error) {
    if (!mayBeBroken || !(error instanceof AppError)) throw error;
    const { llm, embed, ...rest } = await validConfig(paths.lastConfig).catch(() =>
      defaultConfig(),
    );
    return {
      config: {
        ...rest,
        llm: { ...llm, provider: 'off' },
        embed: { ...embed, enabled: embed.enabled && embed.url === '' },
      },
      problem: error,
    };
  }
}

/** Keeps a copy of a valid config.yaml, if there is one. */
export async function keepConfig(paths: HomePaths): Promise<void> {
  if (existsSync(paths.config)) await publishFile(paths.lastConfig, readFileSync(paths.config));
  else await rm(paths.lastConfig, { force: true });
}
