/**
 * The package as a stranger gets it, and a machine with nothing on it: an empty home, node and a
 * shell on PATH.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

export interface Packed {
  file: string;
  bytes: number;
  files: string[];
}

/** npm's own file: a strict PATH has no `npm`. */
export function npmFile(): string {
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  if (existsSync(beside)) return beside;
  const found = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'npm'));
  return realpathSync(found.find((path) => existsSync(path))!);
}

export class BareMachine {
  readonly root = mkdtempSync(join(tmpdir(), 'dripstone-bare-'));
  readonly home = join(this.root, 'home');
  private readonly bin = join(this.root, 'bin');

  constructor() {
    for (const folder of [this.home, this.bin]) mkdirSync(folder);
    symlinkSync(process.execPath, join(this.bin, 'node'));
    // What pnpm's starter calls.
    for (const name of ['sh', 'dirname', 'sed', 'uname'])
      symlinkSync(this.find(name), join(this.bin, name));
  }

  /** No git, make, compiler or npm; scripts of packages run as they do by default. */
  env(): Record<string, string> {
    const certificates = process.env['NODE_EXTRA_CA_CERTS'];
    return {
      HOME: this.home,
      PATH: this.bin,
      npm_config_cache: join(this.root, 'cache'),
      npm_config_update_notifier: 'false',
      ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
    };
  }

  private find(name: string): string {
    return ['/bin', '/usr/bin']
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path))!;
  }

  run(program: string, ...args: string[]): Ran {
    const done = spawnSync(program, args, {
      cwd: this.home,
      env: this.env(),
      encoding: 'utf8',
      timeout: 500_000,
    });
    return { code: done.status, out: done.stdout, err: `${done.stderr}${done.error ?? ''}` };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** `npm pack`, of what was built. */
export function pack(into: string): Packed {
  const done = spawnSync(
    process.execPath,
    [npmFile(), 'pack', '--json', '--pack-destination', into],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, npm_config_cache: join(into, 'cache') },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (done.status !== 0) throw new Error(done.stderr);
  const json = JSON.parse(done.stdout) as unknown;
  // npm 12 gives an object by name, older ones a list.
  const [said] = (Array.isArray(json) ? json : Object.values(json as object)) as {
    filename: string;
    size: number;
    files: { path: string }[];
  }[];
  return {
    file: join(into, said!.filename),
    bytes: said!.size,
    files: said!.files.map(({ path }) => path),
  };
}

/** Whether packages can be had; where CI runs they must. */
export function hasRegistry(): boolean {
  const asked = spawnSync(
    process.execPath,
    [npmFile(), 'view', 'tinypool', 'version', '--fetch-retries=0'],
    {
      timeout: 60_000,
      env: { ...process.env, npm_config_cache: join(tmpdir(), 'dripstone-asked') },
    },
  );
  return asked.status === 0 || process.env['CI'] !== undefined;
}

/** Of the package in a folder. */
export function scriptsOf(folder: string): Record<string, string> {
  return (
    (
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        scripts?: Record<string, string>;
      }
    ).scripts ?? {}
  );
}
