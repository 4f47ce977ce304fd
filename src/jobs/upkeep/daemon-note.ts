/** daemon.json: the daemon's process, its heartbeat, and problems for the person. */
import { readFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { packageVersion, userHomeOf, type HomePaths } from '../../config.js';
import { AppError, EXIT } from '../../errors.js';
import { createMutex } from '../../mutex.js';
import { isProcessAlive, lockHolder, publishFile, STORE_VERSION } from '../../store/index.js';
import { currentVersion, programFolder, versionIn } from '../../supervisor/versions.js';
import type { Clock, StatusFacts } from '../../types.js';

type DaemonFacts = NonNullable<StatusFacts['daemon']>;
type Met = Omit<StatusFacts['degraded'][number], 'cure'>;

/** Counts of questions from hooks since the daemon started. */
interface HookCounts {
  answered: number;
  skipped: number;
}

export interface DaemonNote {
  /** Writes the heartbeat. */
  beat(): Promise<void>;
  /** Reports a problem to the person, once per code until it is cleared. */
  report(code: string, text: string): void;
  clear(code: string): void;
  /** Writes the daemon's socket for hooks. */
  serve(socket: string): Promise<void>;
  /** Written with each heartbeat. */
  hooks: HookCounts;
  remove(): Promise<void>;
}

export function writeDaemonNote(
  paths: Pick<HomePaths, 'daemon'>,
  {
    version,
    pid,
    clock,
    failed,
  }: { version: string; pid: number; clock: Clock; failed(error: unknown): void },
): DaemonNote {
  const started = clock.now().toISOString();
  const born = birthOf(pid);
  const facts = new Map<string, Met>();
  const places: { socket?: string } = {};
  const hooks: HookCounts = { answered: 0, skipped: 0 };
  const write = async (): Promise<void> => {
    const degraded = facts.size === 0 ? {} : { degraded: [...facts.values()] };
    await publishFile(
      paths.daemon,
      `${JSON.stringify({ version, pid, started, born, heartbeat: clock.now().toISOString(), ...places, hooks, ...degraded })}\n`,
    );
  };
  // Of two parallel writes the older one could end last.
  const inTurn = createMutex();
  const beat = (): Promise<void> => inTurn(write);
  const soon = (): void => void beat().catch(failed);
  return {
    beat,
    hooks,
    report(code, text) {
      if (facts.get(code)?.text === text) return;
      facts.set(code, { code, since: clock.now().toISOString(), text });
      soon();
    },
    clear(code) {
      if (facts.delete(code)) soon();
    },
    serve(socket) {
      places.socket = socket;
      return beat();
    },
    remove: () => inTurn(() => unlink(paths.daemon).catch(() => {})),
  };
}

/** The daemon that daemon.json names, if that process is alive. */
export function readDaemon(paths: Pick<HomePaths, 'daemon'>): DaemonFacts | null {
  const note = readNote(paths);
  return note?.isAlive === true ? note.daemon : null;
}

/** The pid of a daemon that really runs in the home: daemon.json may be wrong, the lock is not. */
export async function daemonOf(paths: HomePaths): Promise<number | null> {
  const named = readDaemon(paths);
  if (named === null) return null;
  const holder = await lockHolder(paths.lock);
  return holder !== null && (holder.pid === null || holder.pid === named.pid) ? named.pid : null;
}

/**
 * The next step after the daemon failed. After an update, an old daemon cannot read the migrated
 * store, so its own hint would be wrong.
 */
export function hintOf(
  hint: string,
  daemon: { pid: number; version: string } | null,
  own: string,
): string {
  return daemon === null || daemon.version === own
    ? hint
    : `the daemon, process ${daemon.pid}, is of version ${daemon.version}, this program of ${own}: start it again ` +
        '(`dripstone service install`, or end it and type `dripstone start`)';
}

interface Written {
  /** The daemon in daemon.json, alive or not. */
  daemon: DaemonFacts;
  isAlive: boolean;
  /** The problems and counts of a running daemon. */
  met: Met[];
  hooks: HookCounts;
}

export function readNote({ daemon: path }: Pick<HomePaths, 'daemon'>): Written | null {
  try {
    const { pid, version, started, heartbeat, born, degraded, hooks } = JSON.parse(
      readFileSync(path, 'utf8'),
    ) as DaemonFacts & { born?: string | null; degraded?: Met[]; hooks?: HookCounts };
    if (typeof pid !== 'number') return null;
    // After a restart of the machine another process may have the pid.
    const isAlive = (typeof born !== 'string' || born === birthOf(pid)) && isProcessAlive(pid);
    return {
      daemon: { pid, version, started, heartbeat },
      isAlive,
      met: isAlive && Array.isArray(degraded) ? degraded : [],
      hooks: (isAlive && hooks) || { answered: 0, skipped: 0 },
    };
  } catch {
    return null;
  }
}

/**
 * Start time of a process: the boot's id and clock ticks since then (proc(5), field 22 of stat).
 * Null without /proc.
 */
function birthOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return null;
  }
}

interface NoteSources {
  paths: Pick<HomePaths, 'daemon'>;
  env: Record<string, string | undefined>;
}

/** Another version that still reads logs, after an update of the package alone. */
interface OtherVersion {
  /** Whether it could not read a store that this program has migrated. */
  isOlder: boolean;
  /** The message and the next command. */
  text: string;
}

/** The version of the service or daemon, if it differs from this program's. */
export function otherVersion({ paths, env }: NoteSources): OtherVersion | null {
  const own = packageVersion();
  const copy = currentVersion(programFolder(process.platform, userHomeOf(env), env));
  const installed = copy === null ? null : versionIn(copy.id);
  const daemon = readDaemon(paths);
  const version = daemon?.version ?? installed;
  if (version === null || version === own) return null;
  if (copy !== null && version === installed)
    return {
      isOlder: copy.store < STORE_VERSION,
      text: `the service runs ${version}, this program is ${own}: \`dripstone service install\` updates it`,
    };
  return {
    isOlder: true,
    text:
      `the daemon, process ${daemon!.pid}, is of version ${version}, this program is ${own}: end it, then ` +
      '`dripstone start` or `dripstone service install`',
  };
}

/**
 * @throws AppError STORE_OF_OLDER (exit 11) while an older version uses the store, because it could
 * not read the store after the migration
 */
export function refuseMigration(from: NoteSources, path: string): void {
  const hint = olderProgram(from);
  if (hint === null) return;
  throw new AppError('STORE_OF_OLDER', `${path} is in use by an older version and stays as it is`, {
    hint,
    exitCode: EXIT.busy,
  });
}

/**
 * The next step for an older program that uses the store; null if there is none. A daemon migrates
 * the store at its start.
 */
function olderProgram(from: NoteSources): string | null {
  const other = otherVersion(from);
  if (other !== null) return other.isOlder ? other.text : null;
  const daemon = readDaemon(from.paths);
  if (daemon === null || daemon.pid === process.pid) return null;
  const next = '`dripstone start` or `dripstone service install`';
  return `the daemon, process ${daemon.pid}, is of an older build: end it, then ${next}`;
}
