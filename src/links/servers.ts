/**
 * The MCP server in agents' settings, where that is one safe edit: a file of a repository that is strict JSON, or is not there.
 * Only our entry is put in and taken out, as text: other keys, their order and the file's layout stay.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AppError } from '../errors.js';
import type { LinkAgent } from './agents.js';
import { type Change, lookAtOther, type OtherFile } from './files.js';
import { lookInside, type PlannedLine } from './plan.js';

const NAME = 'dripstone';
const ENTRY = { command: 'dripstone', args: ['mcp'] };

interface ServerPlace {
  agent: LinkAgent;
  title: string;
  /** Relative to the repository. */
  file: string;
  /** Key of the object that holds the servers. */
  key: string;
  /** Of ours in that object. */
  name: string;
  entry: unknown;
}

/** Ends the command of a hook of ours, which a shell takes for a comment. */
const HOOK_MARK = '# dripstone';

/**
 * What a SessionStart hook prints stands in the session from its start (code.claude.com/docs/en/hooks); the settings are those
 * of this machine alone.
 * @param context as the shell is to open it
 */
function hookPlace(context: string): ServerPlace {
  const command = `cat ${context} 2>/dev/null || true ${HOOK_MARK}`;
  return {
    ...{ agent: 'claude-code', title: 'Claude Code, at the start of a session', file: HOOK_FILE },
    ...{ key: 'hooks', name: 'SessionStart', entry: [{ hooks: [{ type: 'command', command }] }] },
  };
}

/** Claude Code's settings of this machine in a repository. */
export const HOOK_FILE = '.claude/settings.local.json';

/** Codex keeps its servers in TOML, for which `codex mcp add` is the edit. */
const SERVER_PLACES: readonly ServerPlace[] = [
  { agent: 'claude-code', title: 'Claude Code', file: '.mcp.json', key: 'mcpServers', name: NAME, entry: ENTRY },
  { agent: 'gemini-cli', title: 'Gemini CLI', file: '.gemini/settings.json', key: 'mcpServers', name: NAME, entry: ENTRY },
  { agent: 'cursor', title: 'Cursor', file: '.cursor/mcp.json', key: 'mcpServers', name: NAME, entry: ENTRY },
  {
    agent: 'copilot',
    title: 'VS Code',
    file: '.vscode/mcp.json',
    key: 'servers',
    name: NAME,
    entry: { type: 'stdio', ...ENTRY },
  },
];

/** What an edit made beside the entry: unlinking takes exactly that away. */
export type Made = 'entry' | 'servers' | 'file';

export interface LinkedServer {
  agent: string;
  path: string;
  made: Made;
}

interface ServerPlan {
  lines: PlannedLine[];
  changes: Change[];
  servers: LinkedServer[];
}

/** What `link --mcp` would change in a repository for these agents. Looks at files, changes none. */
export function planServers(repo: string, agents: readonly LinkAgent[], path: string | undefined): ServerPlan {
  return planEntries(
    repo,
    SERVER_PLACES.filter(({ agent }) => agents.includes(agent)),
    path,
  );
}

/** What `link --hook` would change: a hook that prints context.md. @param context as a shell is to open it */
export function planHook(repo: string, context: string): ServerPlan {
  return planEntries(repo, [hookPlace(context)], undefined);
}

function planEntries(repo: string, places: readonly ServerPlace[], path: string | undefined): ServerPlan {
  const plan: ServerPlan = { lines: [], changes: [], servers: [] };
  for (const place of places) {
    const file = lookSafely(join(repo, ...place.file.split('/')), repo);
    const edit = typeof file === 'string' ? null : addServer(strictText(file.bytes), place);
    const change = edit === null ? 'left' : edit.made === null ? 'kept' : 'added';
    const note = typeof file === 'string' ? file : noteOf(place, change, path);
    const at = join(repo, ...place.file.split('/'));
    const { agent, title } = place;
    const committed = change === 'added' && place.file !== HOOK_FILE;
    plan.lines.push({ agent, title, path: at, line: lineOf(place), change, committed, note });
    if (typeof file === 'string' || edit === null || edit.made === null) continue;
    plan.changes.push({ file, after: Buffer.from(edit.text, 'utf8') });
    plan.servers.push({ agent, path: at, made: edit.made });
  }
  return plan;
}

/** @param known what linking noted; without a note only the entry goes */
export function planServersOut(repo: string, known: readonly LinkedServer[]): Omit<ServerPlan, 'servers'> {
  const plan: Omit<ServerPlan, 'servers'> = { lines: [], changes: [] };
  for (const place of [...SERVER_PLACES, hookPlace('')]) {
    const path = join(repo, ...place.file.split('/'));
    const file = lookSafely(path, repo);
    if (typeof file === 'string' || file.bytes === null) continue;
    const text = strictText(file.bytes);
    const made = known.find((each) => each.path === path)?.made ?? 'entry';
    const after = text === null || text === undefined ? undefined : removeServer(text, place, made);
    if (after === undefined) continue;
    const { agent, title } = place;
    const line = place.file === HOOK_FILE ? `"${place.name}": a hook that prints context.md` : lineOf(place);
    plan.lines.push({ agent, title, path, line, change: 'removed', committed: false, note: null });
    plan.changes.push({ file, after: after === null ? null : Buffer.from(after, 'utf8') });
  }
  return plan;
}

/** The file, or why it is left alone. */
function lookSafely(path: string, repo: string): OtherFile | string {
  try {
    return existsSync(repo) ? lookInside(path, repo) : lookAtOther(path);
  } catch (error) {
    if (error instanceof AppError) return `${error.message}; the entry can be added by hand`;
    throw error;
  }
}

function lineOf({ name, entry }: Pick<ServerPlace, 'name' | 'entry'>): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(entry)}`;
}

function noteOf({ key, agent, file }: ServerPlace, change: string, path: string | undefined): string | null {
  if (change === 'left')
    return `the file is not strict JSON, or holds another entry of this name: add the entry under "${key}" by hand`;
  if (file === HOOK_FILE) return null;
  const onPath = (path ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, NAME)));
  if (!onPath) return 'no program `dripstone` is on PATH: the agent starts the server once `make install` put it there';
  return change === 'added' && agent === 'claude-code' ? 'Claude Code asks once whether this server may be started' : null;
}

/** Undefined when there is no file, null when its bytes are no UTF-8. */
function strictText(bytes: Buffer | null): string | null | undefined {
  if (bytes === null) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

type Place = Pick<ServerPlace, 'key' | 'name' | 'entry'>;

/**
 * Pure.
 * @param text undefined when there is no file
 * @returns null when the edit is not safe; `made` is null when the entry is there
 */
export function addServer(
  text: string | null | undefined,
  { key, name, entry }: Place,
): { text: string; made: Made | null } | null {
  if (text === undefined) return { text: `${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}\n`, made: 'file' };
  const root = text === null ? null : rootOf(text);
  if (text === null || root === null) return null;
  const servers = root.members.filter((member) => member.key === key);
  if (servers.length === 0) return { text: withMember(text, root, 1, key, { [name]: entry }), made: 'servers' };
  const inner = servers.length > 1 ? null : objectAt(text, servers[0]!.start);
  if (inner === null) return null;
  const own = inner.members.filter((member) => member.key === name);
  if (own.length === 0) return { text: withMember(text, inner, 2, name, entry), made: 'entry' };
  return own.length === 1 && isEntry(text, own[0]!, entry) ? { text, made: null } : null;
}

/** Pure. @returns undefined when no entry of ours is there, null when the file was made by us and holds nothing else */
export function removeServer(text: string, { key, name, entry }: Place, made: Made): string | null | undefined {
  const root = rootOf(text);
  const servers = root?.members.filter((member) => member.key === key) ?? [];
  const inner = servers.length === 1 ? objectAt(text, servers[0]!.start) : null;
  const at = inner?.members.findIndex((member) => member.key === name && isEntry(text, member, entry)) ?? -1;
  if (root === null || inner === null || at < 0) return undefined;
  const isAlone = inner.members.length === 1;
  if (made === 'file' && isAlone && root.members.length === 1) return null;
  if (made !== 'entry' && isAlone) return withoutMember(text, root, root.members.indexOf(servers[0]!), 1);
  return withoutMember(text, inner, at, 2);
}

interface Member {
  key: string;
  keyStart: number;
  /** Of the value. */
  start: number;
  end: number;
}

interface JsonObject {
  /** Behind the opening brace. */
  start: number;
  members: Member[];
}

/** A hook of ours is known by the mark in its only command, wherever its context.md lies. */
function isEntry(text: string, { start, end }: Member, entry: unknown): boolean {
  const plain = (value: unknown): string => JSON.stringify(value).replace(/"cat [^"]* \|\| true # dripstone"/, '""');
  return plain(JSON.parse(text.slice(start, end))) === plain(entry);
}

/** Null when the text is not strict JSON with an object at its top. */
function rootOf(text: string): JsonObject | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return objectAt(text, skipBlank(text, 0));
}

/** The object that begins there, in a text that is JSON; null when another value does. */
function objectAt(text: string, at: number): JsonObject | null {
  if (text[at] !== '{') return null;
  const members: Member[] = [];
  for (let next = skipBlank(text, at + 1); text[next] !== '}';) {
    const keyEnd = skipValue(text, next);
    const start = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const end = skipValue(text, start);
    members.push({ key: JSON.parse(text.slice(next, keyEnd)) as string, keyStart: next, start, end });
    next = skipBlank(text, end);
    if (text[next] === ',') next = skipBlank(text, next + 1);
  }
  return { start: at + 1, members };
}

function skipBlank(text: string, at: number): number {
  while (/[ \t\r\n]/.test(text[at] ?? '')) at++;
  return at;
}

/** Behind the value that begins there. */
function skipValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const sign = text[i]!;
    if (sign === '"') {
      for (i++; text[i] !== '"'; i++) if (text[i] === '\\') i++;
    } else if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') depth--;
    // A number or a word ends before what follows it; all else with its own last sign.
    if (depth === 0 && ('"}]'.includes(sign) || /[\s,\]}]/.test(text[i + 1] ?? ','))) return i + 1;
  }
  return text.length;
}

/** How the file is laid out: line ends and one step of indentation; null for a file on one line. */
function layoutOf(text: string): { newline: string; step: string } | null {
  const step = /\n([ \t]+)\S/.exec(text)?.[1];
  if (step === undefined && /[,{]\s*"/.test(text)) return null;
  return { newline: text.includes('\r\n') ? '\r\n' : '\n', step: step ?? '  ' };
}

function withMember(text: string, { start, members }: JsonObject, depth: number, key: string, value: unknown): string {
  const layout = layoutOf(text);
  const last = members.at(-1);
  const at = last?.end ?? start;
  const comma = last === undefined ? '' : ',';
  const name = JSON.stringify(key);
  if (layout === null) return `${text.slice(0, at)}${comma}${comma && ' '}${name}: ${JSON.stringify(value)}${text.slice(at)}`;
  const indent = layout.newline + layout.step.repeat(depth);
  const body = JSON.stringify(value, null, layout.step).replaceAll('\n', indent);
  const closing = last === undefined ? closingOf(layout, depth) : '';
  return `${text.slice(0, at)}${comma}${indent}${name}: ${body}${closing}${text.slice(at)}`;
}

/** What stands between the only member and the brace. */
function closingOf({ newline, step }: { newline: string; step: string }, depth: number): string {
  return newline + step.repeat(depth - 1);
}

function withoutMember(text: string, { start, members }: JsonObject, at: number, depth: number): string {
  const { keyStart, end } = members[at]!;
  const [before, after] = [members[at - 1], members[at + 1]];
  if (before !== undefined) return text.slice(0, before.end) + text.slice(end);
  if (after !== undefined) return text.slice(0, keyStart) + text.slice(after.keyStart);
  const layout = layoutOf(text);
  const closing = layout === null ? '' : closingOf(layout, depth);
  return text.slice(0, start) + text.slice(text.startsWith(closing, end) ? end + closing.length : end);
}
