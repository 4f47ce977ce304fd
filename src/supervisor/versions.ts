/**
 * Copies of the program, one folder per installed version: a service must survive the removal of
 * its checkout or npx cache, and a build must not overwrite a running program.
 */
import { createHash } from 'node:crypto';
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
} from 'node:fs';
import { rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export interface Version {
  /** Version of the package, and eight hex digits of a hash of its files. */
  id: string;
  /** Version of the store that the program writes. */
  store: number;
  cli: string;
}

/** Parts of a package; a checkout has them too. */
const PARTS = 'package.json LICENSE dist config models src/facts test/samples/home'.split(' ');
/** Written last: a folder without it is an incomplete copy. */
const MARK = 'installed.json';
const CURRENT = 'current.json';

/** Where programs keep a person's data on this system. */
export function programFolder(
  platform: string,
  userHome: string,
  env: Record<string, string | undefined>,
): string {
  // Only an earlier version installed on Windows.
  if (platform === 'win32')
    return join(env['LOCALAPPDATA'] || join(userHome, 'AppData/Local'), 'dripstone/program');
  if (platform === 'darwin') return join(userHome, 'Library/Application Support/dripstone/program');
  return join(env['XDG_DATA_HOME'] || join(userHome, '.local/share'), 'dripstone/program');
}

/**
 * Copies the program in `root` and the packages that it needs, unless this version is copied
 * already.
 * @param root the folder of its package.json
 */
export function copyVersion(root: string, folder: string, store: number): Version {
  const packages = packagesOf(root);
  const id = idOf(root, packages);
  const to = join(folder, id);
  const version = { id, store, cli: join(to, 'dist/cli.js') };
  if (existsSync(join(to, MARK))) return version;
  const half = join(folder, `.${id}.tmp`);
  rmSync(half, { recursive: true, force: true });
  for (const part of PARTS.filter((each) => existsSync(join(root, each))))
    copy(join(root, part), join(half, part));
  for (const [name, from] of packages) copy(from, join(half, 'node_modules', name));
  writeFileSync(join(half, MARK), `${JSON.stringify({ version: 1, id, store })}\n`);
  rmSync(to, { recursive: true, force: true });
  renameSync(half, to);
  return version;
}

/** Shares blocks if the file system can. Never links, because a build overwrites its files. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => isShipped(path) && relative(from, path) !== 'node_modules',
  });
}

/** The packages that a program needs, directly or not, by name; resolved as Node does. */
function packagesOf(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (folder: string): void => {
    const says = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string> | undefined
    >;
    for (const name of Object.keys({ ...says['dependencies'], ...says['optionalDependencies'] })) {
      const path = findPackage(name, folder);
      // Missing optional packages are for other platforms.
      if (path === null || found.has(name)) continue;
      found.set(name, path);
      visit(path);
    }
  };
  visit(realpathSync(root));
  return found;
}

function findPackage(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) return realpathSync(path);
    if (dirname(folder) === folder) return null;
  }
}

/** Hashes our own files by content, large ones by size, and packages by version. */
function idOf(root: string, packages: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const part of PARTS) {
    for (const path of filesBelow(join(root, part))) {
      const { size } = statSync(path);
      hash.update(`${relative(root, path)}\0${size}\0`);
      if (size < BIG_BYTES) hash.update(readFileSync(path));
    }
  }
  const versionIn = (folder: string): string =>
    (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
  for (const [name, folder] of [...packages].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${name}@${versionIn(folder)}\0`);
  return `${versionIn(root)}-${hash.digest('hex').slice(0, 8)}`;
}

const BIG_BYTES = 8 * 1024 * 1024;

/** A checkout has sources beside the queries; they are not shipped. */
function isShipped(path: string): boolean {
  return !/\.(?:map|tsx?)$/.test(path);
}

function filesBelow(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
    .filter((file) => isShipped(file) && !file.endsWith('.stamp'));
}

/** The package's version in the id of an installed version. */
export function versionIn(id: string): string {
  return id.replace(/-[0-9a-f]{8}$/, '');
}

/** The version that the service last ran, or null. */
export function currentVersion(folder: string): Version | null {
  try {
    const { id } = JSON.parse(readFileSync(join(folder, CURRENT), 'utf8')) as { id: string };
    const { store } = JSON.parse(readFileSync(join(folder, id, MARK), 'utf8')) as { store: number };
    return { id, store, cli: join(folder, id, 'dist/cli.js') };
  } catch {
    return null;
  }
}

/** Records the version that the service runs, and removes all others. */
export function keepVersion(folder: string, { id }: Version): void {
  writeFileSync(join(folder, CURRENT), `${JSON.stringify({ version: 1, id })}\n`);
  for (const name of readdirSync(folder).filter((each) => each !== CURRENT && each !== id))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** Removes every version. @returns whether there was one */
export function removeProgram(folder: string, userHome: string): boolean {
  if (!existsSync(folder)) return false;
  rmSync(folder, { recursive: true, force: true });
  removeEmptyAbove(folder, userHome);
  return true;
}

/** Removes empty folders that were made for a file of ours; the home itself stays. */
export function removeEmptyAbove(path: string, userHome: string): void {
  try {
    for (let above = dirname(path); above.startsWith(join(userHome, sep)); above = dirname(above))
      rmdirSync(above);
  } catch {
    // The folder contains something else.
  }
}
