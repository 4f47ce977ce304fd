/** What the path of a worktree tells when nothing else is left of it. Pure. */
import { lastOf } from './folder-path.js';

export interface WorktreePath {
  /** The repository that it lies in, when the path says so. */
  repository: string | null;
  /** Name of the repository, as far as the path tells. */
  title: string;
  /** Folders below the shelf; one of them may be the repository's name. */
  below: string[];
}

/** Folder names under which agents and people keep worktrees. */
const SHELF = /^(?:\.?worktrees?|\.?trees)$/i;
/** Folders of agents: what stands before them is a repository, or the home. */
const AGENT_FOLDER = /^\.[a-z]+$/i;
const RANDOM = /^(?=.*\d)[0-9a-f]{4,}$/i;

/**
 * `<repo>/.claude/worktrees/x`, `<repo>/.worktrees/any/branch` -> the repository before the shelf;
 * `~/.codex/worktrees/0a6e/shop`, `~/src/worktrees/shop/x/shop` -> only a name. Null for any other path.
 * @param key a folder key
 * @param home the person's home as a key
 */
export const worktreeOf = (key: string, home: string): WorktreePath | null => {
  const parts = key.split('/');
  const shelf = parts.findIndex((part, at) => at > 0 && at < parts.length - 1 && SHELF.test(part));
  if (shelf < 0) return null;
  const below = parts.slice(shelf + 1);
  const holder = parts[shelf - 1]!;
  const inAgentFolder = AGENT_FOLDER.test(holder);
  const before = parts.slice(0, inAgentFolder ? shelf - 1 : shelf).join('/');
  const isHidden = inAgentFolder || parts[shelf]!.startsWith('.');
  if (isHidden && before !== home && !isHomeLike(before)) return { repository: before, title: lastOf(before), below };
  return { repository: null, title: titleOf(below), below };
};

/** `0a6e/shop` -> shop; `shop/x8` and `shop/kind-canyon/shop/src` -> shop; a single folder is its own name. */
const titleOf = (below: string[]): string => {
  const [first, second] = below;
  if (second === undefined) return first!;
  return RANDOM.test(first!) ? second : below.lastIndexOf(first!) > 0 || RANDOM.test(second) ? first! : below[below.length - 1]!;
};

const isHomeLike = (key: string): boolean =>
  key === '' || /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|[a-z]:\/users\/[^/]+)$/.test(key);
