/** daemon.json: who the daemon is, its sign of life, and what it met that a person should know. */
import { readFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { HomePaths } from '../../config.js';
import { isProcessAlive, publishFile } from '../../store/index.js';
import type { Clock } from '../../types.js';
import type { Degraded } from './degraded-fact.js';

export interface DaemonFacts {
  pid: number;
  version: string;
  started: string;
  heartbeat: string;
}

export interface DaemonNote {
  /** Writes the sign of life. */
  beat(): Promise<void>;
  /** Something that a person should know, told once by code until it is cleared. */
  tell(code: string, text: string): void;
  clear(code: string): void;
  remove(): Promise<void>;
}

export function writeDaemonNote(
  paths: Pick<HomePaths, 'daemon'>,
  { version, pid, clock, failed }: { version: string; pid: number; clock: Clock; failed(error: unknown): void },
): DaemonNote {
  const started = clock.now().toISOString();
  const facts = new Map<string, Degraded>();
  const write = async (): Promise<void> => {
    const degraded = facts.size === 0 ? {} : { degraded: [...facts.values()] };
    await publishFile(
      paths.daemon,
      `${JSON.stringify({ version, pid, started, heartbeat: clock.now().toISOString(), ...degraded })}\n`,
    );
  };
  // Writes are chained: of two at once the older one might end last.
  let chain: Promise<void> = Promise.resolve();
  const beat = (): Promise<void> => (chain = chain.catch(() => {}).then(write));
  const soon = (): void => void beat().catch(failed);
  return {
    beat,
    tell(code, text) {
      if (facts.get(code)?.text === text) return;
      facts.set(code, { code, since: clock.now().toISOString(), text });
      soon();
    },
    clear(code) {
      if (facts.delete(code)) soon();
    },
    remove: () => (chain = chain.catch(() => {}).then(() => unlink(paths.daemon).catch(() => {}))),
  };
}

/** The daemon that daemon.json names, if that process is alive. */
export function readDaemon(paths: Pick<HomePaths, 'daemon'>): DaemonFacts | null {
  const named = namedDaemon(paths);
  return named !== null && isProcessAlive(named.pid) ? named : null;
}

/** The daemon that daemon.json names, alive or not. */
export function namedDaemon(paths: Pick<HomePaths, 'daemon'>): DaemonFacts | null {
  return readWritten(paths)?.daemon ?? null;
}

/** What a daemon that lives has told. */
export function readDaemonNotes(paths: Pick<HomePaths, 'daemon'>): Degraded[] {
  const written = readWritten(paths);
  return written !== null && isProcessAlive(written.daemon.pid) ? written.degraded : [];
}

function readWritten({ daemon: path }: Pick<HomePaths, 'daemon'>): { daemon: DaemonFacts; degraded: Degraded[] } | null {
  try {
    const { pid, version, started, heartbeat, degraded } = JSON.parse(readFileSync(path, 'utf8')) as DaemonFacts & {
      degraded?: Degraded[];
    };
    return typeof pid === 'number'
      ? { daemon: { pid, version, started, heartbeat }, degraded: Array.isArray(degraded) ? degraded : [] }
      : null;
  } catch {
    return null;
  }
}
