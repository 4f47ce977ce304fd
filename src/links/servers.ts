/**
 * The MCP server in agents' settings, where that is one safe edit: a file of a repository that is
 * strict JSON, or is not there. Only our entry is put in and taken out, as text: other keys, their
 * order and the file's layout stay.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AppError } from '../errors.js';
import type { LinkAgent } from './agents.js';
import { type Change, lookAtOther, type OtherFile, utf8Of } from './files.js';
import {
  memberOf,
  parseJson,
  withAdded,
  withoutChild,
  type JsonMember,
  type JsonNode,
} from './json-text.js';
import { lookInside, type PlannedLine } from './plan.js';

const NAME = 'dripstone';
export const ENTRY = { command: 'dripstone', args: ['mcp'] };

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
 * What a SessionStart hook prints stands in the session from its start
 * (code.claude.com/docs/en/hooks); the settings are those of this machine alone.
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
  {
    agent: 'claude-code',
    title: 'Claude Code',
    file: '.mcp.json',
    key: 'mcpServers',
    name: NAME,
    entry: ENTRY,
  },
  {
    agent: 'gemini-cli',
    title: 'Gemini CLI',
    file: '.gemini/settings.json',
    key: 'mcpServers',
    name: NAME,
    entry: ENTRY,
  },
  {
    agent: 'cursor',
    title: 'Cursor',
    file: '.cursor/mcp.json',
    key: 'mcpServers',
    name: NAME,
    entry: ENTRY,
  },
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

/**
 * What `link --mcp` would change in a repository for these agents. Looks at files, changes none.
 */
export function planServers(
  repo: string,
  agents: readonly LinkAgent[],
  path: string | undefined,
): ServerPlan {
  return planEntries(
    repo,
    SERVER_PLACES.filter(({ agent }) => agents.includes(agent)),
    path,
  );
}

/**
 * What `link --hook` would change: a hook that prints context.md. @param context as a shell is to
 * open it
 */
export function planHook(repo: string, context: string): ServerPlan {
  return planEntries(repo, [hookPlace(context)], undefined);
}

function planEntries(
  repo: string,
  places: readonly ServerPlace[],
  path: string | undefined,
): ServerPlan {
  const plan: ServerPlan = { lines: [], changes: [], servers: [] };
  for (const place of places) {
    const file = lookSafely(join(repo, ...place.file.split('/')), repo);
    const edit = typeof file === 'string' ? null : addServer(utf8Of(file), place);
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
export function planServersOut(
  repo: string,
  known: readonly LinkedServer[],
): Omit<ServerPlan, 'servers'> {
  const plan: Omit<ServerPlan, 'servers'> = { lines: [], changes: [] };
  for (const place of [...SERVER_PLACES, hookPlace('')]) {
    const path = join(repo, ...place.file.split('/'));
    const file = lookSafely(path, repo);
    if (typeof file === 'string' || file.bytes === null) continue;
    const text = utf8Of(file);
    const made = known.find((each) => each.path === path)?.made ?? 'entry';
    const after = text === null || text === undefined ? undefined : removeServer(text, place, made);
    if (after === undefined) continue;
    const { agent, title } = place;
    const line =
      place.file === HOOK_FILE ? `"${place.name}": a hook that prints context.md` : lineOf(place);
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

function noteOf(
  { key, agent, file }: ServerPlace,
  change: string,
  path: string | undefined,
): string | null {
  if (change === 'left')
    return `the file is not strict JSON, or holds another entry of this name: add the entry under "${key}" by hand`;
  if (file === HOOK_FILE) return null;
  const onPath = (path ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, NAME)));
  if (!onPath)
    return 'no program `dripstone` is on PATH: the agent starts the server once `make install` put it there';
  return change === 'added' && agent === 'claude-code'
    ? 'Claude Code asks once whether this server may be started'
    : null;
}

type ServerKey = Pick<ServerPlace, 'key' | 'name' | 'entry'>;

/**
 * Pure.
 * @param text undefined when there is no file
 * @returns null when the edit is not safe; `made` is null when the entry is there
 */
export function addServer(
  text: string | null | undefined,
  { key, name, entry }: ServerKey,
): { text: string; made: Made | null } | null {
  if (text === undefined)
    return { text: `${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}\n`, made: 'file' };
  const root = text === null ? null : rootOf(text);
  if (text === null || root === null) return null;
  const servers = memberOf(root, key);
  if (servers === undefined)
    return { text: withAdded(text, root, 1, { [name]: entry }, key), made: 'servers' };
  const inner = servers?.value.kind === 'object' ? servers.value : null;
  const own = inner === null ? null : memberOf(inner, name);
  if (inner === null || own === null) return null;
  if (own === undefined) return { text: withAdded(text, inner, 2, entry, name), made: 'entry' };
  return isEntry(text, own, entry) ? { text, made: null } : null;
}

/**
 * Pure. @returns undefined when no entry of ours is there, null when the file was made by us and
 * holds nothing else
 */
export function removeServer(
  text: string,
  { key, name, entry }: ServerKey,
  made: Made,
): string | null | undefined {
  const root = rootOf(text);
  const servers = root === null ? null : memberOf(root, key);
  const inner = servers?.value.kind === 'object' ? servers.value : null;
  const at =
    inner?.members.findIndex((member) => member.key === name && isEntry(text, member, entry)) ?? -1;
  if (root === null || inner === null || at < 0) return undefined;
  const isAlone = inner.members.length === 1;
  if (made === 'file' && isAlone && root.members.length === 1) return null;
  if (made !== 'entry' && isAlone)
    return withoutChild(text, root, root.members.indexOf(servers!), 1);
  return withoutChild(text, inner, at, 2);
}

/** A hook of ours is known by the mark in its only command, wherever its context.md lies. */
function isEntry(text: string, { value: { start, end } }: JsonMember, entry: unknown): boolean {
  const plain = (value: unknown): string =>
    JSON.stringify(value).replace(/"cat [^"]* \|\| true # dripstone"/, '""');
  return plain(JSON.parse(text.slice(start, end))) === plain(entry);
}

/** Null when the text is not strict JSON with an object at its top. */
function rootOf(text: string): JsonNode | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return parseJson(text);
}
