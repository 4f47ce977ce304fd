/**
 * Joins folders into groups: first those that certainly belong together, then by paths of
 * worktrees. Pure; the order of folders does not matter.
 */
import { ancestorsOf, folderKey, homeOfPath, isHomeFolder, lastOf } from './folder-path.js';
import type { FolderFacts } from './folder-project.js';
import { remoteKey } from './remote.js';

/** Folders of one project. */
export interface Group {
  /** As given, sorted. */
  folders: string[];
  /** Comparable spellings of the folders. */
  keys: Set<string>;
  /** Comparable remotes; those from the disk come first. */
  remotes: string[];
  /** Name from the config, or null. */
  name: string | null;
  /** The folder that represents a group without a remote. */
  main: string;
  /** Name of the repository or folder. */
  title: string;
}

interface Grouping {
  home: string;
  nameOf(folder: string): string | null;
  /** Remotes that name the same repository. */
  sameRemote: string[][];
}

interface Member {
  facts: FolderFacts;
  key: string;
  name: string | null;
  /** The remote on the disk, else the one in most sessions. */
  remote: string | null;
  /** Comparable folder of its repository, or null. */
  repository: string | null;
  worktree: WorktreePath | null;
  /** A home or a root: many sessions start there by default, so it joins no folders. */
  isHome: boolean;
}

export function groupFolders(folders: readonly FolderFacts[], how: Grouping): Group[] {
  const home = folderKey(how.home);
  const seen = new Set(folders.map(({ folder }) => folderKey(folder)));
  const members = [...folders]
    .sort((a, b) => (a.folder < b.folder ? -1 : 1))
    .map((facts) => memberOf(facts, home, how, seen));
  const sets = createSets();
  for (const same of how.sameRemote)
    for (const remote of same)
      sets.join(`remote:${remoteKey(same[0]!)}`, `remote:${remoteKey(remote)}`);
  const repositories = new Set(members.flatMap((each) => each.repository ?? []));
  const isPlain = (key: string): boolean =>
    !isHomeFolder(key, home) || (key !== home && repositories.has(key));
  for (const member of members)
    for (const tie of sureTies(member, isPlain)) sets.join(`folder:${member.key}`, tie);
  joinVanished(members, sets);
  joinWorktrees(members, sets, home);
  return toGroups(members, sets);
}

function memberOf(
  facts: FolderFacts,
  home: string,
  how: Grouping,
  seen: ReadonlySet<string>,
): Member {
  const key = folderKey(facts.folder);
  const top = facts.top === null ? null : folderKey(facts.top);
  // A home folder under git (dotfiles) is no project of the folders below it.
  const isGit = top !== null && !(top !== key && isHomeFolder(top, home));
  // Another user's home that itself contains `.git` is an ordinary repository.
  const isHome = isHomeFolder(key, home) && (key === home || top !== key);
  const logged =
    Object.entries(facts.loggedRemotes).sort(
      ([a, x], [b, y]) => y - x || (a < b ? -1 : 1),
    )[0]?.[0] ?? null;
  return {
    facts,
    key,
    isHome,
    worktree: worktreeOf(key, home, seen),
    name: how.nameOf(facts.folder),
    remote: isGit ? (facts.remote ?? null) : isHome ? null : logged,
    repository: isGit && facts.commonDir !== null ? folderKey(facts.main ?? facts.commonDir) : null,
  };
}

/** Names, remotes and folders that certainly join a folder with others. */
function sureTies(member: Member, isPlain: (key: string) => boolean): string[] {
  const ties: string[] = [];
  if (member.name !== null) ties.push(`name:${member.name}`);
  if (member.remote !== null) ties.push(`remote:${remoteKey(member.remote)}`);
  if (member.repository !== null) ties.push(`folder:${member.repository}`);
  if (member.repository !== null || member.isHome) return ties;
  for (const origin of member.facts.belongsTo.map(folderKey))
    if (isPlain(origin)) ties.push(`folder:${origin}`);
  const inside = member.worktree?.repository ?? null;
  if (inside !== null && member.remote === null) ties.push(`folder:${inside}`);
  return ties;
}

/** A missing folder belongs to the folder above it that git or a log identifies. */
function joinVanished(members: readonly Member[], sets: Sets): void {
  const isIdentified = (each: Member) => each.remote !== null || each.repository !== null;
  const identified = new Set(
    members.filter((each) => isIdentified(each) && !each.isHome).map((each) => each.key),
  );
  for (const member of members) {
    if (member.facts.exists || isIdentified(member) || member.name !== null || member.isHome)
      continue;
    const above = ancestorsOf(member.key)
      .slice(1)
      .find((key) => identified.has(key));
    if (above !== undefined) sets.join(`folder:${member.key}`, `folder:${above}`);
  }
}

/**
 * Worktrees with the same last folder under one home are one project, together with the only other
 * folder of that name. If two projects have this name, only the worktrees are joined.
 */
function joinWorktrees(members: readonly Member[], sets: Sets, home: string): void {
  const families = new Map<string, { worktrees: Member[]; plain: Member[] }>();
  const plainNames = new Set(
    members
      .filter((each) => each.worktree === null)
      .map((each) => familyOf(each, lastOf(each.key), home)),
  );
  for (const member of members) {
    if (member.isHome || member.name !== null) continue;
    const { worktree } = member;
    const title =
      worktree === null
        ? lastOf(member.key)
        : (worktree.below.find((name) => plainNames.has(familyOf(member, name, home))) ??
          worktree.title);
    const family = familyOf(member, title, home);
    const entry = families.get(family) ?? { worktrees: [], plain: [] };
    (worktree === null ? entry.plain : entry.worktrees).push(member);
    families.set(family, entry);
  }
  for (const { worktrees, plain } of families.values()) {
    if (worktrees.length === 0) continue;
    const loose = worktrees.filter((each) => each.remote === null && each.repository === null);
    const firm = [...worktrees.filter((each) => !loose.includes(each)), ...plain];
    const roots = new Set(firm.map((each) => sets.find(`folder:${each.key}`)));
    const free = loose.filter((each) => !roots.has(sets.find(`folder:${each.key}`)));
    const anchor = roots.size === 1 ? firm[0]! : free[0];
    if (anchor !== undefined)
      for (const each of free) sets.join(`folder:${each.key}`, `folder:${anchor.key}`);
  }
}

function familyOf(member: Member, name: string, home: string): string {
  const own =
    member.worktree !== null && TEMPORARY.test(member.key) ? home : homeOfPath(member.key, home);
  return `${own}\0${name}`;
}

function toGroups(members: readonly Member[], sets: Sets): Group[] {
  const byRoot = new Map<string, Member[]>();
  for (const member of members) {
    const root = sets.find(`folder:${member.key}`);
    byRoot.set(root, [...(byRoot.get(root) ?? []), member]);
  }
  return [...byRoot.values()]
    .map(describe)
    .sort((a, b) => (a.main < b.main ? -1 : a.main > b.main ? 1 : 0));
}

function describe(members: Member[]): Group {
  const remotes = (from: Member[]) =>
    [
      ...new Set(from.flatMap((each) => (each.remote === null ? [] : [remoteKey(each.remote)]))),
    ].sort();
  const onDisk = members.filter((each) => each.repository !== null);
  const all = [...new Set([...remotes(onDisk), ...remotes(members)])];
  const spelled =
    members.find((each) => each.remote !== null && remoteKey(each.remote) === all[0])?.remote ??
    null;
  const main = mainOf(members);
  return {
    folders: members.map((each) => each.facts.folder),
    keys: new Set(members.map((each) => each.key)),
    remotes: all,
    name:
      members
        .map((each) => each.name)
        .filter((name) => name !== null)
        .sort()[0] ?? null,
    main,
    title:
      spelled !== null
        ? lastOf(spelled)
        : (members.find((each) => each.key === main)?.worktree?.title ?? lastOf(main)),
  };
}

/** The repository's own folder, else the shortest folder that is not a worktree. */
function mainOf(members: Member[]): string {
  const repositories = members.flatMap((each) => each.repository ?? []).sort();
  const rank = (each: Member) => (each.worktree === null ? 0 : 1);
  const [first] = [...members].sort(
    (a, b) => rank(a) - rank(b) || a.key.length - b.key.length || (a.key < b.key ? -1 : 1),
  );
  return repositories[0] ?? first!.key;
}

interface Sets {
  find(item: string): string;
  join(a: string, b: string): void;
}

/**
 * Disjoint sets (union-find). The smallest item represents its set, whatever the order of joins.
 */
function createSets(): Sets {
  const parent = new Map<string, string>();
  const find = (item: string): string => {
    let root = item;
    for (let up = parent.get(root); up !== undefined && up !== root; up = parent.get(root))
      root = up;
    for (let at = item; at !== root;) {
      const up = parent.get(at)!;
      parent.set(at, root);
      at = up;
    }
    return root;
  };
  return {
    find,
    join(a, b) {
      const [x, y] = [find(a), find(b)];
      if (x === y) return;
      if (x < y) parent.set(y, x);
      else parent.set(x, y);
    },
  };
}

// The repository of a removed worktree, from its path. Pure.

interface WorktreePath {
  /** The repository, if the path contains it. */
  repository: string | null;
  /** Name of the repository, if the path shows it. */
  title: string;
  /** Folders below the folder of worktrees; one of them may be the repository's name. */
  below: string[];
}

/** Folders of worktrees: `worktrees`, or `shop.worktrees` beside `shop`. */
const WORKTREES = /^(?:\.?(?:worktrees?|trees)|(?<beside>.+)(?<mark>[._-])worktrees?)$/i;
/** Folders of agents: their parent is a repository or the home. */
const AGENT_FOLDER = /^\.[a-z]+$/i;
const RANDOM = /^(?=.*\d)[0-9a-f]{4,}$/i;
/** A worktree in a temporary folder belongs to a repository of the person. */
const TEMPORARY = /^(?:\/private)?\/(?:tmp|var\/folders|var\/tmp)\//;

/**
 * `<repo>/.claude/worktrees/x`, `<repo>/.worktrees/any/branch` -> the repository before the folder
 * of worktrees; `<repo>.worktrees/x` -> the repository beside it, `<repo>-worktrees/x` too if a
 * session worked in it; `~/.codex/worktrees/0a6e/shop`, `~/src/worktrees/shop/x/shop`,
 * `~/.claude-worktrees/shop/x` -> only a name. Null for any other path.
 * @param key a folder key
 * @param home the person's home as a key
 * @param seen keys of the folders in which sessions worked
 */
export function worktreeOf(
  key: string,
  home: string,
  seen: ReadonlySet<string> = new Set(),
): WorktreePath | null {
  const isTop = (folder: string): boolean => folder === '' || isHomeFolder(folder, home);
  const parts = key.split('/');
  const found = parts.findIndex(
    (part, at) =>
      at > 0 &&
      at < parts.length - 1 &&
      (WORKTREES.test(part) || (part === 'workspaces' && parts[at - 1] === 'conductor')),
  );
  if (found < 0) return null;
  const below = parts.slice(found + 1);
  const above = parts.slice(0, found).join('/');
  const { beside, mark } = WORKTREES.exec(parts[found]!)?.groups ?? {};
  const repository = beside?.startsWith('.') === false ? `${above}/${beside}` : null;
  if (repository !== null && (mark === '.' || seen.has(repository)))
    return { repository, title: beside!, below };
  const isByProgram = parts[found] === 'workspaces' || (beside !== undefined && isTop(above));
  if (isByProgram) return below.length < 2 ? null : { repository: null, title: below[0]!, below };
  if (repository !== null) return null;
  const holder = parts[found - 1]!;
  const inAgentFolder = AGENT_FOLDER.test(holder);
  const before = parts.slice(0, inAgentFolder ? found - 1 : found).join('/');
  const isHidden = inAgentFolder || parts[found]!.startsWith('.');
  if (isHidden && !isTop(before)) return { repository: before, title: lastOf(before), below };
  return { repository: null, title: titleOf(below), below };
}

/**
 * The repository's name: `0a6e/shop` -> shop; `shop/x8` and `shop/kind-canyon/shop/src` -> shop; a
 * single folder gives its own name.
 */
function titleOf(below: string[]): string {
  const [first, second] = below;
  if (second === undefined) return first!;
  return RANDOM.test(first!)
    ? second
    : below.lastIndexOf(first!) > 0 || RANDOM.test(second)
      ? first!
      : below[below.length - 1]!;
}
