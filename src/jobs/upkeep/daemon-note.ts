/** daemon.json: the daemon's process, its sign of life, and problems that a person should know. */
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

/** Questions of hooks since the daemon started. */
interface HookCounts {
  answered: number;
  skipped: number;
}

export interface DaemonNote {
  /** Writes the sign of life. */
  beat(): Promise<void>;
  /** A problem that a person should know, reported once per code until it is cleared. */
  tell(code: string, text: string): void;
  clear(code: string): void;
  /** Where hooks find the daemon's socket. */
  serve(socket: string): Promise<void>;
  /** Written with each sign of life. */
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
  // Of two writes at once the older one might end last.
  const inTurn = createMutex();
  const beat = (): Promise<void> => inTurn(write);
  const soon = (): void => void beat().catch(failed);
  return {
    beat,
    hooks,
    tell(code, text) {
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

/**
 * The daemon's pid if one really runs in the home: the lock decides, daemon.json is only information.
 */
export async function daemonOf(paths: HomePaths): Promise<number | null> {
  const named = readDaemon(paths);
  if (named === null) return null;
  const holder = await lockHolder(paths.lock);
  return holder !== null && (holder.pid === null || holder.pid === named.pid) ? named.pid : null;
}

/**
 * The next step after the daemon failed. After an update the old daemon runs on and cannot read
 * what the new program migrated, so its own advice would be wrong.
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
  /** The daemon that daemon.json names, alive or not. */
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
    // After a restart of the machine another process may have the number.
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
 * When the kernel began a process: the boot's id and clock ticks since (proc(5), field 22 of stat).
 * Null where there is no /proc.
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

/**
 * Another version of the program than this one, which keeps reading: after an update of the package
 * alone.
 */
interface OtherVersion {
  /** Whether it cannot read a store that this program has brought up to date. */
  isOlder: boolean;
  /** The message and the next command. */
  text: string;
}

/** The version that runs as the service or as a daemon, when it is another one. */
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
 * @throws AppError STORE_OF_OLDER (exit 11) while an older version, which could not read the store
 * then, works with it
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
 * What to do about a program that still works with a store of an older format; null without one. A
 * daemon brings the store up to date when it starts.
 */
function olderProgram(from: NoteSources): string | null {
  const other = otherVersion(from);
  if (other !== null) return other.isOlder ? other.text : null;
  const daemon = readDaemon(from.paths);
  if (daemon === null || daemon.pid === process.pid) return null;
  const next = '`dripstone start` or `dripstone service install`';
  return `the daemon, process ${daemon.pid}, is of an older build: end it, then ${next}`;
}
