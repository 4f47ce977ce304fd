/** Finds the folders with an agent's logs: from its places, the environment and the config. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { matchFolders } from '../projects/globs.js';
import { readSmall, readStart } from '../projects/small-file.js';
import type { Adapter, LogPlace } from '../types.js';
import { createIgnoredPath } from './ignore-rules.js';

export interface Surroundings {
  /** The person's home folder. */
  home: string;
  env: Record<string, string | undefined>;
  /** Additional roots by agent, from the config. */
  roots?: Record<string, string[]>;
  /** Globs from the config: folders below such roots that have this person's own logs. */
  mine?: readonly string[];
}

interface Root {
  path: string;
  /** The config or an agent's list of projects names it, so it may lie in a repository. */
  isNamed: boolean;
}

/**
 * Root folders of a place: the environment variable (a comma list) replaces the default, and the
 * config adds more; one `*` may end a folder's name.
 */
export function rootsOf(
  adapter: Pick<Adapter, 'agent'>,
  place: LogPlace,
  where: Surroundings,
): Root[] {
  const set = place.env === null ? undefined : where.env[place.env];
  const values = (set ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => join(part, place.below ?? ''));
  const own = place.named ? [] : values.length > 0 ? values : [place.root];
  const expand = (roots: readonly string[]) =>
    roots.map((root) => absoluteFrom(where.home, root)).flatMap(expandStar);
  const { list } = place;
  const known = new Set(list === undefined ? expand(own) : []);
  const listed =
    list === undefined
      ? []
      : expand(own).flatMap((root) => listedIn(join(root, list.file), list.field));
  const named = new Set(
    expand([...listed, ...(where.roots?.[adapter.agent] ?? [])]).filter((path) => !known.has(path)),
  );
  return [
    ...[...known].map((path) => ({ path, isNamed: false })),
    ...[...named].map((path) => ({ path, isNamed: true })),
  ];
}

/** The texts under `field` in a JSON file, at any depth; none if it cannot be read. */
function listedIn(file: string, field: string): string[] {
  const found: string[] = [];
  try {
    JSON.parse(readSmall(file, LIST_BYTES) ?? 'null', (key, value: unknown) => {
      if (key === field && typeof value === 'string' && value !== '') found.push(value);
      return value;
    });
  } catch {
    return [];
  }
  return found.slice(0, MOST_LISTED);
}

const LIST_BYTES = 1024 * 1024;
const MOST_LISTED = 1000;

/**
 * Whether another person may have written the logs in such a folder. A clone may contain logs,
 * unless git neither tracks nor would track them, and another user's home belongs to another
 * person.
 * @param isDoubtful another person may have written such logs in any folder
 */
export function isForeign(
  top: string,
  { home, mine = [] }: Surroundings,
  isDoubtful: boolean,
): boolean {
  if (matchFolders(mine, home)(top)) return false;
  if (isDoubtful) return true;
  const stat = statSync(top, { throwIfNoEntry: false });
  if (stat !== undefined && process.getuid !== undefined && stat.uid !== process.getuid())
    return true;
  for (let folder = top; ; folder = dirname(folder)) {
    if (statSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined)
      return !createIgnoredPath(() => folder)(join(top, 'log'), null) || mayBeTracked(folder, top);
    if (dirname(folder) === folder) return false;
  }
}

/** Largest index that is read: 64 MiB are half a million files. */
const INDEX_BYTES = 64 * 1024 * 1024;

/**
 * Whether a repository's index may name a file below a folder. Ignore rules do not exclude it,
 * since a file that was force-added is tracked in spite of them. In doubt the answer is yes: for a
 * worktree, and for an index with packed paths (version 4).
 */
function mayBeTracked(repository: string, folder: string): boolean {
  const path = join(repository, '.git', 'index');
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    return !statSync(join(repository, '.git')).isDirectory();
  const index = readStart(path, INDEX_BYTES + 1);
  if (index === null || index.length > INDEX_BYTES) return true;
  const version =
    index.length >= 12 && index.toString('latin1', 0, 4) === 'DIRC' ? index.readUInt32BE(4) : 0;
  const name = relative(repository, folder).split(sep).join('/');
  return (version !== 2 && version !== 3) || name === '' || index.includes(`${name}/`);
}

/** Expands a root that ends in a star to every matching folder; may be none. */
function expandStar(root: string): string[] {
  const star = /^(.*?)[\\/]([^\\/*]*)\*([\\/].*)?$/.exec(root);
  if (star === null) return [root];
  const [, parent, head, rest] = star as unknown as [string, string, string, string | undefined];
  try {
    return readdirSync(parent)
      .filter((name) => name.startsWith(head))
      .map((name) => join(parent, name, rest ?? ''));
  } catch {
    return [];
  }
}

/** A path of the config as an absolute path; resolves `~`. */
function absoluteFrom(home: string, path: string): string {
  const open = path === '~' || path.startsWith('~/') ? path.slice(2) : path;
  return isAbsolute(open) ? open : join(home, open);
}

/** Folders that exist on one system only, so that other systems do not report them as missing. */
const SYSTEMS: [RegExp, NodeJS.Platform][] = [
  [/^Library\//, 'darwin'],
  [/^AppData\//, 'win32'],
];

/** Whether a place below the home belongs to this system. */
export function isOfSystem(root: string, platform: NodeJS.Platform): boolean {
  return SYSTEMS.every(([pattern, system]) => !pattern.test(root) || system === platform);
}
