/**
 * A person's machine in a temporary folder: a home with logs, a clock that the test sets, and the
 * commands as typed; new, or as it was after the same first steps for every test.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished } from 'vitest';
import { main } from '../../src/commands/main.js';
import type { Caller } from '../../src/types.js';
import { threads } from '../threads.js';
import type { Io } from '../../src/io.js';

export const samples = fileURLToPath(new URL('../samples/home', import.meta.url));

export interface Said {
  code: number;
  out: string;
  err: string;
  json: <T = Record<string, unknown>>() => T;
}

export interface Stage {
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
  type(...argv: string[]): Promise<Said>;
  /** Writes a file below the home. */
  put(path: string, text: string): string;
  /** Reads a file below DRIPSTONE_HOME. */
  read(path: string): string;
  has(path: string): boolean;
}

interface StageOptions {
  now?: string;
  /** A folder to copy into the home. */
  from?: string;
  /** config.yaml. */
  config?: string;
  /** Where it lies; what is there already stays. Without it a new folder that goes with its test. */
  root?: string;
}

/**
 * An empty folder, gone when the test ends; one that is made beside the tests goes with the whole
 * run.
 */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dripstone-test-'));
  try {
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  } catch {
    // No test runs now.
  }
  return folder;
}

/** Words alone are fast; tests of vectors switch the model on. */
const WITHOUT_MODEL = 'embed: {enabled: false}\n';

export function setStage({
  now = '2026-11-20T12:00:00Z',
  from,
  config = WITHOUT_MODEL,
  root = testFolder(),
}: StageOptions = {}): Stage {
  const [home, stone] = [join(root, 'home'), join(root, 'stone')];
  mkdirSync(home, { recursive: true });
  if (from) cpSync(from, home, { recursive: true });
  if (config !== '' && !existsSync(stone)) {
    mkdirSync(stone, { mode: 0o700 });
    writeFileSync(join(stone, 'config.yaml'), config);
  }
  let mono = 0;
  const stage: Stage = {
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
      clock: { now: () => new Date(stage.now), mono: () => (mono += 0.01) },
      out: () => {},
      err: () => {},
      caller: () => stage.caller,
      ...threads,
      ...(stage.lockWaitMs === undefined ? {} : { lockWaitMs: stage.lockWaitMs }),
      lines: async function* () {
        yield* stage.stdin;
      },
    }),
    async type(...argv) {
      let [out, err] = ['', ''];
      const code = await main(argv, {
        ...stage.io(),
        out: (text) => void (out += text),
        err: (text) => void (err += text),
      });
      const json = <T>(): T => {
        if (out === '')
          throw new Error(`dripstone ${argv.join(' ')} printed nothing and exited ${code}: ${err}`);
        return JSON.parse(out) as T;
      };
      return { code, out, err, json };
    },
    put(path, text) {
      const file = join(home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    read: (path) => readFileSync(join(stone, path), 'utf8'),
    has: (path) => existsSync(join(stone, path)),
  };
  return stage;
}

interface Kept {
  name: string;
  kind: 'folder' | 'file' | 'link';
  mode: number;
  mtime: number;
}

function listOf(root: string): Kept[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { mode, mtimeMs, isDirectory, isSymbolicLink } = facts(join(root, name));
      return {
        name,
        kind: isDirectory ? 'folder' : isSymbolicLink ? 'link' : 'file',
        mode: mode & 0o7777,
        mtime: mtimeMs / 1000,
      };
    });
}
function facts(path: string) {
  const stat = lstatSync(path);
  return {
    mode: stat.mode,
    mtimeMs: stat.mtimeMs,
    isDirectory: stat.isDirectory(),
    isSymbolicLink: stat.isSymbolicLink(),
  };
}

/**
 * Folder, place, inodes, bytes and times of `root` as they are now, as often as it is asked for.
 * The inodes stay, since a log with another one would be another file to the program: a second name
 * beside each file keeps its inode alive.
 */
function keepFolder(root: string, beside: string): () => void {
  const [bytes, names] = [join(beside, 'bytes'), join(beside, 'names')];
  cpSync(root, bytes, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const kept = listOf(root);
  mkdirSync(names);
  for (const { name, kind } of kept) {
    if (kind === 'folder') mkdirSync(join(names, name), { mode: 0o700 });
    else if (kind === 'file') linkSync(join(root, name), join(names, name));
  }
  return () => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { mode: 0o700 });
    for (const { name, kind, mode, mtime } of kept) {
      const path = join(root, name);
      if (kind === 'folder') mkdirSync(path, { mode: 0o700 });
      else if (kind === 'link') symlinkSync(readlinkSync(join(bytes, name)), path);
      else {
        linkSync(join(names, name), path);
        chmodSync(path, 0o600);
        copyFileSync(join(bytes, name), path);
        utimesSync(path, mtime, mtime);
        chmodSync(path, mode);
      }
    }
    for (const { name, kind, mode, mtime } of [...kept].reverse()) {
      if (kind !== 'folder') continue;
      chmodSync(join(root, name), mode);
      utimesSync(join(root, name), mtime, mtime);
    }
  };
}

type Begin = (stage: Stage) => Promise<unknown>;

function kept(beside: string, options: StageOptions, begin: Begin): () => Promise<Stage> {
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

/**
 * Sets a stage with the first call and gives it back as it was then with each further one. Only one
 * of them may be in use at a time. To be called beside the tests, not in one.
 * @param begin what happened before the tests begin, e.g. logs and a `run`
 */
export function begunStage(options: StageOptions, begin: Begin): () => Promise<Stage> {
  const beside = mkdtempSync(join(tmpdir(), 'dripstone-begun-'));
  afterAll(() => rmSync(beside, { recursive: true, force: true }));
  return kept(beside, options, begin);
}

let readSamples: (() => Promise<Stage>) | null = null;
let printed = '';

/**
 * The shipped samples, read on 2026-11-21, as {@link begunStage} gives them: read once for all
 * files of a worker, since many files ask the same home. Where its folder lies is removed with
 * everything else that the tests made.
 */
export function samplesStage(): Promise<Stage> {
  const options = { from: samples, now: '2026-11-21T12:00:00Z' };
  readSamples ??= kept(
    mkdtempSync(join(tmpdir(), 'dripstone-samples-')),
    options,
    async (first) => {
      printed = (await first.type('run')).out;
    },
  );
  return readSamples();
}

/** What the run printed that read them. */
export function samplesRun(): string {
  return printed;
}
