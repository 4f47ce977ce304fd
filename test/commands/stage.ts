/**
 * A person's machine in a temporary folder: a home with logs, a clock that the test sets, and the
 * commands as typed.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  remove(): void;
}

export interface StageOptions {
  now?: string;
  /** A folder to copy into the home. */
  from?: string;
  /** config.yaml. */
  config?: string;
  /** Where it stands; what is there already stays. A new folder without it. */
  root?: string;
}

/** Words alone are fast; tests of vectors switch the model on. */
const WITHOUT_MODEL = 'embed: {enabled: false}\n';

export function setStage({
  now = '2026-11-20T12:00:00Z',
  from,
  config = WITHOUT_MODEL,
  root = mkdtempSync(join(tmpdir(), 'dripstone-stage-')),
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
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  return stage;
}
