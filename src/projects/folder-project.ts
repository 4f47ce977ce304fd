/**
 * Facts about a folder from its files, without running git or writing. Collected early, because
 * worktrees are removed.
 */
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { normaliseRemote } from './remote.js';
import { linesOf, readSmall } from './small-file.js';

/** Facts of one working folder, from the disk and from the logs. */
export interface FolderFacts {
  /** The path in the log. */
  folder: string;
  exists: boolean;
  /** Folder that has `.git`, or null. */
  top: string | null;
  /** The repository's own folder, shared by its worktrees. */
  commonDir: string | null;
  /** The repository's first worktree; null for a bare one. */
  main: string | null;
  /** Normalised remote, or null. */
  remote: string | null;
  /** Normalised remotes in logs about the folder, with the number of sessions. */
  loggedRemotes: Record<string, number>;
  /**
   * Folders that logs name as this worktree's origin, or where a session started before it moved
   * here. Also the folder's real path, if the log names it through a link.
   */
  belongsTo: string[];
}

/** A larger file is no file of git. */
const READ_CAP = 256 * 1024;

/** Facts of a folder, absolute on this system. An inaccessible folder counts as missing. */
export function lookAtFolder(folder: string): FolderFacts {
  const facts: FolderFacts = {
    folder,
    exists: false,
    top: null,
    commonDir: null,
    main: null,
    remote: null,
    loggedRemotes: {},
    belongsTo: [],
  };
  if (!isAbsolute(folder) || /^[\\/]{2}/.test(folder) || !isFolder(folder)) return facts; // `//host/…` would access the network
  facts.exists = true;
  const real = realOf(folder);
  if (real !== resolve(folder)) facts.belongsTo = [real];
  const top = topOf(folder);
  if (top === null) return facts;
  const found = commonDirOf(join(top, '.git'));
  if (found === null) return facts;
  const commonDir = realOf(found);
  const isBare = basename(commonDir) !== '.git';
  return {
    ...facts,
    top,
    commonDir,
    main: isBare ? (isSubmodule(commonDir) ? top : null) : dirname(commonDir),
    remote: remoteOf(commonDir),
  };
}

/** The repositories of this many folders are cached; the cache is emptied when full. */
const TOPS = 5_000;

/**
 * Finds the top of a folder's repository and caches it. A missing folder has the top of its nearest
 * existing parent.
 */
export function rememberTops(): (folder: string) => string | null {
  const tops = new Map<string, string | null>();
  const topOf = (folder: string): string | null => {
    const known = tops.get(folder);
    if (known !== undefined) return known;
    if (tops.size >= TOPS) tops.clear();
    const facts = lookAtFolder(folder);
    const top = facts.exists || dirname(folder) === folder ? facts.top : topOf(dirname(folder));
    tops.set(folder, top);
    return top;
  };
  return topOf;
}

/** Keeps earlier facts of a removed folder, and adds counts and origins from the logs. */
export function mergeFacts(known: FolderFacts | null, now: FolderFacts): FolderFacts {
  if (known === null) return now;
  const base =
    now.top === null && known.top !== null && !now.exists ? { ...known, exists: false } : now;
  const loggedRemotes = { ...known.loggedRemotes };
  for (const [remote, count] of Object.entries(now.loggedRemotes))
    loggedRemotes[remote] = Math.max(loggedRemotes[remote] ?? 0, count);
  return {
    ...base,
    loggedRemotes,
    belongsTo: [...new Set([...known.belongsTo, ...now.belongsTo])].sort(),
  };
}

/** Whether a path is a folder. Paths in logs may contain NUL, be too long or not accessible. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/** The path without links, with the upper and lower case of the disk. */
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

function topOf(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (kindOf(join(at, '.git')) !== null) return at;
    if (dirname(at) === at) return null;
  }
}

function kindOf(path: string): 'file' | 'folder' | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined
      ? null
      : stat.isDirectory()
        ? 'folder'
        : stat.isFile()
          ? 'file'
          : null;
  } catch {
    return null; // not readable counts as missing
  }
}

/**
 * Path of the repository: `.git` itself, or a file that names a worktree's folder; `commondir` in
 * that folder names the repository.
 */
function commonDirOf(dotGit: string): string | null {
  if (kindOf(dotGit) === 'folder') return kindOf(join(dotGit, 'HEAD')) === null ? null : dotGit;
  const line = linesOf(readSmall(dotGit, READ_CAP) ?? '').find((each) =>
    each.startsWith('gitdir:'),
  );
  const named = line?.slice('gitdir:'.length).trim() ?? '';
  if (named === '') return null;
  const gitDir = resolve(dirname(dotGit), named);
  const common = readSmall(join(gitDir, 'commondir'), READ_CAP)?.trim();
  if (common !== undefined && common !== '') return resolve(gitDir, common);
  // After `git worktree prune` the worktree's folder is missing, but its path still names the
  // repository.
  return (
    /^(.*\/\.git)\/worktrees\/[^/]+$/.exec(gitDir)?.[1] ??
    (kindOf(gitDir) === 'folder' ? gitDir : null)
  );
}

function isSubmodule(commonDir: string): boolean {
  return commonDir.includes('/.git/modules/');
}

/** `origin`, else the only remote. */
function remoteOf(commonDir: string): string | null {
  const remotes = new Map<string, string>();
  let section: string | null = null;
  for (const line of linesOf(readSmall(join(commonDir, 'config'), READ_CAP) ?? '').map((each) =>
    each.trim(),
  )) {
    const head = /^\[(.*)\]$/.exec(line);
    if (head) section = /^remote\s+"(.*)"$/.exec(head[1]!.trim())?.[1] ?? null;
    const url = section === null ? null : /^url\s*=\s*(.*)$/.exec(line)?.[1]!.replace(/^"|"$/g, '');
    if (url && section !== null && !remotes.has(section)) remotes.set(section, url);
  }
  const url = remotes.get('origin') ?? (remotes.size === 1 ? [...remotes.values()][0]! : null);
  return url === null ? null : normaliseRemote(url);
}
