/**
 * Reads objects of a git repository with the program itself, and runs nothing of the repository's: no hook, no filter, no
 * watcher, no transport, and no settings but its own file.
 */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { messageOf } from '../../errors.js';
import { UnreadableLog } from '../log-file.js';

/** One call may take so long and print so much. */
const MOST = { ms: 60_000, bytes: 512 * 1024 * 1024 };

const SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'protocol.allow=never'].flatMap((each) => ['-c', each]);

/** Where the program is looked for: the `PATH` of the person. */
export type SearchPath = string | undefined;

/**
 * What a command of git prints.
 * @param args starts with the name of a command that only reads; objects and refs come through `input`
 * @throws UnreadableLog with git's first word about it
 */
export function git(repository: string, args: readonly string[], input: string, path: SearchPath): Promise<Buffer> {
  const env = {
    ...(path === undefined ? {} : { PATH: path }),
    ...{ LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' },
    // A part of a clone that is not here would be fetched.
    ...{ GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none', GIT_OPTIONAL_LOCKS: '0', GIT_NO_REPLACE_OBJECTS: '1' },
    GIT_CEILING_DIRECTORIES: dirname(repository),
  };
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      ['-C', repository, '--no-pager', ...SETTINGS, ...args],
      { env, encoding: 'buffer', timeout: MOST.ms, killSignal: 'SIGKILL', maxBuffer: MOST.bytes, windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new UnreadableLog(reasonOf(error, stderr.toString('utf8')), { cause: error }));
      },
    );
    child.stdin!.on('error', () => {}); // it ended before it read all: its exit tells why
    child.stdin!.end(input);
  });
}

function reasonOf(error: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (error.code === 'ENOENT') return 'checkpoints need git, which is not on PATH';
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'git tells more of it than can be read';
  if (error.killed === true) return 'git does not answer in time';
  return `git cannot read it: ${(stderr.trim() || messageOf(error)).split('\n')[0]!.slice(0, 200)}`;
}

export interface GitObject {
  id: string;
  type: string;
  bytes: Buffer;
}

/** Objects by name, in order; null for one that is not there. */
export async function readObjects(repository: string, names: readonly string[], path: SearchPath): Promise<(GitObject | null)[]> {
  if (names.length === 0) return [];
  const told = await git(repository, ['cat-file', '--batch'], names.map((name) => `${name}\n`).join(''), path);
  let at = 0;
  return names.map(() => {
    const end = told.indexOf(0x0a, at);
    const [id = '', type = '', size] = told.toString('latin1', at, end < 0 ? at : end).split(' ');
    at = end + 1;
    if (size === undefined) return null; // `<name> missing`
    const bytes = told.subarray(at, at + Number(size));
    at += Number(size) + 1;
    return { id, type, bytes };
  });
}

/** Sizes of objects by name, in order; null for one that is not there. */
export async function sizesOf(repository: string, names: readonly string[], path: SearchPath): Promise<(number | null)[]> {
  if (names.length === 0) return [];
  const told = await git(repository, ['cat-file', '--batch-check'], names.map((name) => `${name}\n`).join(''), path);
  const lines = told.toString('latin1').split('\n');
  return names.map((_, index) => {
    const size = lines[index]?.split(' ')[2];
    return size === undefined ? null : Number(size);
  });
}

/** An entry of a tree. */
interface TreeEntry {
  name: string;
  kind: 'folder' | 'file';
  id: string;
}

/** The folders and plain files of a tree; links and other repositories are left out. */
export function entriesOfTree({ id, bytes }: GitObject): TreeEntry[] {
  const hash = id.length / 2;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0) break;
    const mode = bytes.toString('latin1', at, space);
    const name = bytes.toString('utf8', space + 1, end);
    at = end + 1 + hash;
    const kind = mode === '40000' ? 'folder' : /^100/.test(mode) ? 'file' : null;
    if (kind !== null) entries.push({ name, kind, id: bytes.toString('hex', end + 1, at) });
  }
  return entries;
}
