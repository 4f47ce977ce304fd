/**
 * config.yaml as a file of the person: options are changed in its text, whose comments and order stay, and the last valid one is
 * kept, so that what reports goes on while the file is broken.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  configIn,
  defaultConfig,
  documentIn,
  isRecord,
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

/**
 * The text of a config.yaml with one group replaced; every other byte stays as the person wrote it.
 * @param text the present text, '' when there is no file
 * @param change from the group's present values to the new ones
 */
export function replaceGroup(
  text: string,
  group: string,
  change: (before: Record<string, unknown>) => Record<string, unknown>,
): string {
  const { isMap, parseDocument, stringify } = yaml();
  const doc = parseDocument(text);
  const before = (doc.toJS() as Record<string, unknown> | null)?.[group];
  const block = stringify({ [group]: change(isRecord(before) ? before : {}) });
  const pair = isMap(doc.contents) ? doc.contents.items.find((item) => String(item.key) === group) : undefined;
  const from = (pair?.key as { range?: [number, number, number] } | undefined)?.range?.[0];
  const to = (pair?.value as { range?: [number, number, number] } | undefined)?.range?.[2];
  if (from === undefined || to === undefined) return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${block}`;
  return text.slice(0, from) + block + text.slice(to);
}

/** Values by dotted name. */
export type Options = Map<string, unknown>;

/** What a config.yaml sets, groups taken apart; null for a text that is none. */
export function optionsIn(text: string): Options | null {
  const doc = yaml().parseDocument(text);
  const own: unknown = doc.errors.length > 0 ? null : (doc.toJS() ?? {});
  if (!isRecord(own)) return null;
  const base = defaultConfig() as unknown as Record<string, unknown>;
  const isGroup = (key: string): boolean => key !== 'projects' && isRecord(base[key]);
  return new Map(
    Object.entries(own).flatMap(([key, value]): [string, unknown][] =>
      isGroup(key) && isRecord(value) ? Object.entries(value).map(([name, inner]) => [`${key}.${name}`, inner]) : [[key, value]],
    ),
  );
}

/** The text of a config.yaml with these options set, by names as `optionsIn` gives them; everything else stays. */
export function withOptions(text: string, options: Options): string {
  return [...options].reduce((now, [key, value]) => withOption(now, key.split('.'), value), text);
}

/** Groups whose names the person makes up: projects, roots and prices. */
const NAMED = ['projects', 'agents.roots', 'usage.prices'];

/**
 * A dotted name as a path into the config; what a person named may itself hold dots (`usage.prices.gpt-4.1`).
 * @throws AppError exit 2 for a name that is no option, with the one that was meant
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

/** The value at a path; undefined when nothing stands there. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value);
}

/**
 * A config.yaml with one option changed, or taken out with `undefined`. Only the bytes of its value change where that is
 * possible; else the text is written anew by the YAML parser, with its comments and its order, and with its line ends.
 * @throws AppError exit 13 for a text that is no YAML, or a value that another one repeats
 */
export function withOption(text: string, path: readonly string[], value: unknown): string {
  const isCrlf = text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
  // The parser ends every line that it writes with LF.
  return isCrlf ? withOption(text.replaceAll('\r\n', '\n'), path, value).replaceAll('\n', '\r\n') : changeIn(text, path, value);
}

function changeIn(text: string, path: readonly string[], value: unknown): string {
  const { isMap, isScalar, parseDocument, stringify } = yaml();
  const { doc } = documentIn('config.yaml', text);
  const before: unknown = doc.getIn(path, true);
  const range = isScalar(before) && before.anchor === undefined ? before.range : null;
  if (value === undefined) {
    dropAt(doc, path);
  } else {
    if (!isRecord(doc.toJS())) doc.contents = doc.createNode({}) as never;
    // An empty map is written as `{}`: what is added would stand on its line.
    if (isMap(doc.contents) && doc.contents.items.length === 0) doc.contents.flow = false;
    for (let depth = 1; depth < path.length; depth++)
      if (!isRecord(valueAt(doc.toJS(), path.slice(0, depth)))) doc.setIn(path.slice(0, depth), doc.createNode({}));
    doc.setIn(path, typeof value === 'object' ? doc.createNode(value, { flow: !isRecord(value) }) : value);
  }
  const written = writtenFrom(doc, path);
  if (range == null || value === undefined || typeof value === 'object') return written;
  const isQuoted = isScalar(before) && before.type === 'QUOTE_DOUBLE';
  const put = isQuoted && typeof value === 'string' ? JSON.stringify(value) : stringify(value, { lineWidth: 0 }).trimEnd();
  const spliced = text.slice(0, range[0]) + put + text.slice(range[1]);
  return isDeepStrictEqual(parseDocument(spliced).toJS(), parseDocument(written).toJS()) ? spliced : written;
}

function writtenFrom(doc: ReturnType<typeof documentIn>['doc'], path: readonly string[]): string {
  try {
    return doc.toString({ lineWidth: 0, flowCollectionPadding: false });
  } catch (cause) {
    const hint = 'write the value there in full, and say it again';
    throw wrong('config.yaml', `another value repeats ${path.join('.')} by its anchor: ${messageOf(cause)}`, hint);
  }
}

/** Takes an option out, and groups that are empty then. */
function dropAt(doc: ReturnType<typeof documentIn>['doc'], path: readonly string[]): void {
  for (let depth = path.length; depth > 0; depth--) {
    const at = path.slice(0, depth);
    if (depth < path.length && Object.keys(valueAt(doc.toJS(), at) ?? {}).length > 0) return;
    doc.deleteIn(at);
  }
}

/**
 * Changes config.yaml; it is written when it is valid then. Where it is a link the file behind it changes: it may be one of
 * many in a folder that is kept under git. Two that change it at once wait for each other: of six at once one was lost.
 * @throws AppError exit 13 that names the line, and the file is as it was; 11 when another process holds it for long
 */
export async function editConfig(paths: HomePaths, clock: Clock, change: (text: string) => string): Promise<Config> {
  const lock = await acquireLock({ path: paths.configLock, clock, as: 'writer', waitMs: 5000 });
  try {
    const before = configText(paths);
    const text = change(before);
    const config = await configAfter(paths.config, before, text);
    if (text !== before) await publishFile(existsSync(paths.config) ? realpathSync(paths.config) : paths.config, text);
    await keepConfig(paths);
    return config;
  } finally {
    lock.release();
  }
}

/** The text of config.yaml, '' when there is none. @throws AppError exit 13 when it cannot be read, or is not UTF-8 */
export function configText(paths: HomePaths): string {
  return existsSync(paths.config) ? readText(paths.config) : '';
}

/**
 * What a config.yaml means once it is changed from `before` to `after`.
 * @throws AppError exit 13; a line is named only where it is one of the file as it stands
 */
export async function configAfter(file: string, before: string, after: string): Promise<Config> {
  try {
    return await configOf(file, after);
  } catch (error) {
    await configOf(file, before);
    if (!(error instanceof AppError)) throw error;
    const { code, hint, exitCode, cause } = error;
    const message = error.message.replace(`${file}: `, '').replace(/^line \d+: /, '');
    throw new AppError(code, message, { hint: `${file} stays as it was; ${hint}`, exitCode, cause });
  }
}

/** What a text means as config.yaml. @throws AppError exit 13 that names the line; an agent that nobody knows counts */
function configOf(file: string, text: string): Promise<Config> {
  return checkAgents(file, text, configIn(file, text));
}

/** Loads the registry of agents only for a config that names some: a search should not pay for it. */
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
  throw wrong(file, `${place}agents.${key} names an agent that is not known: ${name}`, `known are ${known.join(', ')}`);
}

/**
 * The options of config.yaml.
 * @throws AppError exit 13 that names the key and its line; an agent that nobody knows counts
 */
export async function validConfig(file: string): Promise<Config> {
  const config = loadConfig(file);
  return existsSync(file) ? checkAgents(file, readFileSync(file, 'utf8'), config) : config;
}

/**
 * The options of config.yaml. For what only reports: when it is broken, those of the last one that was valid, else the defaults;
 * what would be sent is off then, since the broken part may be what forbids it.
 */
export async function openConfig(paths: HomePaths, mayBeBroken: boolean): Promise<{ config: Config; problem: AppError | null }> {
  try {
    return { config: await validConfig(paths.config), problem: null };
  } catch (error) {
    if (!mayBeBroken || !(error instanceof AppError)) throw error;
    const { llm, embed, ...rest } = await validConfig(paths.lastConfig).catch(() => defaultConfig());
    return {
      config: { ...rest, llm: { ...llm, provider: 'off' }, embed: { ...embed, enabled: embed.enabled && embed.url === '' } },
      problem: error,
    };
  }
}

/** Keeps a copy of a valid config.yaml; none when there is no file. */
export async function keepConfig(paths: HomePaths): Promise<void> {
  if (existsSync(paths.config)) await publishFile(paths.lastConfig, readFileSync(paths.config));
  else await rm(paths.lastConfig, { force: true });
}
