/**
 * A person's machine in a temporary folder: a home with logs, and the compiled program as its own
 * process.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/clock.js';
import { main } from '../../src/commands/main.js';
import { openStore, type Db } from '../../src/store/index.js';
import { threads } from '../threads.js';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface Said {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
  json<T = Record<string, unknown>>(): T;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Said>;
}

interface StartOptions {
  /** No file may grow beyond it: every further write fails in the kernel. */
  limitKb?: number;
  /** Root, too, is stopped by the modes of files, as every other user is. */
  obeysModes?: true;
  umask?: string;
  /** Arguments of strace: what it records, and which system calls it lets fail. */
  trace?: string[];
  /** A script that every thread of the program loads first. */
  preload?: string;
}

export interface Person {
  root: string;
  home: string;
  stone: string;
  env: Record<string, string>;
  /** The program as its own process. */
  start(args: string[], options?: StartOptions): Running;
  run(...args: string[]): Promise<Said>;
  /** The same inside this process: no second to start up. */
  type(...args: string[]): Promise<Said>;
  put(path: string, content: string | Uint8Array): string;
  /** Reads the store as a person would: its own connection, closed afterwards. */
  ask<T>(fn: (db: Db) => Promise<T>): Promise<T>;
  /** Every path below `stone`, temporary ones included. */
  files(below?: string): string[];
  remove(): void;
}

function said(code: number | null, signal: NodeJS.Signals | null, out: string, err: string): Said {
  return { code, signal, out, err, json: <T>() => JSON.parse(out) as T };
}

function commandOf(
  args: string[],
  { limitKb, obeysModes, umask, trace, preload }: StartOptions,
): [string, string[]] {
  const loading = preload === undefined ? [] : ['--import', preload];
  const node = [
    ...(trace === undefined ? [] : ['strace', '-f', '-y', '-qq', '--seccomp-bpf', ...trace]),
    process.execPath,
    ...loading,
    CLI,
    ...args,
  ];
  // Not as another user: the checkout may lie below a folder of mode 0700, such as `mktemp -d`
  // makes.
  const stopped = '-dac_override,-dac_read_search';
  const user =
    obeysModes && process.getuid?.() === 0
      ? ['setpriv', `--bounding-set=${stopped}`, `--inh-caps=${stopped}`, ...node]
      : node;
  const before = [
    ...(limitKb === undefined ? [] : [`ulimit -f ${limitKb}`]),
    ...(umask === undefined ? [] : [`umask ${umask}`]),
  ];
  return before.length === 0
    ? [user[0]!, user.slice(1)]
    : ['bash', ['-c', `${before.join('; ')}; exec "$@"`, 'bash', ...user]];
}

export function walk(folder: string): string[] {
  return (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []).flatMap((each) =>
    each.isDirectory() ? walk(join(folder, each.name)) : [join(folder, each.name)],
  );
}

/** Words alone are enough here: the model has tests of its own. */
const CONFIG = 'embed: {enabled: false}\n';

/** @param stoneUnder where our own home is made; another volume for a full disk */
export function makePerson({ stoneUnder = '', config = '' } = {}): Person {
  const root = mkdtempSync(join(tmpdir(), 'dripstone-fault-'));
  const [home, stone] = [join(root, 'home'), join(stoneUnder === '' ? root : stoneUnder, 'stone')];
  mkdirSync(home);
  mkdirSync(stone, { mode: 0o700 });
  writeFileSync(join(stone, 'config.yaml'), CONFIG + config, { mode: 0o600 });
  const children = new Set<ChildProcess>();
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, DRIPSTONE_HOME: stone };
  const person: Person = {
    root,
    home,
    stone,
    env,
    start(args, options = {}) {
      const [file, rest] = commandOf(args, options);
      const child = spawn(file, rest, { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
      children.add(child);
      child.on('close', () => children.delete(child));
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
      return {
        child,
        ended: new Promise((resolve) =>
          child.on('close', (code, signal) => resolve(said(code, signal, out, err))),
        ),
      };
    },
    run: (...args) => person.start(args).ended,
    async type(...args) {
      let [out, err] = ['', ''];
      const code = await main(args, {
        env,
        cwd: home,
        clock: systemClock,
        signal: new AbortController().signal,
        terminal: false,
        caller: () => ({ kind: 'person' }),
        ...threads,
        out: (text) => void (out += text),
        err: (text) => void (err += text),
        lines: async function* () {},
      });
      return said(code, null, out, err);
    },
    put(path, content) {
      const file = join(home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    async ask(fn) {
      const store = openStore({
        path: join(stone, 'memory.duckdb'),
        clock: systemClock,
        lockWaitMs: 5000,
        readOnly: true,
      });
      try {
        return await store.read(fn);
      } finally {
        await store.close();
      }
    },
    files: (below = '') => walk(join(stone, below)),
    remove() {
      for (const child of children) child.kill('SIGKILL');
      rmSync(root, { recursive: true, force: true });
    },
  };
  return person;
}

/** Text -> how often it is stored. */
export async function storedTexts(person: Person): Promise<Map<string, number>> {
  const rows = await person.ask((db) =>
    db.all<{ text: string; n: number }>('SELECT text, count(*) AS n FROM entries GROUP BY text'),
  );
  return new Map(rows.map(({ text, n }) => [text, n]));
}

export interface Difference {
  lost: string[];
  doubled: string[];
  /** Stored, and never written. */
  extra: string[];
}

/** @param gone texts that may be missing */
export function compare(
  written: ReadonlyMap<string, number>,
  stored: ReadonlyMap<string, number>,
  gone: ReadonlySet<string> = new Set(),
): Difference {
  return {
    lost: [...written]
      .filter(([text, n]) => !gone.has(text) && (stored.get(text) ?? 0) < n)
      .map(([text]) => text),
    doubled: [...stored]
      .filter(([text, n]) => written.has(text) && n > written.get(text)!)
      .map(([text]) => text),
    extra: [...stored.keys()].filter((text) => !written.has(text)),
  };
}

export const NOTHING: Difference = { lost: [], doubled: [], extra: [] };

export function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : -1;
}
