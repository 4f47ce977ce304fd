/**
 * What a folder's files say about it: starts no git and writes nothing. Collected early, because
 * worktrees vanish.
 */
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { normaliseRemote } from './remote.js';
import { linesOf, readSmall } from './small-file.js';

/** Facts of one working folder, from the disk and from the logs. */
export interface FolderFacts {
  /** As the log names it. */
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
  /** Remotes that logs named for it, normalised, with the number of sessions. */
  loggedRemotes: Record<string, number>;
  /**
   * Folders that logs name as the origin of this worktree, or in which a session started before it
   * moved here; and the folder itself by its real path, if the log names it through a link.
   */
  belongsTo: string[];
}

/** Files of git are small; a larger file is something else. */
const READ_CAP = 256 * 1024;

/**
 * Looks at a folder. An inaccessible folder counts as missing. `folder` must be absolute on this
 * system.
 */
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
 * The top of a folder's repository, looked up once. A missing folder gets that of its nearest
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

/**
 * Keeps earlier facts of a folder that has vanished since; adds up counts and origins from the
 * logs.
 */
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

/** Logs name folders that contain NUL, are 300 characters long, or are not accessible. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/** Without links, and in the case that the disk has. */
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
 * `.git` is the repository, or a file that names the worktree's part of it, whose `commondir` names
 * the repository.
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
  // `git worktree prune` removed the worktree's part; its path still names the repository.
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
