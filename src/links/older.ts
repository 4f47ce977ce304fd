/**
 * Removes lines that an earlier version of `link` added to a repository's `info/exclude`
 * (gitignore(5)).
 */
import { join, dirname } from 'node:path';
import { lookAtFolder } from '../projects/folder-project.js';
import {
  type Change,
  lookIfFit,
  changeAll,
  removeEmpty,
  lookAtOther,
  type OtherFile,
  utf8Of,
} from './files.js';
import { lstatSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { COPY } from './line.js';
import { parse } from 'jsonc-parser';
import { AppError } from '../errors.js';
import type { LinkAgent } from './agents.js';
import { memberOf, parseJson, withoutChild, type JsonMember } from './json-text.js';
import { lookInside, type PlannedLine } from './plan.js';

/**
 * The text without our patterns and their comments. If our last pattern has no newline, the text
 * had none before. Pure.
 */
function withoutPatterns(text: string): string {
  return text
    .replace(/(?<=^|\n)# dripstone\n\/[^\n]*\n/g, '')
    .replace(/(?:^|\n)# dripstone\n\/[^\n]*$/, '');
}

/** The change of a repository's `info/exclude`; null if it has no line of ours. */
export function planExcludeOut(repo: string): Change | null {
  const { commonDir } = lookAtFolder(repo);
  const file = commonDir === null ? null : lookIfFit(join(commonDir, 'info/exclude'));
  const before = file?.bytes?.toString('latin1') ?? '';
  const after = withoutPatterns(before);
  if (file === null || after === before) return null;
  return { file, after: after === '' ? null : Buffer.from(after, 'latin1') };
}

// Removes the skill that an earlier version wrote into the agents' folders for personal skills.

const SKILL_PLACES = ['.claude/skills', '.agents/skills'];
const SKILL = 'dripstone-tidy';

/**
 * Removes the skill, even if a person or another version changed it. @returns its files
 * @param onlyShow returns the files without removing them
 */
export function removeSkills(home: string, onlyShow = false): string[] {
  const files = SKILL_PLACES.flatMap((place) => {
    const file = lookIfFit(join(home, place, SKILL, 'SKILL.md'));
    const isOurs = file?.bytes?.toString('utf8').startsWith(`---\nname: ${SKILL}\n`) === true;
    return file !== null && isOurs ? [file] : [];
  });
  const paths = files.map(({ path }) => path);
  if (onlyShow) return paths;
  changeAll(files.map((file) => ({ file, after: null })));
  removeEmpty(paths.map((path) => dirname(path)));
  return paths;
}

// The folder `.dripstone/` that an earlier version made in a repository: a copy of context.md,
// kept out of git by its own .gitignore.

const IGNORE = '*\n';

/** Removes the copy; a folder with other files stays. */
export function removeCopy(repo: string): boolean {
  const path = join(repo, COPY);
  const folder = dirname(path);
  const rule = join(folder, '.gitignore');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true || !isOwnRule(rule))
    return false;
  rmSync(path, { force: true });
  rmSync(rule, { force: true });
  removeEmpty([folder]);
  return true;
}

/** Whether this is a plain file with our text; a link is never ours. */
function isOwnRule(rule: string): boolean {
  return (
    lstatSync(rule, { throwIfNoEntry: false })?.isFile() === true &&
    readFileSync(rule, 'utf8') === IGNORE
  );
}

// Removes settings that earlier versions added in a repository (`link --mcp`, `link --hook`), as
// text, so that other keys, their order and the file's layout stay.

const NAME = 'dripstone';
export const ENTRY = { command: 'dripstone', args: ['mcp'] };

interface ServerPlace {
  agent: LinkAgent;
  title: string;
  /** Relative to the repository. */
  file: string;
  /** Key of the object that contains the entry. */
  key: string;
  /** Name of the entry in that object. */
  name: string;
  entry: unknown;
}

const SERVER = { key: 'mcpServers', name: NAME, entry: ENTRY };
const HOOK = { type: 'command', command: "cat '' 2>/dev/null || true # dripstone" };

const PLACES: readonly ServerPlace[] = [
  { agent: 'claude-code', title: 'Claude Code', file: '.mcp.json', ...SERVER },
  { agent: 'gemini-cli', title: 'Gemini CLI', file: '.gemini/settings.json', ...SERVER },
  { agent: 'cursor', title: 'Cursor', file: '.cursor/mcp.json', ...SERVER },
  {
    ...{ agent: 'copilot', title: 'VS Code', file: '.vscode/mcp.json' },
    ...{ key: 'servers', name: NAME, entry: { type: 'stdio', ...ENTRY } },
  },
  {
    ...{ agent: 'claude-code', title: 'Claude Code', file: '.claude/settings.local.json' },
    ...{ key: 'hooks', name: 'SessionStart', entry: [{ hooks: [HOOK] }] },
  },
];

/** What was made around the entry; unlinking removes exactly this. */
type Made = 'entry' | 'servers' | 'file';

interface ServerPlan {
  lines: PlannedLine[];
  changes: Change[];
}

/**
 * Plans unlinking: removes our entries from every file that may have one.
 * @param known entries of the registry for this repository
 */
export function planServersOut(
  repo: string,
  known: readonly { path: string; made: Made }[],
): ServerPlan {
  const plan: ServerPlan = { lines: [], changes: [] };
  for (const place of PLACES) {
    const path = join(repo, ...place.file.split('/'));
    const file = lookSafely(path, repo);
    const text = file === null ? null : utf8Of(file);
    const made = known.find((each) => each.path === path)?.made ?? 'entry';
    const after = text === null || text === undefined ? undefined : removeServer(text, place, made);
    if (file === null || after === undefined) continue;
    const { agent, title, name, entry } = place;
    const line = `${JSON.stringify(name)}: ${JSON.stringify(entry)}`;
    plan.lines.push({ agent, title, path, line, change: 'removed', committed: false, note: null });
    plan.changes.push({ file, after: after === null ? null : Buffer.from(after, 'utf8') });
  }
  return plan;
}

/** Null for a file that must not be changed. */
function lookSafely(path: string, repo: string): OtherFile | null {
  try {
    return existsSync(repo) ? lookInside(path, repo) : lookAtOther(path);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Pure. @returns undefined if there is no entry of ours, null if we made the file and it has
 * nothing else
 */
function removeServer(
  text: string,
  { key, name, entry }: Pick<ServerPlace, 'key' | 'name' | 'entry'>,
  made: Made,
): string | null | undefined {
  const root = parseJson(text);
  const servers = root === null ? null : memberOf(root, key);
  const inner = servers?.value.kind === 'object' ? servers.value : null;
  const own = inner === null ? null : memberOf(inner, name);
  if (root === null || inner === null || own == null || !isEntry(text, own, entry))
    return undefined;
  const isAlone = inner.members.length === 1;
  if (made === 'file' && isAlone && root.members.length === 1) return null;
  if (made !== 'entry' && isAlone)
    return withoutChild(text, root, root.members.indexOf(servers!), 1);
  return withoutChild(text, inner, inner.members.indexOf(own), 2);
}

/** The mark in its only command shows that a hook is ours, with any path of context.md. */
function isEntry(text: string, { value: { start, end } }: JsonMember, entry: unknown): boolean {
  const found = parse(text.slice(start, end)) as unknown;
  return JSON.stringify(found).replace(/"cat [^"]* 2>/, `"cat '' 2>`) === JSON.stringify(entry);
}
