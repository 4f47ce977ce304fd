/**
 * Options and paths; nothing else reads the process environment. `config/default.yaml` has every
 * option, `$DRIPSTONE_HOME/config.yaml` only the differences.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { Document, LineCounter } from 'yaml';
import type * as Zod from 'zod';
import { AppError, EXIT, messageOf } from './errors.js';
import type { Environment } from './home.js';
import { shippedFile } from './place.js';
import { makeSchema, RETIRED } from './options.js';
import { nearest } from './text/nearest.js';
import { isObject } from './text/fields.js';

export {
  homeOf,
  pathsOf,
  projectFolder,
  userHomeOf,
  type Environment,
  type HomePaths,
} from './home.js';

const load = createRequire(import.meta.url);
/** Loads the parser only if there is a config.yaml, because loading would slow a search. */
export function yaml(): typeof Yaml {
  return load('yaml') as typeof Yaml;
}

/**
 * Parses a text as YAML; null for an empty text. @throws AppError exit 2 for text that is not YAML
 */
export function parseYaml(text: string): unknown {
  try {
    return yaml().parse(text);
  } catch (cause) {
    throw new AppError('VALUE_INVALID', `${text} cannot be read: ${firstLine(messageOf(cause))}`, {
      hint: `write it as in ${defaultsFile()}; ${QUOTE}`,
      exitCode: EXIT.usage,
    });
  }
}

let made: ReturnType<typeof makeSchema> | null = null;
function schema(): ReturnType<typeof makeSchema> {
  return (made ??= makeSchema());
}

/** All options after merging; config/default.yaml documents them. */
export type Config = Zod.infer<ReturnType<typeof makeSchema>>;

/** The process environment. */
export function readEnvironment(): Environment {
  return { ...process.env };
}

/** The IANA name of the time zone: `$TZ` if valid, else the system's. */
export function zoneOf(env: Environment): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: env['TZ'] || undefined }).resolvedOptions()
      .timeZone;
  } catch {
    return new Intl.DateTimeFormat('en').resolvedOptions().timeZone || 'UTC'; // `:/etc/localtime`, `CET-1CEST` and similar
  }
}

/** The version of the running package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(shippedFile('package.json'), 'utf8')) as { version: string })
    .version;
}

/**
 * config/default.yaml as JSON, which bundle.js inserts, so that a search does not load the parser.
 * Absent when running from source.
 */
declare const DEFAULTS: string | undefined;
let defaults = typeof DEFAULTS === 'undefined' ? null : DEFAULTS;

/** The file that documents every option with its default; the package contains it too. */
export function defaultsFile(): string {
  return shippedFile('config/default.yaml');
}

/** The options of `config/default.yaml` alone. */
export function defaultConfig(): Config {
  defaults ??= JSON.stringify(yaml().parse(readFileSync(defaultsFile(), 'utf8')));
  return JSON.parse(defaults) as Config;
}

/**
 * Reads the person's `config.yaml` and merges it over the defaults.
 * @throws AppError exit 13 with the key, its line and the nearest valid key
 */
export function loadConfig(file: string): Config {
  return existsSync(file) ? configIn(file, readText(file)) : defaultConfig();
}

/**
 * Parses the text of a config.yaml; `file` is its name in messages. @throws AppError exit 13, as
 * `loadConfig`
 */
export function configIn(file: string, text: string): Config {
  const { doc, lines, own } = documentIn(file, text);
  if (!isObject(own))
    throw wrong(file, 'line 1: it must have keys and values', `see ${defaultsFile()} for the keys`);
  const result = schema().safeParse(merge(defaultConfig(), withoutRetired(own)));
  if (result.success) return result.data;
  throw explain(file, doc, lines, result.error.issues[0]!);
}

/** Options of a config.yaml without effect in this version, as lines for a person. */
export function retiredIn(file: string, text: string): string[] {
  const { own } = documentIn(file, text);
  return Object.entries(RETIRED).flatMap(([key, why]) => {
    const [group, name] = key.split('.') as [string, string];
    const inner = isObject(own) ? own[group] : null;
    return isObject(inner) && Object.hasOwn(inner, name)
      ? [`config.yaml: ${name} has no effect any more: ${why}`]
      : [];
  });
}

/** Removes retired options, and groups with no others; `mask_emails` counts as `emails`. */
function withoutRetired(own: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(own).flatMap(([group, inner]): [string, unknown][] => {
      if (!isObject(inner)) return [[group, inner]];
      const kept = Object.entries(inner)
        .map(([name, value]) => [name === 'mask_emails' ? 'emails' : name, value] as const)
        .filter(([name]) => !Object.hasOwn(RETIRED, `${group}.${name}`));
      const isGone = kept.length === 0 && Object.keys(inner).length > 0;
      return isGone ? [] : [[group, Object.fromEntries(kept)]];
    }),
  );
}

/**
 * Parses the text of a config.yaml with line positions; checks no option. @throws AppError exit 13
 * for text that is not YAML
 */
export function documentIn(
  file: string,
  text: string,
): { doc: Document; lines: LineCounter; own: unknown } {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines });
  const broken = doc.errors[0];
  if (broken) {
    // The parser reports unclosed syntax at the end of the file, after its last line.
    const at = `line ${lines.linePos(Math.min(broken.pos[0], text.trimEnd().length)).line}: `;
    if (broken.code === 'MULTIPLE_DOCS')
      throw wrong(
        file,
        `${at}a second document begins here`,
        'keep all options in one: remove the line `---`',
      );
    throw wrong(file, at + firstLine(broken.message), `correct the YAML there; ${QUOTE}`);
  }
  return { doc, lines, own: plainOf(file, doc, lines) ?? {} };
}

const QUOTE = 'a value that begins with * or & or ! must be quoted: "*secret*"';

/** The file as plain data. YAML reads an unquoted glob as an alias without a value: refused. */
function plainOf(file: string, doc: Document, lines: LineCounter): unknown {
  let alias: number | null = null;
  yaml().visit(doc, { Alias: (_, node) => void (alias ??= node.range?.[0] ?? null) });
  try {
    return doc.toJS();
  } catch (cause) {
    throw wrong(
      file,
      `${alias === null ? '' : `line ${lines.linePos(alias).line}: `}${firstLine(messageOf(cause))}`,
      QUOTE,
    );
  }
}

/**
 * The text of a config.yaml. @throws AppError exit 13 if it is not a regular file, cannot be read
 * or is not UTF-8
 */
export function readText(file: string): string {
  try {
    // Reading a pipe without a writer would block the process for good, even for signals; a device
    // never ends.
    if (!statSync(file).isFile()) throw new Error('it is not a plain file');
    return utf8Of(file, readFileSync(file));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('CONFIG_UNREADABLE', `${file} cannot be read: ${messageOf(cause)}`, {
      hint: 'make it a readable file, or remove it to use the defaults',
      exitCode: EXIT.config,
      cause,
    });
  }
}

/** Refuses invalid bytes: decoding would change the name of an excluded folder. */
function utf8Of(file: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const rows = bytes
    .toString('latin1')
    .split('\n')
    .map((row) => isUtf8(Buffer.from(row, 'latin1')));
  throw wrong(
    file,
    `line ${rows.indexOf(false) + 1}: it is not UTF-8 text`,
    'save the file as UTF-8',
  );
}

function explain(
  file: string,
  doc: Document,
  lines: LineCounter,
  issue: Zod.core.$ZodIssue,
): AppError {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') {
    const at = lineOf(doc, lines, path);
    return wrong(
      file,
      `${at}${path.join('.')}: ${issue.message}`,
      `${defaultsFile()} shows every key with its default`,
    );
  }
  const key = [...path, issue.keys[0]!].join('.');
  const near = nearest(key, knownKeys(defaultConfig()));
  return wrong(
    file,
    `${lineOf(doc, lines, key.split('.'))}unknown key ${key}`,
    near === null ? `${defaultsFile()} shows every key with its default` : `did you mean ${near}?`,
  );
}

/** `line 3: ` for a key in a config.yaml, or for the group it would be in. */
export function placeOfKey(file: string, text: string, key: string[]): string {
  const { doc, lines } = documentIn(file, text);
  return lineOf(doc, lines, key);
}

/** An invalid config.yaml: exit 13. */
export function wrong(file: string, message: string, hint: string): AppError {
  return new AppError('CONFIG_INVALID', `${file}: ${message}`, { hint, exitCode: EXIT.config });
}

function lineOf(doc: Document, lines: LineCounter, path: string[]): string {
  let node: unknown = doc.contents;
  let offset = 0;
  for (const part of path) {
    if (!yaml().isMap(node)) break;
    const pair = node.items.find((item) => String(item.key) === part);
    const range = (pair?.key as { range?: [number, number, number] } | undefined)?.range;
    if (!pair || !range) break;
    offset = range[0];
    node = pair.value;
  }
  return `line ${lines.linePos(offset).line}: `;
}

function merge(base: unknown, own: unknown): unknown {
  if (!isObject(base) || !isObject(own)) return own;
  const out: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(own))
    out[key] = value === null && isObject(base[key]) ? base[key] : merge(base[key], value);
  return out;
}

/** Every valid key as a dotted path, with groups. */
export function knownKeys(value: unknown, prefix = ''): string[] {
  return isObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => [
        prefix + key,
        ...knownKeys(inner, `${prefix}${key}.`),
      ])
    : [];
}

/** The parser's message without its position, which is counted differently. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.replace(/ at line \d+, column \d+:?$/, '');
}
