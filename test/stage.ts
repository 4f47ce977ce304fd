/**
 * A person's machine in a temporary folder: a home with logs, a clock that the test sets, commands
 * in this process or as the compiled program, the store, the daemon's app and the page's server.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createApp, type App } from '../src/app.js';
import { systemClock } from '../src/clock.js';
import { main } from '../src/commands/main.js';
import type { Io } from '../src/io.js';
import { openStore, type Db, type Store } from '../src/store/index.js';
import type { StoreOptions } from '../src/store/open-migrated.js';
import type { Caller, Clock } from '../src/types.js';
import { Tickets } from '../src/web/guard.js';
import { createServer } from '../src/web/server.js';
import { Session } from '../src/web/session.js';
import { atEnd, lastingFolder, put, testFolder, walk } from './folder.js';
import { claudeLog, type Turn } from './jobs/made-log.js';
import { threads } from './threads.js';

export const samples = fileURLToPath(new URL('./samples/home', import.meta.url));
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

// Commands

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

export interface Stage {
  root: string;
  home: string;
  stone: string;
  /** What the clock says; move it freely. */
  now: Date;
  cwd: string;
  /** Lines that `search -` reads. */
  stdin: string[];
  stop: AbortController;
  /** Whose hand types. */
  caller: Caller;
  /** How long a command waits for a database that another process holds; as usual when absent. */
  lockWaitMs?: number;
  io(): Io;
  /** A command in this process. */
  type(...argv: string[]): Promise<Said>;
  /** The same at another terminal, with more in its environment. */
  typeAs(argv: readonly string[], more: Partial<Io>): Promise<Said>;
  /** The compiled program as its own process, in real time. */
  start(argv: string[], options?: StartOptions): Running;
  /** Writes a file below the home. */
  put(path: string, content: string | Uint8Array): string;
  /** Writes a session of Claude Code. */
  log(about: Parameters<typeof claudeLog>[0], turns: Turn[]): string;
  /** What `sql` prints. */
  rows<T = Record<string, unknown>>(statement: string): Promise<T[]>;
  /** What `status` says is wrong. */
  degraded(): Promise<{ code: string; text: string; since: string | null }[]>;
  /** What `lessons list --json` prints, with these options. */
  lessons(...options: string[]): Promise<ListedLesson[]>;
  /** Reads a file below DRIPSTONE_HOME. */
  read(path: string): string;
  has(path: string): boolean;
  /** The project whose slug begins so, or the only one. */
  slug(name?: string): string;
  /** The folder of its published files. */
  folder(name?: string): string;
  /** Every path below DRIPSTONE_HOME, temporary ones included. */
  files(below?: string): string[];
  /** Reads the store by a connection of its own, which is closed afterwards. */
  ask<T>(fn: (db: Db) => Promise<T>): Promise<T>;
}

export interface ListedLesson {
  id: string;
  text: string;
  kind: string;
  scope: string;
  project: string | null;
  status: string;
  reason: string | null;
  said_by: string;
  pinned: boolean;
  confidence: number;
  sessions: number;
}

interface StageOptions {
  now?: string;
  /** The clock is the system's, as for a compiled program beside it. */
  isLive?: boolean;
  /** A folder to copy into the home. */
  from?: string;
  /** config.yaml. */
  config?: string;
  /** Where it lies; what is there already stays. Without it a new folder that goes with its test. */
  root?: string;
  /** Where DRIPSTONE_HOME is, e.g. on another volume. */
  stone?: string;
}

function said(argv: string[], code: number | null, out: string, err: string): Said {
  const json = <T>(): T => {
    if (out === '')
      throw new Error(`dripstone ${argv.join(' ')} printed nothing and exited ${code}: ${err}`);
    return JSON.parse(out) as T;
  };
  return { code, signal: null, out, err, json };
}

function commandOf(
  argv: string[],
  { limitKb, obeysModes, umask, trace, preload }: StartOptions,
): [string, string[]] {
  const loading = preload === undefined ? [] : ['--import', preload];
  const node = [
    ...(trace === undefined ? [] : ['strace', '-f', '-y', '-qq', '--seccomp-bpf', ...trace]),
    process.execPath,
    ...loading,
    CLI,
    ...argv,
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

function start(stage: Stage, argv: string[], options: StartOptions): Running {
  const [file, rest] = commandOf(argv, options);
  const child = spawn(file, rest, {
    env: { PATH: process.env['PATH'] ?? '', HOME: stage.home, DRIPSTONE_HOME: stage.stone },
    cwd: stage.home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<Said>((resolve) =>
    child.on('close', (code, signal) => resolve({ ...said(argv, code, out, err), signal })),
  );
  return { child, ended };
}

/** Words alone are fast; tests of vectors switch the model on. */
const WITHOUT_MODEL = 'embed: {enabled: false}\n';

export function setStage({
  now = '2026-11-20T12:00:00Z',
  isLive = false,
  from,
  config = WITHOUT_MODEL,
  root = testFolder(),
  stone = join(root, 'stone'),
}: StageOptions = {}): Stage {
  const home = join(root, 'home');
  mkdirSync(home, { recursive: true });
  if (from) cpSync(from, home, { recursive: true });
  if (config !== '' && !existsSync(stone)) {
    mkdirSync(stone, { mode: 0o700 });
    writeFileSync(join(stone, 'config.yaml'), config, { mode: 0o600 });
  }
  let mono = 0;
  const ownClock = { now: () => new Date(stage.now), mono: () => (mono += 0.01) };
  const stage: Stage = {
    root,
    home,
    stone,
    cwd: home,
    now: new Date(now),
    stdin: [],
    stop: new AbortController(),
    caller: { kind: 'person' },
    io: () => ({
      env: { HOME: home, DRIPSTONE_HOME: stone },
      cwd: stage.cwd,
      signal: stage.stop.signal,
      terminal: false,
      clock: isLive ? systemClock : ownClock,
      out: () => {},
      err: () => {},
      caller: () => stage.caller,
      ...threads,
      ...(stage.lockWaitMs === undefined ? {} : { lockWaitMs: stage.lockWaitMs }),
      lines: async function* () {
        yield* stage.stdin;
      },
    }),
    type: (...argv) => stage.typeAs(argv, {}),
    async typeAs(argv, more) {
      let [out, err] = ['', ''];
      const io = stage.io();
      const code = await main([...argv], {
        ...{ ...io, ...more, env: { ...io.env, ...more.env } },
        out: (text) => void (out += text),
        err: (text) => void (err += text),
      });
      return said([...argv], code, out, err);
    },
    start: (argv, options = {}) => start(stage, argv, options),
    put: (path, content) => put(join(home, path), content),
    log: (about, turns) =>
      stage.put(
        `.claude/projects/${about.cwd.replaceAll(/[^a-zA-Z0-9]/g, '-')}/${about.session}.jsonl`,
        claudeLog(about, turns),
      ),
    rows: async <T>(statement: string) => {
      const { code, out, err } = await stage.type('sql', statement);
      if (code !== 0) throw new Error(err);
      return out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]));
    },
    degraded: async () =>
      (await stage.type('status', '--json')).json<{
        degraded: { code: string; text: string; since: string | null }[];
      }>().degraded,
    lessons: async (...options) =>
      (await stage.type('lessons', 'list', '--json', ...options)).json<{
        lessons: ListedLesson[];
      }>().lessons,
    read: (path) => readFileSync(join(stone, path), 'utf8'),
    has: (path) => existsSync(join(stone, path)),
    slug: (name = '') =>
      readdirSync(join(stone, 'projects')).find(
        (slug) => slug.startsWith(name) && !slug.startsWith('.'),
      )!,
    folder: (name) => join(stone, 'projects', stage.slug(name)),
    files: (below = '') => walk(join(stone, below)),
    async ask(fn) {
      await using app = await createApp({ ...stage.io(), access: 'read' });
      return await app.store.read(fn);
    },
  };
  return stage;
}

/** The app that a daemon works with. */
export function daemonApp(stage: Stage, mode: 'daemon' | 'once' = 'daemon'): Promise<App> {
  return createApp({ ...stage.io(), access: 'write', lockAs: 'daemon', logTo: 'file', mode });
}

/** The compiled daemon of a home, once it says that it runs. */
export async function startDaemon(stage: Stage, options: StartOptions = {}): Promise<Running> {
  const running = stage.start(['start'], options);
  const ready = new Promise<boolean>((resolve) => {
    let err = '';
    running.child.stderr!.on('data', (data: Buffer) => {
      err += data.toString();
      if (err.includes('runs as process')) resolve(true);
    });
  });
  if (!(await Promise.race([ready, running.ended.then(() => false)])))
    throw new Error(`the daemon ended before it was ready: ${(await running.ended).err}`);
  return running;
}

// Homes that were begun before the tests

/**
 * Folder, place, inodes, bytes and times of `root` as they are now, as often as it is asked for.
 * The inodes stay, since a log with another one would be another file to the program: a second name
 * beside each file keeps its inode alive.
 */
function keepFolder(root: string, beside: string): () => void {
  const [bytes, names] = [join(beside, 'bytes'), join(beside, 'names')];
  cpSync(root, bytes, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const kept = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => ({ name, path: join(root, name), stat: lstatSync(join(root, name)) }));
  mkdirSync(names);
  for (const { name, path, stat } of kept) {
    if (stat.isDirectory()) mkdirSync(join(names, name), { mode: 0o700 });
    else if (!stat.isSymbolicLink()) linkSync(path, join(names, name));
  }
  return () => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { mode: 0o700 });
    for (const { name, path, stat } of kept) {
      if (stat.isDirectory()) mkdirSync(path, { mode: 0o700 });
      else if (stat.isSymbolicLink()) symlinkSync(readlinkSync(join(bytes, name)), path);
      else {
        linkSync(join(names, name), path);
        chmodSync(path, 0o600);
        copyFileSync(join(bytes, name), path);
      }
    }
    for (const { path, stat } of [...kept].reverse()) {
      if (stat.isSymbolicLink()) continue;
      utimesSync(path, stat.mtime, stat.mtime);
      chmodSync(path, stat.mode & 0o7777);
    }
  };
}

/**
 * Sets a stage with the first call and gives it back as it was then with each further one. Only one
 * of them may be in use at a time. To be called beside the tests, not in one.
 * @param begin what happened before the tests begin, e.g. logs and a `run`
 */
export function begunStage(
  options: StageOptions,
  begin: (stage: Stage) => Promise<unknown>,
  beside = testFolder(),
): () => Promise<Stage> {
  const root = join(beside, 'root');
  let restore: (() => void) | null = null;
  let begunAt: Date;
  return async () => {
    if (restore === null) {
      const first = setStage({ ...options, root });
      await begin(first);
      begunAt = first.now;
      restore = keepFolder(root, beside);
    } else restore();
    return setStage({ root, now: begunAt.toISOString() });
  };
}

let printed = '';

/**
 * The shipped samples, read on 2026-11-21, as {@link begunStage} gives them: read once for all
 * files of a worker, since many files ask the same home.
 */
export const samplesStage = begunStage(
  { from: samples, now: '2026-11-21T12:00:00Z' },
  async (first) => void (printed = (await first.type('run')).out),
  lastingFolder(),
);

/** What the run printed that read them. */
export function samplesRun(): string {
  return printed;
}

// The store alone

interface TestClock extends Clock {
  advance(ms: number): void;
  set(iso: string): void;
}

/** Stands still until the test moves it. */
export function testClock(start = '2026-11-20T12:00:00.000Z'): TestClock {
  let wall = Date.parse(start);
  let mono = 0;
  return {
    now: () => new Date(wall),
    mono: () => mono,
    advance(ms) {
      wall += ms;
      mono += ms;
    },
    set(iso) {
      wall = Date.parse(iso);
    },
  };
}

/**
 * A database file that is made once in this process, with its log if it has one.
 * @returns lays a copy of it at a path where none is
 */
export function madeOnce(make: (path: string) => Promise<void>): (path: string) => Promise<void> {
  let made: Promise<string> | null = null;
  const first = async (): Promise<string> => {
    const path = join(lastingFolder(), 'memory.duckdb');
    await make(path);
    return path;
  };
  return async (path) => {
    const from = await (made ??= first());
    for (const end of ['', '.wal'])
      if (existsSync(`${from}${end}`)) copyFileSync(`${from}${end}`, `${path}${end}`);
  };
}

/** An empty store: all its tables take four times as long to make as to copy. */
export const copyEmptyStore = madeOnce(async (path) => {
  const store = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  await store.read(async () => {});
  await store.close();
});

/** A store in a folder of its own; time passes only while it sleeps. */
export async function tempStore(
  options: Partial<StoreOptions> = {},
): Promise<{ store: Store; clock: TestClock; path: string; home: string }> {
  const path = options.path ?? join(testFolder(), 'memory.duckdb');
  if (options.path === undefined) await copyEmptyStore(path);
  const clock = testClock();
  const sleep = async (ms: number): Promise<void> => clock.advance(ms);
  const store = openStore({ path, clock, lockWaitMs: 0, sleep, ...options });
  onTestFinished(() => store.close());
  return { store, clock, path, home: dirname(path) };
}

// The page's server

export const PORT = 4321;

/** JSON of which a test knows the shape. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Known = Record<string, any>;

export interface Web {
  tickets: Tickets;
  /** As the page asks: with its key, from its own origin. */
  page(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: Known }>;
  /** Gives the database back, so that a command may be typed in this process. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** Asked without a network. */
export function openWeb(stage: Stage, caller: Caller = { kind: 'person' }): Web {
  const session = new Session(stage.io());
  const tickets = new Tickets(stage.io().clock);
  const server = createServer(session, { tickets, port: () => PORT, caller });
  return {
    tickets,
    async page(method, path, body, more = {}) {
      const response = await server.request(path, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          host: `127.0.0.1:${PORT}`,
          origin: `http://127.0.0.1:${PORT}`,
          authorization: `Bearer ${tickets.token}`,
          ...more,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const { status, headers } = response;
      const isJson = headers.get('content-type')?.startsWith('application/json') === true;
      return { status, headers, body: isJson ? (JSON.parse(text) as Known) : { text } };
    },
    rest: () => session.giveBack(),
    close: () => session[Symbol.asyncDispose](),
  };
}
