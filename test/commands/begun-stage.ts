/**
 * A stage that was set once and is given to every test anew: the first `run` of a home costs
 * seconds of processor time, its copy milliseconds.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  readlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { samples, setStage, type Stage, type StageOptions } from './stage.js';

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
