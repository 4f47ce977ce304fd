/**
 * Finds names that a tree no longer has, and the commit that removed them. Reads small files and
 * limits the calls of git.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { NamedInTree } from '../context/index.js';
import { manifestScripts } from './manifests.js';
import { readSmall } from './small-file.js';

const READ_CAP = 256 * 1024;
/** Most git calls for one page, and the time limit of each. */
const MOST_ASKED = 12;
const MOST_MS = 1000;

/** A missing name that a line contains. */
export interface Gone {
  name: string;
  /** Short hash and day of the commit that removed it; null if git finds none. */
  commit: string | null;
}

/**
 * A line's names, the day from which they are known, and whether a run proved that they existed.
 */
export interface Looked {
  id: string;
  names: readonly NamedInTree[];
  since: string;
  proven: boolean;
}

/**
 * Finds the lines with a name that the tree no longer has. A name counts as gone only if a run
 * proved that it existed, or git removed it since. Files that git ignores do not count, because a
 * build may make them again.
 * @param edited files that sessions changed, so they existed
 */
export async function findGone(
  folders: readonly string[],
  lines: readonly Looked[],
  edited: ReadonlySet<string>,
  searchPath: string | undefined,
): Promise<Map<string, Gone>> {
  const tops = topsOf(folders);
  const missing: { line: Looked; named: NamedInTree }[] = [];
  for (const [at, line] of (tops.length === 0 ? [] : lines).entries()) {
    // Thousands of file checks in a row would block other work of this thread.
    if (at % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
    const named = line.names.find((each) => isMissing(tops, each));
    if (named !== undefined) missing.push({ line, named });
  }
  const repository = tops.find((folder) => existsSync(join(folder, '.git'))) ?? null;
  const ask = asker(repository, searchPath);
  const found = new Map<string, Gone>();
  for (const { line, named } of missing) {
    const wasThere = named.kind !== 'flag' && (line.proven || edited.has(named.path));
    if (named.kind === 'file' && (await ask(['check-ignore', named.path])) !== '') continue;
    const commit = (await ask(removal(named, line.since)))?.split('\n')[0] || null;
    if (wasThere || commit !== null) found.set(line.id, { name: named.name, commit });
  }
  return found;
}

function topsOf(folders: readonly string[]): string[] {
  return folders.filter((folder) => isAbsolute(folder) && existsSync(folder));
}

/** Whether the tree lacks a name in these lines. */
export function lacksAny(folders: readonly string[], lines: readonly Looked[]): boolean {
  const tops = lines.length === 0 ? [] : topsOf(folders);
  return tops.length > 0 && lines.some(({ names }) => names.some((each) => isMissing(tops, each)));
}

function isMissing(tops: readonly string[], { kind, name, path, manifests }: NamedInTree): boolean {
  if (kind === 'file') return !tops.some((top) => existsSync(join(top, path)));
  if (kind === 'script') {
    const texts = tops.flatMap((top) =>
      manifests.flatMap((file) => readSmall(join(top, path, file), READ_CAP) ?? []),
    );
    // An included file may define the name, and it is not read.
    if (texts.length === 0 || texts.some((text) => /^(?:-?include|import|mod)\b|^%/m.test(text)))
      return false;
    return !tops.some((top) => manifestScripts([join(top, path)]).has(`run ${name}`));
  }
  const texts = tops.flatMap((top) => readSmall(join(top, path), READ_CAP) ?? []);
  return texts.length > 0 && !texts.some((text) => text.includes(name.replace(/^--/, '')));
}

/** Arguments for git: the newest commit since that day that removed the file, script or flag. */
function removal({ kind, name, path, manifests }: NamedInTree, since: string): string[] {
  const log = ['log', '-1', '--no-renames', '--format=%h, %cs', `--since=${since}T00:00:00Z`];
  if (kind === 'file') return [...log, '--diff-filter=D', '--', path];
  return kind === 'flag'
    ? [...log, `-S${name}`, '--', path]
    : [...log, `-S${name}`, '--', ...manifests.map((file) => join(path, file))];
}

/** Runs git without the repository's hooks, network or locks; null if it fails or is too slow. */
function asker(
  repository: string | null,
  searchPath: string | undefined,
): (args: readonly string[]) => Promise<string | null> {
  let left = MOST_ASKED;
  if (repository === null) return () => Promise.resolve('');
  const env = {
    ...(searchPath === undefined ? {} : { PATH: searchPath }),
    ...{
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
    },
    ...{ GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none', GIT_OPTIONAL_LOCKS: '0' },
    GIT_CEILING_DIRECTORIES: dirname(repository),
  };
  const settings = [
    '-c',
    'core.fsmonitor=false',
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'diff.external=',
  ];
  return (args) =>
    left-- <= 0
      ? Promise.resolve(null)
      : new Promise((resolve) => {
          execFile(
            'git',
            ['-C', repository, '--no-pager', ...settings, ...args],
            {
              env,
              timeout: MOST_MS,
              killSignal: 'SIGKILL',
              maxBuffer: READ_CAP,
              windowsHide: true,
            },
            (error, stdout) =>
              resolve(error === null ? stdout.trim() : error.code === 1 ? '' : null),
          );
        });
}
